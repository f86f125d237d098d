"""What a file is that is not text, by its first bytes."""

from __future__ import annotations

from handrail.tools.text.counting import counted

IMAGES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)
"""The kinds that all providers take; WebP, the fourth, has its name at byte 8."""

_TELLING = 2
"""Bytes that may well begin a text."""

PDF = b"%PDF-"
"""Begins a format that may look like text and is none."""

_OTHERS = (
    (PDF, "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive, or a document in one"),
    (b"\x1f\x8b", "gzip-compressed data"),
    (b"BZh", "bzip2-compressed data"),
    (b"\xfd7zXZ\0", "xz-compressed data"),
    (b"\x28\xb5\x2f\xfd", "zstd-compressed data"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"\x7fELF", "a program or library (ELF)"),
    (b"MZ", "a program or library (Windows)"),
    (b"\xcf\xfa\xed\xfe", "a program or library (Mach-O)"),
    (b"\xca\xfe\xba\xbe", "a program or class file"),
    (b"SQLite format 3\0", "a SQLite database"),
    (b"\0asm", "WebAssembly code"),
    (b"OggS", "Ogg audio or video"),
    (b"ID3", "MP3 audio"),
    (b"fLaC", "FLAC audio"),
    (b"wOFF", "a font"),
    (b"BM", "an image (BMP)"),
    (b"II*\0", "an image (TIFF)"),
    (b"MM\0*", "an image (TIFF)"),
    (b"\0\0\1\0", "an image (icon)"),
    (b"wOF2", "a font"),
)


def image_type(data: bytes) -> str | None:
    """The media type, for an image that a model can be shown."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((media_type for magic, media_type in IMAGES if data.startswith(magic)), None)


def document_type(data: bytes) -> str:
    """In words, for data that is not text."""
    return next((words for magic, words in _OTHERS if data.startswith(magic)), "binary")


def is_known_binary(data: bytes) -> bool:
    """It begins as a format does that is no text; some texts do too, so ask this of what may be either."""
    return any(data.startswith(magic) for magic, _ in _OTHERS if len(magic) > _TELLING)


def binary_file(shown: str, data: bytes, size: int | None) -> str:
    """That a file can't be read as text, and what to do. `size` in bytes; None where it isn't known."""
    what = document_type(data) if size is None else f"{document_type(data)}, {counted(size, 'byte')},"
    advice = "Make a PNG image of it" if what.startswith("an image") else "Use a program that knows its format,"
    return f"{shown} is {what} and can't be read as text. {advice} by the shell."

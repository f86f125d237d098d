"""What lies in a folder that came with a workspace, all of it: a yes to a skill or to tools is a yes to all files."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from handrail.contract.values import value
from handrail.settings.reading import Unreadable

MOST_FILES = 1_000
MOST_BYTES = 32 * 1024 * 1024
"""Of one folder that a workspace brings: it is read whole at every start."""

_PIECE = 1024 * 1024


@value
class ContentFile:
    """One file of the folder."""

    path: str
    """Below the folder, with slashes."""
    size: int
    """Bytes."""
    digest: str
    """SHA-256, hexadecimal."""


@value
class FolderContent:
    """All files of a folder, in the order of their names."""

    files: tuple[ContentFile, ...]

    @property
    def digest(self) -> str:
        """SHA-256 of all names and contents, hexadecimal."""
        lines = (
            f"{file.digest} {len(os.fsencode(file.path))} ".encode() + os.fsencode(file.path) for file in self.files
        )
        return sha256(b"\n".join(lines)).hexdigest()

    def digest_of(self, path: str) -> str | None:
        """Of one file; None where there is none."""
        return next((file.digest for file in self.files if file.path == path), None)


def read_folder(folder: Path) -> FolderContent:
    """Blocks. Raises Unreadable, with what completes `FOLDER …`: also for links, whose ends a yes can't hold."""
    files: list[ContentFile] = []
    left = MOST_BYTES
    try:
        for path in _paths(folder):
            if len(files) == MOST_FILES:
                raise Unreadable(f"holds more than {MOST_FILES} files")
            file = _file(path, path.relative_to(folder).as_posix(), left)
            left -= file.size
            files.append(file)
    except OSError as error:
        raise Unreadable(f"can't be read: {error.strerror}") from error
    return FolderContent(tuple(sorted(files, key=lambda file: os.fsencode(file.path))))


def names_in(folder: Path) -> tuple[str, ...]:
    """The files of a folder that is the person's own, in order; links are named, and not followed. Blocks.

    Raises Unreadable for a folder that is gone.
    """
    try:
        found = [path.relative_to(folder).as_posix() for path in _paths(folder, links=True)]
    except OSError as error:
        raise Unreadable(f"can't be read: {error.strerror}") from error
    return tuple(sorted(found))


def _paths(folder: Path, *, links: bool = False) -> Iterator[Path]:
    """All files below a folder. Raises Unreadable at a link, unless `links` takes it for a file."""
    waiting = [folder]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_symlink() and not links:
                    raise Unreadable(f"holds a link, {entry.name}; put the file itself in its place")
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(Path(entry.path))
                else:
                    yield Path(entry.path)


def _file(path: Path, name: str, most: int) -> ContentFile:
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    with open(handle, "rb") as opened:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise Unreadable(f"holds {name}, which is not an ordinary file")
        digest, size = sha256(), 0
        while piece := opened.read(_PIECE):
            digest.update(piece)
            size += len(piece)
            if size > most:
                raise Unreadable(f"is larger than {MOST_BYTES} bytes")
    return ContentFile(name, size, digest.hexdigest())

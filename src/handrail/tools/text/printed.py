"""What a program printed, for a model: as a terminal would show it, with the middle left out if it is long. Pure."""

from __future__ import annotations

import codecs

from handrail.tools.text.counting import counted
from handrail.tools.text.terminal import as_shown

NOT_UTF8 = "[Bytes that are not UTF-8 are shown as \ufffd.]"


def printed(head: bytes, tail: bytes, dropped: int, most: int, where: str = "") -> str:
    """At most about `most` characters of head and tail; `dropped` bytes between the two were not kept.

    `where` is a clause for what is left out: where to find it.
    """
    half = most // 2
    if dropped:
        cut, begin = _splits(head, tail)
        dropped += len(head) - cut + begin
        first, last = as_shown(head[:cut].decode(errors="replace")), as_shown(tail[begin:].decode(errors="replace"))
    else:
        whole = as_shown((head + tail).decode(errors="replace"))
        if len(whole) <= most:
            return _marked(whole)
        first, last = whole[: len(whole) - half], whole[len(whole) - half :]
    start, end = _to_last_line(first[:half]), _from_first_line(last[-half:])
    left_out = dropped + _size(first) - _size(start) + _size(last) - _size(end)
    join = "" if start.endswith("\n") else "\n"
    return _marked(f"{start}{join}[… {counted(left_out, 'byte')} left out{f': {where}' if where else ''} …]\n{end}")


def _splits(head: bytes, tail: bytes) -> tuple[int, int]:
    """Where the last whole character of the head ends and the first of the tail begins: the one between was split."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    decoder.decode(head)
    unfinished = len(decoder.getstate()[0])
    begin = next((at for at, byte in enumerate(tail[:4]) if byte & 0xC0 != 0x80), 0)
    return len(head) - unfinished, begin


def _to_last_line(text: str) -> str:
    return text[: text.rfind("\n") + 1] or text


def _from_first_line(text: str) -> str:
    return text[text.find("\n") + 1 :] or text


def _size(text: str) -> int:
    return len(text.encode(errors="replace"))


def _marked(text: str) -> str:
    return f"{text.rstrip()}\n{NOT_UTF8}\n" if "\ufffd" in text else text

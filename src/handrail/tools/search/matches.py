"""Collects ripgrep's matches so that what is shown is the same each time: in the order of the paths.

ripgrep searches files in parallel and prints them as they come. Only the files that sort first are
kept, as many as will be shown, so memory is bounded; the counts are of everything.
"""

from __future__ import annotations

import base64
import heapq
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from handrail.tools.text.counting import counted

MOST_COUNTED = 100_000
"""Matching lines after which a search is stopped."""
LONGEST_LINE = 500
"""Characters shown of one line, around its first match."""


@dataclass(frozen=True, slots=True)
class Line:
    number: int
    text: str
    matched: bool
    """False for a line of context."""


@dataclass(slots=True)
class FileMatches:
    path: str
    """Relative to the folder searched."""
    key: list[str]
    """Sorts by folder, then name."""
    lines: list[Line] = field(default_factory=list)
    count: int = 0
    """Lines that match, kept or not."""

    def __lt__(self, other: FileMatches) -> bool:
        """Backwards, so that the top of a heap is the one to drop first."""
        return self.key > other.key


def in_order(path: str) -> list[str]:
    return path.split("/")


class Matches:
    """Takes the records of `rg --json`, and keeps what a result of `limit` lines, or files, can show.

    `is_wanted` says which files may be shown at all.
    """

    def __init__(self, limit: int, is_wanted: Callable[[str], bool], *, by_line: bool) -> None:
        self._limit = limit
        self._is_wanted = is_wanted
        self._by_line = by_line
        self._current: FileMatches | None = None
        self._kept: list[FileMatches] = []
        self._weight_kept = 0
        self.count = 0
        self.file_count = 0
        self.too_long = 0
        """Matches on lines too long to be read."""

    def take(self, record: bytes) -> bool:
        """Only what can be shown is parsed; ripgrep writes the type of a record first."""
        if record.startswith(b'{"type":"begin"'):
            self._begin(json.loads(record)["data"])
        elif self._current is not None:
            if record.startswith(b'{"type":"match"'):
                self._add(self._current, record, matched=True)
            elif record.startswith(b'{"type":"context"'):
                self._add(self._current, record, matched=False)
            elif record.startswith(b'{"type":"end"'):
                self._finish(self._current)
        if self.count < MOST_COUNTED:
            return True
        if self._current is not None:
            self._finish(self._current)
        return False

    def files(self) -> list[FileMatches]:
        """The kept ones, in order."""
        return sorted(self._kept, key=lambda file: file.key)

    def _begin(self, data: dict[str, Any]) -> None:
        name = os.fsdecode(_bytes(data["path"])).removeprefix("./")
        self._current = FileMatches(name, in_order(name)) if self._is_wanted(name) else None

    def _add(self, file: FileMatches, record: bytes, *, matched: bool) -> None:
        self.count += matched
        file.count += matched
        if not self._by_line or file.count > self._limit or self._comes_too_late(file):
            return
        try:
            file.lines.append(_line(json.loads(record)["data"], matched=matched))
        except ValueError:
            self.too_long += 1

    def _finish(self, file: FileMatches) -> None:
        self._current = None
        if not file.count:
            return
        self.file_count += 1
        if self._comes_too_late(file):
            return
        heapq.heappush(self._kept, file)
        self._weight_kept += self._weight(file)
        while self._weight_kept - self._weight(self._kept[0]) >= self._limit:
            self._weight_kept -= self._weight(heapq.heappop(self._kept))

    def _comes_too_late(self, file: FileMatches) -> bool:
        """The limit is reached by files that come before it."""
        return self._weight_kept >= self._limit and file.key > self._kept[0].key

    def _weight(self, file: FileMatches) -> int:
        return file.count if self._by_line else 1


def _line(data: dict[str, Any], *, matched: bool) -> Line:
    raw = _bytes(data["lines"]).rstrip(b"\r\n")
    start = data["submatches"][0]["start"] if data["submatches"] else 0
    return Line(data["line_number"], _clipped(raw, start), matched)


def _clipped(raw: bytes, start: int) -> str:
    """The line, or the part around the match: byte offsets are cut to whole characters."""
    if len(raw) <= LONGEST_LINE:
        return raw.decode(errors="replace")
    begin = max(0, start - LONGEST_LINE // 4)
    part = raw[begin : begin + LONGEST_LINE]
    text = part.decode(errors="ignore")
    rest = len(raw) - begin - len(part)
    before = f"[… {counted(begin, 'byte')}] " if begin else ""
    after = f" [… {counted(rest, 'byte')}]" if rest else ""
    return f"{before}{text}{after}"


def _bytes(value: dict[str, str]) -> bytes:
    """ripgrep gives what is not UTF-8 in base64."""
    return base64.b64decode(value["bytes"]) if "bytes" in value else value["text"].encode()

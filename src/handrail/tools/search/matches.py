"""Collects ripgrep's matches so that what is shown is the same each time: in the order of the paths.

ripgrep searches files in parallel and prints them as they come. Only the files that sort first are
kept, as many as will be shown, so memory is bounded; the counts are of everything.
"""

from __future__ import annotations

import base64
import heapq
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from handrail.contract.values import value
from handrail.tools.search.scope import in_order
from handrail.tools.text.counting import counted

LONGEST_LINE = 500
"""Bytes shown of one line, around its first match."""

_ALL_TEXT = b'"binary_offset":null'


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
    key: str
    """Sorts by folder, then name."""
    lines: list[Line] = field(default_factory=list)
    count: int = 0
    """Lines that match, kept or not."""

    def __lt__(self, other: FileMatches) -> bool:
        """Backwards, so that the top of a heap is the one to drop first."""
        return self.key > other.key


@value
class Room:
    """What to keep, and when to stop."""

    things: int
    """Matching lines, or files, that a result may show, counted from the first."""
    by_line: bool
    across_lines: bool
    """A match may have several lines."""
    most: int
    """Things after which the search is stopped."""


class Matches:
    """Takes the records of `rg --json`. `is_wanted` says which files may be shown at all."""

    def __init__(self, room: Room, is_wanted: Callable[[str], bool]) -> None:
        self._room = room
        self._is_wanted = is_wanted
        self._current: FileMatches | None = None
        self._kept: list[FileMatches] = []
        self._weight_kept = 0
        self.count = 0
        self.file_count = 0
        self.too_long = 0
        """Matches on lines too long to be read."""
        self.binary: list[str] = []
        """Files that turned out to be binary after a match: their rest was not searched."""

    @property
    def total(self) -> int:
        return self.count if self._room.by_line else self.file_count

    def take(self, records: list[bytes]) -> bool:
        """Only what can be shown is parsed; ripgrep writes the type of a record first."""
        for record in records:
            if record.startswith(b'{"type":"match"'):
                if self._current is not None:
                    self._add(self._current, record, matched=True)
            elif record.startswith(b'{"type":"context"'):
                if self._current is not None:
                    self._add(self._current, record, matched=False)
            elif record.startswith(b'{"type":"begin"'):
                self._begin(json.loads(record)["data"])
            elif record.startswith(b'{"type":"end"') and self._current is not None:
                if _ALL_TEXT not in record:
                    self.binary.append(self._current.path)
                self._finish(self._current)
            if self.total >= self._room.most:
                if self._current is not None:
                    self._finish(self._current)
                return False
        return True

    def files(self) -> list[FileMatches]:
        """The kept ones, in order."""
        return sorted(self._kept, key=lambda file: file.key)

    def _begin(self, data: dict[str, Any]) -> None:
        name = os.fsdecode(_bytes(data["path"])).removeprefix("./")
        self._current = FileMatches(name, in_order(name)) if self._is_wanted(name) else None

    def _add(self, file: FileMatches, record: bytes, *, matched: bool) -> None:
        if not self._room.across_lines:
            self.count += matched
            file.count += matched
            if not self._room.by_line or file.count > self._room.things or self._comes_too_late(file):
                return
        try:
            lines = list(_lines(json.loads(record)["data"], matched=matched))
        except ValueError:
            self.too_long += 1
            return
        if self._room.across_lines:
            self.count += matched * len(lines)
            file.count += matched * len(lines)
        file.lines.extend(lines)

    def _finish(self, file: FileMatches) -> None:
        self._current = None
        if not file.count:
            return
        self.file_count += 1
        if self._comes_too_late(file):
            return
        heapq.heappush(self._kept, file)
        self._weight_kept += self._weight(file)
        while self._weight_kept - self._weight(self._kept[0]) >= self._room.things:
            self._weight_kept -= self._weight(heapq.heappop(self._kept))

    def _comes_too_late(self, file: FileMatches) -> bool:
        """There is no room behind the files that come before it."""
        return self._weight_kept >= self._room.things and file.key > self._kept[0].key

    def _weight(self, file: FileMatches) -> int:
        return file.count if self._room.by_line else 1


def _lines(data: dict[str, Any], *, matched: bool) -> Iterator[Line]:
    """Most often one; a match across lines has more. Only the first is cut around the match."""
    raw = _bytes(data["lines"]).removesuffix(b"\n")
    start = data["submatches"][0]["start"] if data["submatches"] else 0
    for number, line in enumerate(raw.split(b"\n"), data["line_number"]):
        yield Line(number, _clipped(line.removesuffix(b"\r"), start), matched)
        start = 0


def _clipped(raw: bytes, start: int) -> str:
    """The line, or the part around the match: byte offsets are cut to whole characters."""
    if len(raw) <= LONGEST_LINE:
        return raw.decode(errors="replace")
    begin = max(0, min(start - LONGEST_LINE // 4, len(raw) - LONGEST_LINE))
    part = raw[begin : begin + LONGEST_LINE]
    text = part.decode(errors="ignore")
    rest = len(raw) - begin - len(part)
    before = f"[… {counted(begin, 'byte')}] " if begin else ""
    after = f" [… {counted(rest, 'byte')}]" if rest else ""
    return f"{before}{text}{after}"


def _bytes(value: dict[str, str]) -> bytes:
    """ripgrep gives what is not UTF-8 in base64."""
    return base64.b64decode(value["bytes"]) if "bytes" in value else value["text"].encode()

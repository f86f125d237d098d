"""Matches as rows of text for a model. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from handrail.contract.values import value
from handrail.tools.search.matches import FileMatches

OutputMode = Literal["content", "files", "count"]


@value
class Row:
    text: str
    counts: bool = True
    """It shows one of the things that are counted: a matching line, or a file."""


def rows_of(
    files: Iterable[FileMatches], mode: OutputMode, *, gaps: bool, path_of: Callable[[str], str]
) -> Iterator[Row]:
    for number, file in enumerate(files):
        path = path_of(file.path)
        match mode:
            case "files":
                yield Row(path)
            case "count":
                yield Row(f"{path}: {file.count:,}")
            case "content":
                if number:
                    yield Row("", counts=False)
                yield Row(path, counts=False)
                yield from _lines(file, gaps=gaps)


def fitting(rows: Iterable[Row], limit: int, characters: int) -> list[Row]:
    """As many from the start as show `limit` things in so many characters, at least one thing."""
    fit: list[Row] = []
    shown = size = 0
    for row in rows:
        size += len(row.text) + 1
        if shown and (size > characters or (row.counts and shown == limit)):
            break
        fit.append(row)
        shown += row.counts
    while fit and not fit[-1].counts and not fit[-1].text:
        fit.pop()
    return fit


def _lines(file: FileMatches, *, gaps: bool) -> Iterator[Row]:
    """`12:text` for a match, `12-text` for a line around one, `--` where lines are left out between."""
    last = 0
    for line in file.lines:
        if gaps and last and line.number > last + 1:
            yield Row("--", counts=False)
        last = line.number
        yield Row(f"{line.number}{':' if line.matched else '-'}{line.text}", counts=line.matched)

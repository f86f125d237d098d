"""Matches as rows of text for a model. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

from handrail.contract.values import value
from handrail.tools.search.matches import FileMatches, Line

OutputMode = Literal["content", "files", "count"]

MOST_CHARACTERS = 30_000
"""Of one result: about what 7,500 tokens hold."""


@value
class Row:
    text: str
    kind: Literal["counted", "context", "opening"] = "counted"
    """Counted: a matching line, or a file. Opening: it is there for a row that follows."""


@value
class Around:
    """Lines of context that were asked for."""

    before: int = 0
    after: int = 0

    @property
    def any(self) -> bool:
        return bool(self.before or self.after)


def rows_of(
    files: Iterable[FileMatches], mode: OutputMode, skipped: int, around: Around, path_of: Callable[[str], str]
) -> Iterator[Row]:
    """From the matching line, or file, after so many that are skipped."""
    passed, begun = 0, False
    for file in files:
        weight = file.count if mode == "content" else 1
        if passed + weight <= skipped:
            passed += weight
            continue
        path = path_of(file.path)
        match mode:
            case "files":
                yield Row(path)
            case "count":
                yield Row(f"{path}: {file.count:,}")
            case "content":
                if begun:
                    yield Row("", "opening")
                yield Row(path, "opening")
                yield from _lines(_behind(file.lines, skipped - passed, around.before), around)
        passed, begun = max(passed, skipped), True


def fitting(rows: Iterable[Row], limit: int, characters: int) -> list[Row]:
    """As many from the start as show `limit` counted ones in so many characters, at least one."""
    fit: list[Row] = []
    shown = size = 0
    for row in rows:
        size += len(row.text) + 1
        is_counted = row.kind == "counted"
        if shown and (size > characters or (is_counted and shown == limit)):
            break
        fit.append(row)
        shown += is_counted
    while fit and fit[-1].kind == "opening":
        fit.pop()
    return fit


def _behind(lines: Sequence[Line], skipped: int, before: int) -> Sequence[Line]:
    """The lines from the first match after so many, with the context before it."""
    if skipped <= 0:
        return lines
    at = [place for place, line in enumerate(lines) if line.matched]
    if skipped >= len(at):
        return ()
    first = lines[at[skipped]].number
    return [line for line in lines[at[skipped - 1] + 1 :] if line.number >= first - before]


def _lines(lines: Iterable[Line], around: Around) -> Iterator[Row]:
    """`12:text` for a match, `12-text` for a line around one, `--` where lines are left out between."""
    last = matched = 0
    for line in lines:
        if around.any and last and line.number > last + 1:
            yield Row("--", "opening")
        last = line.number
        if line.matched:
            matched = line.number
            yield Row(f"{line.number}:{line.text}")
        else:
            follows = matched and line.number <= matched + around.after
            yield Row(f"{line.number}-{line.text}", "context" if follows else "opening")

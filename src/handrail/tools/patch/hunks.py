"""Applies the hunks of a patch to a file's text: where their lines stand, and nowhere else."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence

from handrail.errors import ToolFailed
from handrail.tools.patch.envelope import Hunk
from handrail.tools.patch.headers import Heading, belongs, headings
from handrail.tools.text.carrying import carried
from handrail.tools.text.changing import has_crlf
from handrail.tools.text.finding import everywhere, line_at
from handrail.tools.text.nearest import nearest, nothing_near
from handrail.tools.text.normal_form import same_but_for_form

_MOST_LINES = 10
_MOST_HEADINGS = 100
"""Looked at above one place: of more, none is what somebody meant by its line."""


def patched(text: str, hunks: Sequence[Hunk], shown: str) -> str:
    """Hunks stand in the order of the file. Raises ToolFailed, in words, for one that does not fit."""
    ending = "\r\n" if has_crlf(text) else "\n"
    added = "" if not text or text.endswith("\n") else ending
    text += added
    pieces: list[str] = []
    done = 0
    for number, hunk in enumerate(hunks, 1):
        start, end = _place(text, done, hunk, f"Hunk {number} of {shown}")
        old, new = ("".join(f"{line}\n" for line in lines) for lines in (hunk.old, hunk.new))
        pieces += (text[done:start], carried(text, start, end, old, new) if old else new.replace("\n", ending))
        done = end
    whole = "".join([*pieces, text[done:]])
    final = next((hunk.final_newline for hunk in reversed(hunks) if hunk.final_newline is not None), not added)
    return whole if final else whole.removesuffix("\n").removesuffix("\r")


def _place(text: str, done: int, hunk: Hunk, name: str) -> tuple[int, int]:
    if not hunk.old:
        if hunk.at_end or not text:
            return len(text), len(text)
        raise ToolFailed(
            f"{name} only adds lines, and does not say where. Give the lines around them, each after a space; or "
            "`*** End of File` after them, to add them there."
        )
    find = _alike if hunk.headers else everywhere
    places = [
        (done + start, done + end)
        for start, end in _lines_of(text[done:], hunk.old, find)
        if not hunk.at_end or done + end == len(text)
    ]
    if hunk.headers and places:
        places = _below(text, done, hunk.headers, places, name)
    if not places:
        raise ToolFailed(_not_found(text, done, hunk, name))
    if len(places) > 1:
        raise ToolFailed(
            f"{name} stands at {_told(text, places)}. Give more of the lines around it, or the line that its class or "
            "function begins with after `@@`."
        )
    return places[0]


def _alike(text: str, old: str) -> list[tuple[int, int]]:
    """All places, those that are only the same in the normal form included: the nearest to a header may be one."""
    return sorted({*everywhere(text, old), *same_but_for_form(text, old)})


def _lines_of(
    text: str, lines: Sequence[str], find: Callable[[str, str], Iterable[tuple[int, int]]]
) -> list[tuple[int, int]]:
    """Where these lines stand as whole lines."""
    framed = f"\n{text}"
    places = find(framed, "".join(["\n", *(f"{line}\n" for line in lines)]))
    return list(dict.fromkeys((framed.index("\n", start), end - 1) for start, end in places))


def _below(
    text: str, done: int, headers: Sequence[str], places: Sequence[tuple[int, int]], name: str
) -> list[tuple[int, int]]:
    """The places that headers leave: all below them where there is only one in the file, else those that belong."""
    found = headings(text, done, headers)
    if not found:
        raise ToolFailed(f"{name}: its header `{headers[-1]}` is not in the file there. Give that line as it is.")
    if len(places) == 1:
        return [place for place in places if place[0] >= found[0].end]
    chosen = [place for place, above in _with_headings(places, found) if _belongs_to_any(above, text, place[0])]
    if not chosen:
        raise ToolFailed(
            f"{name} stands at {_told(text, places)}, and at none that belongs to its header `{headers[-1]}`. "
            "Read the file, and give more of the lines around the change."
        )
    return chosen


def _with_headings(
    places: Sequence[tuple[int, int]], found: Sequence[Heading]
) -> Iterator[tuple[tuple[int, int], Sequence[Heading]]]:
    """Each place with the headings between the place before and it. Both are in the order of the file."""
    done = 0
    for place in places:
        next_one = bisect_right(found, place[0], lo=done, key=lambda heading: heading.end)
        yield place, found[done:next_one]
        done = next_one


def _belongs_to_any(above: Sequence[Heading], text: str, place: int) -> bool:
    """The nearest first: it is mostly the one."""
    return any(belongs(heading, text, place) for heading in above[: -_MOST_HEADINGS - 1 : -1])


def _told(text: str, places: Sequence[tuple[int, int]]) -> str:
    lines = ", ".join(f"{line_at(text, start):,}" for start, _ in places[:_MOST_LINES])
    return f"{len(places):,} places: lines {lines}"


def _not_found(text: str, done: int, hunk: Hunk, name: str) -> str:
    if elsewhere := _lines_of(text, hunk.old, everywhere):
        return _misplaced(text, done, hunk, elsewhere[-1][0], name)
    after = f" after line {line_at(text, done) - 1:,}, where the hunk before it ends" if done else ""
    where = " at the end of the file" if hunk.at_end else after
    near = nearest(text, "\n".join(hunk.old))
    if near is None:
        return f"{name} was not found{where}. {nothing_near(text, 'it', 'the file')} Read the file and try again."
    return (
        f"{name} was not found{where}. Nearest: line {near.line:,}, which {near.difference('the hunk')}. "
        f"Read lines {near.first:,}-{near.last:,} and try again."
    )


def _misplaced(text: str, done: int, hunk: Hunk, place: int, name: str) -> str:
    """Its lines stand somewhere, but not where they are to stand."""
    stands = f"{name} stands at line {line_at(text, place):,}"
    if place < done:
        return (
            f"{stands}, and the hunk before it ends with line {line_at(text, done) - 1:,}. Give the hunks in the order "
            "of the file, and make one of two that overlap."
        )
    if hunk.at_end:
        return f"{stands}, and not at the end of the file. Leave `*** End of File` out, or give the file's last lines."
    return f"{stands}, above its header `{hunk.headers[-1]}`. Give the line that it belongs to, or no header."

"""Applies the hunks of a patch to a file's text: where their lines stand, and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence

from handrail.errors import ToolFailed
from handrail.tools.patch.envelope import Hunk
from handrail.tools.text.carrying import carried
from handrail.tools.text.changing import has_crlf
from handrail.tools.text.finding import everywhere, line_at
from handrail.tools.text.nearest import nearest

_MOST_LINES = 10


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
    places = [
        (done + start, done + end)
        for start, end in _lines_of(text[done:], hunk.old)
        if not hunk.at_end or done + end == len(text)
    ]
    if hunk.headers and places:
        places = _below(text, done, hunk.headers, places, name)
    if not places:
        raise ToolFailed(_not_found(text, done, hunk, name))
    if len(places) > 1:
        lines = ", ".join(f"{line_at(text, start):,}" for start, _ in places[:_MOST_LINES])
        raise ToolFailed(
            f"{name} stands at {len(places):,} places: lines {lines}. Give more of the lines around it, or the line "
            "that its class or function begins with after `@@`."
        )
    return places[0]


def _lines_of(text: str, lines: Sequence[str]) -> list[tuple[int, int]]:
    """Where these lines stand as whole lines."""
    framed = f"\n{text}"
    places = everywhere(framed, "".join(["\n", *(f"{line}\n" for line in lines)]))
    return [(framed.index("\n", start), end - 1) for start, end in places]


def _below(
    text: str, done: int, headers: Sequence[str], places: Sequence[tuple[int, int]], name: str
) -> list[tuple[int, int]]:
    """The places that come next after the headers: one for each place at which those stand."""
    starts = [done]
    for header in headers:
        starts = [end for start in starts for _, end in _lines_with(text, start, header)]
        if not starts:
            raise ToolFailed(f"{name}: its header `{header}` is not in the file there. Give that line as it is.")
    nearest_below = (next((place for place in places if place[0] >= start), None) for start in starts)
    return list(dict.fromkeys(place for place in nearest_below if place is not None))


def _lines_with(text: str, start: int, header: str) -> list[tuple[int, int]]:
    """Lines that are the header, but for blanks at both ends."""
    found: list[tuple[int, int]] = []
    wanted = header.strip()
    at = text.find(wanted, start)
    while at >= 0:
        begin, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
        end = len(text) if end < 0 else end + 1
        if begin >= start and text[begin:end].strip() == wanted:
            found.append((begin, end))
        at = text.find(wanted, end)
    return found


def _not_found(text: str, done: int, hunk: Hunk, name: str) -> str:
    after = f" after line {line_at(text, done) - 1:,}, where the hunk before it ends" if done else ""
    where = " at the end of the file" if hunk.at_end else after
    near = nearest(text, "\n".join(hunk.old))
    if near is None:
        return f"{name} was not found{where}. Nothing in the file is like it. Read the file and try again."
    return (
        f"{name} was not found{where}. Nearest: line {near.line:,}, which {near.difference('the hunk')}. "
        f"Read lines {near.first:,}-{near.last:,} and try again."
    )

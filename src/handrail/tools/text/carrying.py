"""New text as it comes to its place in a file. Pure.

Lines that the old text and the new have in common stay as the file has them, with their own line endings and whatever
else was seen through to find the place; new lines take the line endings of the place.
"""

from __future__ import annotations

from collections.abc import Sequence

from handrail.contract.line_diff import changes


def carried(text: str, start: int, end: int, old: str, new: str) -> str:
    """What takes the place of `text[start:end]`, which is `old` in the file's own way of writing."""
    place = text[start:end]
    if place == old and "\n" not in text:
        return new
    if place == old and "\r" not in text:
        return new.replace("\r\n", "\n")
    lines = place.split("\n")
    kept = [line.removesuffix("\r") for line in lines[:-1]] + lines[-1:]
    endings = ["\r\n" if line.endswith("\r") else "\n" for line in lines[:-1]]
    old_lines, new_lines = (some.replace("\r\n", "\n").split("\n") for some in (old, new))
    sources = _sources(old_lines, new_lines)
    contents = [
        new_line if source is None else kept[source] for new_line, (source, _) in zip(new_lines, sources, strict=True)
    ]
    if not endings:
        ending = _ending_near(text, end)
        return ending.join(contents)
    chosen = _chosen([near for _, near in sources[:-1]], endings)
    return "".join(line + ending for line, ending in zip(contents, [*chosen, ""], strict=True))


def _sources(old: Sequence[str], new: Sequence[str]) -> list[tuple[int | None, int]]:
    """For each new line, the old line that it is, and the old line whose ending it takes."""
    sources: list[tuple[int | None, int]] = []
    at = 0
    for change in changes(old, new):
        sources += ((index, index) for index in range(at, change.old_start))
        last = max(change.old_end - 1, change.old_start)
        for offset in range(change.new_end - change.new_start):
            sources.append((None, min(change.old_start + offset, last)))
        at = change.old_end
    return sources + [(index, index) for index in range(at, len(old))]


def _chosen(stead: Sequence[int], endings: Sequence[str]) -> list[str]:
    return [endings[min(index, len(endings) - 1)] for index in stead]


def _ending_near(text: str, position: int) -> str:
    """The ending of the line there; of the line before, where that one has none."""
    at = text.find("\n", position)
    if at < 0:
        at = text.rfind("\n", 0, position)
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"

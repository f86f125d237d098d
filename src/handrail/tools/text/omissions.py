"""A line that stands for code its author left out: written to a file, it would take that code's place. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources

from handrail.errors import ToolFailed

_LONGEST = 120
"""Characters; whoever writes more says something."""
_DOTS = r"\.{2,}|\u2026"
_MARKS = r"//+!?|/\*+|\*+/|#+|--+|<!--|-->|;+|%+|\*|\"\"\"|'''|[\[\](){}<>]"
_AT_START = re.compile(rf"(?:(?P<dots>{_DOTS})|(?P<marks>{_MARKS})|[\s,:])+")
_AT_END = re.compile(rf"(?:(?P<dots>{_DOTS})|(?P<marks>{_MARKS})|[\s,.:])+\Z")
_SPREAD = re.compile(r"[\[({]\s*\.\.\.\w")
"""`[...rest]` is code."""
_ANY = re.compile(rf"{_DOTS}|unchanged|omitted|same|as is|before|goes here", re.IGNORECASE)


def refuse_omissions(new: str, old: str, shown: str) -> None:
    """Raises ToolFailed for new text with such a line that the old text has not."""
    there = Counter(omissions(old))
    for line in omissions(new):
        there[line] -= 1
        if there[line] < 0:
            raise ToolFailed(
                f"The text for {shown} has the line `{line}`, which stands for code that was left out: written to the "
                "file, it would take that code's place. Nothing was written. Write all lines, or edit only those that "
                "change."
            )


def omissions(text: str) -> Iterator[str]:
    """The lines that stand for others, without the blanks around them."""
    if _ANY.search(text):
        yield from (bare for line in text.split("\n") if _stands_for_others(bare := line.strip()))


def _stands_for_others(line: str) -> bool:
    if len(line) > _LONGEST or not _ANY.search(line) or _SPREAD.match(line):
        return False
    start, end = _AT_START.match(line), _AT_END.search(line)
    words = line[start.end() if start else 0 : end.start() if end else len(line)].lower()
    dotted = any(side and side["dots"] for side in (start, end))
    commented = bool(start and start["marks"])
    patterns = _patterns()
    kinds = [kind for kind, holds in _kinds(dotted, commented) if holds]
    return any(patterns[kind].fullmatch(" ".join(words.split())) for kind in kinds)


def _kinds(dotted: bool, commented: bool) -> tuple[tuple[str, bool], ...]:
    return ("dotted", dotted), ("dotted_comment", dotted and commented), ("comment", commented)


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    import tomllib  # most calls hold nothing that looks like an omission

    data = tomllib.loads(resources.files("handrail.tools.text").joinpath("omissions.toml").read_text("utf-8"))
    words = {key: "".join(text.split("\n")) for key, text in data.items() if isinstance(text, str)}
    return {
        kind: re.compile("|".join(pattern.format(**words) for pattern in patterns))
        for kind, patterns in data.items()
        if isinstance(patterns, list)
    }

"""Facts in a Markdown file: each is an item of a list, and all else in the file is the person's. Pure.

A fact is one line, and can be nothing but text in it: what would begin a heading, a list, a quote, a fence or HTML is
escaped as CommonMark has it (section 2.4, backslash escapes).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from handrail.contract.values import value
from handrail.tools.planning.lines import one_line

HEADING = "# Memory"

_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_BLOCK_BEGINS = re.compile(r"[#>+*=~|`:_\[\]-]|\d+(?=[.)])")
_ITEM = re.compile(r"- (?P<text>.*)")
_FENCE = re.compile(r" {0,3}(?P<fence>```+|~~~+)")


@value
class Fact:
    text: str
    """As it was said: one line, without escapes."""
    first: int
    """Its first line in the file, from 0, and the line behind its last."""
    end: int


def facts_in(content: str) -> tuple[Fact, ...]:
    return tuple(_facts(content.split("\n")))


def with_fact(content: str, fact: str) -> str:
    """The file with one more fact, behind the last one; every other byte stays."""
    new = f"- {escaped(fact)}"
    if not content.strip():
        return f"{HEADING}\n\n{new}\n"
    lines = content.split("\n")
    ending = "\r" if lines[0].endswith("\r") else ""
    if found := facts_in(content):
        if found[-1].end == len(lines):  # the file ends without a line feed
            lines[-1] += ending
            return "\n".join([*lines, new])
        return "\n".join([*lines[: found[-1].end], new + ending, *lines[found[-1].end :]])
    gap = "" if content.endswith("\n") else f"{ending}\n"
    return f"{content}{gap}{ending}\n{new}{ending}\n"


def without_fact(content: str, fact: Fact) -> str:
    lines = content.split("\n")
    return "\n".join([*lines[: fact.first], *lines[fact.end :]])


def escaped(fact: str) -> str:
    """One line that is a paragraph of plain text in a list's item."""
    text = one_line(fact).replace("\\", "\\\\").replace("<", "\\<")
    begins = _BLOCK_BEGINS.match(text)
    if begins is None:
        return text
    return f"{begins[0]}\\{text[begins.end() :]}" if begins[0].isdigit() else f"\\{text}"


def unescaped(text: str) -> str:
    return _ESCAPED.sub(r"\1", text)


def _facts(lines: list[str]) -> Iterator[Fact]:
    """Items at the margin, each with the indented lines below it; none within a fence, which is code."""
    fence, place = "", 0
    while place < len(lines):
        line, first = lines[place].rstrip("\r"), place
        place += 1
        if found := _FENCE.match(line):
            fence = "" if fence and found["fence"].startswith(fence) else fence or found["fence"]
        elif not fence and (item := _ITEM.fullmatch(line)):
            while place < len(lines) and lines[place].startswith(("  ", "\t")) and lines[place].strip():
                place += 1
            more = (each.strip() for each in lines[first + 1 : place])
            yield Fact(unescaped(" ".join((item["text"].strip(), *more))), first, place)

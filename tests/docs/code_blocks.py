"""The code blocks of a page, and what the comment before each says about how it is run.

    <!-- test: server=anthropic plays=tide -->     a local server of that wire plays a script of `doc_scripts`
    <!-- test: given=client,model,messages -->     these names are there before it starts
    <!-- test: continues -->                       goes on where the block before it ended
    <!-- test: pytest -->                          is a file of tests, and they pass
    <!-- prints -->                                before a `text` block: what the code before it prints
    <!-- excerpt: why it can't run -->             is not run

A block without a comment runs by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

_BLOCK = re.compile(
    r"(?:^<!-- (?P<mark>[^\n]*) -->\n+)?^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE
)
_WORDS = frozenset({"server", "plays", "given", "continues", "pytest"})


@dataclass(frozen=True)
class Block:
    """One block of Python. `line` is where its code starts, for tracebacks."""

    page: Path
    line: int
    text: str
    words: dict[str, str]
    excerpt: str | None = None
    prints: str | None = None
    """What it must print; None where the page doesn't say."""


def blocks_of(page: Path) -> list[Block]:
    """The page's Python, in order. Raises ValueError for a comment that says nothing known."""
    source = page.read_text("utf-8")
    blocks: list[Block] = []
    for found in _BLOCK.finditer(source):
        mark, text = found["mark"] or "", found["text"]
        line = source.count("\n", 0, found.start("text")) + 1
        if found["language"] == "python":
            blocks.append(_block(page, line, text, mark))
        elif mark == "prints":
            blocks[-1] = replace(blocks[-1], prints=text)
    return blocks


def chains_of(page: Path) -> Iterator[list[Block]]:
    """The blocks that are run, each with those that go on where it ended."""
    chain: list[Block] = []
    for block in blocks_of(page):
        if block.excerpt is not None:
            continue
        if "continues" not in block.words and chain:
            yield chain
            chain = []
        chain.append(block)
    if chain:
        yield chain


def _block(page: Path, line: int, text: str, mark: str) -> Block:
    kind, _, said = mark.partition(": ")
    if kind == "excerpt":
        return Block(page, line, text, {}, excerpt=said.strip())
    words = dict(word.partition("=")[::2] for word in said.split()) if kind == "test" else {}
    if kind not in ("", "test") or not words.keys() <= _WORDS:
        raise ValueError(f"{page}:{line}: the comment before the code says {mark!r}, which means nothing")
    return Block(page, line, text, words)

"""Markdown as lines for a terminal. Importing this costs about as much as all of the start up to the prompt."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Protocol

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Heading, Markdown, Paragraph
from rich.theme import Theme

from handrail.surfaces.cli.text import printable

NARROWEST = 20
"""Columns below which text is no longer laid out, but left to wrap."""

_THEME = Theme({"markdown.code": "cyan", "markdown.h1": "bold underline", "markdown.block_quote": "dim"})


class _LeftHeading(Heading):
    """Headings stand on the left: there is no page to be in the middle of."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.text.justify = "left"
        yield self.text


class _Token(Protocol):
    """What is used here of a piece of parsed Markdown."""

    type: str
    content: str

    @property
    def children(self) -> Iterable[_Token] | None: ...


class _Inline(Markdown):
    """Tags are text like any other: rich leaves them out, `Vec<String>` and what stands within `<details>` included."""

    elements = {  # noqa: RUF012 (rich reads it off the class)
        **Markdown.elements,
        "heading_open": _LeftHeading,
        "html_block": Paragraph,
    }

    def __init__(self, text: str) -> None:
        super().__init__(text, hyperlinks=False, code_theme="ansi_dark")
        _show_all(self.parsed)


def _show_all(tokens: Iterable[_Token]) -> None:
    for token in tokens:
        if token.type == "html_inline":
            token.type = "text"
        elif token.type == "html_block":
            token.content = token.content.rstrip("\n")
        # An entity (`&#x202e;`) stands for a character that is only there once the text is parsed.
        token.content = printable(token.content, keep_lines=True)
        _show_all(token.children or ())


def markdown_lines(text: str, width: int, *, colour: bool) -> list[str]:
    """Laid out for `width` columns. What a terminal would obey is made visible first; links keep their addresses."""
    out = io.StringIO()
    console = Console(
        file=out,
        width=max(width, NARROWEST),
        force_terminal=colour,
        color_system="standard" if colour else None,
        legacy_windows=False,
        highlight=False,
        theme=_THEME,
    )
    shown = printable(text.expandtabs(4), keep_lines=True)
    console.print(_Inline(shown))
    return _trimmed([line.rstrip() for line in out.getvalue().split("\n")])


def _trimmed(lines: list[str]) -> list[str]:
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return lines

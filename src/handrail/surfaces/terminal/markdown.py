"""Markdown as lines for a terminal. Importing this costs about as much as all of the start up to the prompt."""

from __future__ import annotations

import io

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Heading, Markdown
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


class _Inline(Markdown):
    elements = {**Markdown.elements, "heading_open": _LeftHeading}  # noqa: RUF012 (rich reads it off the class)


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
    console.print(_Inline(shown, hyperlinks=False, code_theme="ansi_dark"))
    return _trimmed([line.rstrip() for line in out.getvalue().split("\n")])


def _trimmed(lines: list[str]) -> list[str]:
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return lines

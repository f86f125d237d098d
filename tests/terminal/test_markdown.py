"""Markdown as lines: laid out for the width, and nothing in it that a terminal obeys."""

from __future__ import annotations

import pytest

from handrail.surfaces.terminal.markdown import markdown_lines

SHOWN = [
    ("# Title", ["Title"]),
    ("**bold** `code`", ["bold code"]),
    ("[link](http://x.y/z)", ["link (http://x.y/z)"]),
    ("3. three\n4. four", [" 3 three", " 4 four"]),
    ("- a\n  - b", [" • a", "    • b"]),
    ("```\n  code\n```", ["   code"]),
    ("one two three four five six", ["one two three four", "five six"]),
    ("Vec<String> stays", ["Vec<String> stays"]),
    ("a</kbd> b", ["a</kbd> b"]),
    ("<p>\nin it\n</p>", ["<p>", "in it", "</p>"]),
    ("<!-- note -->\n\nend", ["<!-- note -->", "", "end"]),
]


@pytest.mark.parametrize(("text", "lines"), SHOWN)
def test_markdown_is_laid_out_for_the_width(text: str, lines: list[str]) -> None:
    assert markdown_lines(text, 20, colour=False) == lines


@pytest.mark.parametrize("colour", [True, False])
@pytest.mark.parametrize(
    "text",
    [
        "\x1b[2Jx",
        "`\x1b]0;title\x07`",
        "```\n\x9b31m\n```",
        "[a](http://x/\x1b[1m)",
        "\u202eabc",
        "&#x202e;abc",
        "**&#8238;&#27;[2J** &#x9b;",
        "[&#x202e;](http://x/&#x202e;)",
    ],
)
def test_no_sequence_of_the_text_itself_reaches_the_terminal(text: str, colour: bool) -> None:
    shown = "\n".join(markdown_lines(text, 60, colour=colour))
    for hidden in ("\x1b[2J", "\x1b]", "\x07", "\x9b", "\x1b[1m)", "\u202e"):
        assert hidden not in shown

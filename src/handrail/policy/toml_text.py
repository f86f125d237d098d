"""TOML as files of settings and policies hold it: parsed, or told with a line why it can't be. Pure."""

from __future__ import annotations

import re

MOST_STEPS = 50
"""Of a dotted name: the parser's time grows with the square of them, and a file that came with a repository is read
before anybody trusts it."""
_APART = re.compile(
    r'''"""(?:[^"\\]++|\\.|"(?!""))*+(?:"{3,5}+|\Z)|"(?:[^"\\\n]++|\\.)*+"?|'''
    r"""'''(?:[^']++|'(?!''))*+(?:'{3,5}+|\Z)|'[^'\n]*+'?|\#[^\n]*+""",
    re.DOTALL,
)
"""Strings and comments; one without an end takes the rest: it is looked at once."""
_NAME = re.compile(r"[\w\-\". \t]++")


class NotToml(Exception):
    """The text is no TOML, so nothing that it says can be known. The message is a clause without the line."""

    def __init__(self, line: int, problem: str) -> None:
        self.line = line
        super().__init__(problem)


def normalized(text: str) -> str:
    """Without a byte order mark, and with line ends as TOML has them."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def parsed(text: str) -> dict[str, object]:
    """What a normalized text says. Raises NotToml."""
    import tomllib

    _check_names(text)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits is no TOMLDecodeError
        raise _not_toml(error, text) from error


def _check_names(text: str) -> None:
    bare = _APART.sub(lambda found: '"' + "\n" * found[0].count("\n"), text)
    for name in _NAME.finditer(bare):
        if name[0].count(".") >= MOST_STEPS:
            line = bare.count("\n", 0, name.start()) + 1
            raise NotToml(line, f"a name has more than {MOST_STEPS} parts between dots")


def _not_toml(error: Exception, text: str) -> NotToml:
    """The parser's message with its line taken out."""
    message = str(error)
    place = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", message)
    line = int(place[1]) if place and place[1] else text.count("\n") + 1
    return NotToml(line, f"not valid TOML: {message[: place.start()] if place else message}")

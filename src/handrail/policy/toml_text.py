"""TOML as files of settings and policies hold it: parsed, or told with a line why it can't be. Pure."""

from __future__ import annotations

import re


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

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits is no TOMLDecodeError
        raise _not_toml(error, text) from error


def _not_toml(error: Exception, text: str) -> NotToml:
    """The parser's message with its line taken out."""
    message = str(error)
    place = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", message)
    line = int(place[1]) if place and place[1] else text.count("\n") + 1
    return NotToml(line, f"not valid TOML: {message[: place.start()] if place else message}")

"""JSON as other agents' settings hold it: with comments, and with a comma behind the last item. Pure."""

from __future__ import annotations

import json
import re

_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/|,(?=(?:\s|//[^\n]*|/\*.*?\*/)*[}\]])', re.DOTALL)


class NotJson(Exception):
    """The text is no JSON object. The message is a clause without the line."""

    def __init__(self, line: int, problem: str) -> None:
        self.line = line
        super().__init__(problem)


def parsed(text: str) -> dict[str, object]:
    """What a text says; `//` and `/* */` are comments. Raises NotJson."""
    try:
        document = json.loads(_TOKEN.sub(_blank, text.removeprefix("\ufeff")))
    except json.JSONDecodeError as error:
        raise NotJson(error.lineno, f"not valid JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits; a thousand brackets
        raise NotJson(1, f"not valid JSON: {error}") from error
    if not isinstance(document, dict):
        raise NotJson(1, "no JSON object")
    return document


def _blank(token: re.Match[str]) -> str:
    """Texts stay; of the rest the lines stay, so that errors are where the person looks."""
    text = token[0]
    return text if text.startswith('"') else "\n" * text.count("\n") or " "

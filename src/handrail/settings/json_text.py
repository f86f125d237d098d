"""JSON as other agents' settings hold it: with comments, and with a comma behind the last item. Pure."""

from __future__ import annotations

import json
import re

_TEXT = r'"(?:[^"\\\n]|\\.)*+"?'
"""Also one without an end, of which the parser tells: a search that tried again behind it would look at all of a file
once for each quote."""
_COMMENT = re.compile(rf"{_TEXT}|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_LAST_COMMA = re.compile(rf"{_TEXT}|,(?=\s*[}}\]])", re.DOTALL)


class NotJson(Exception):
    """The text is no JSON object. The message is a clause without the line."""

    def __init__(self, line: int, problem: str) -> None:
        self.line = line
        super().__init__(problem)


def parsed(text: str) -> dict[str, object]:
    """What a text says; `//` and `/* */` are comments. Raises NotJson."""
    try:
        plain = _COMMENT.sub(_blank, text.removeprefix("\ufeff"))
        document = json.loads(_LAST_COMMA.sub(_blank, plain))
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
    stays = text.startswith('"') or (text.startswith("/*") and not text.endswith("*/")) or text == "/*/"
    return text if stays else "\n" * text.count("\n") or " "

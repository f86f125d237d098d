"""How a JSON text is laid out, so that what is put into it looks like the rest."""

from __future__ import annotations

import json
import re

from handrail.contract.basics import Json
from handrail.contract.values import value
from handrail.tools.notebook import spans
from handrail.tools.notebook.spans import Span

_ESCAPED = re.compile(r"\\u(?!00[0-7])[0-9a-fA-F]{4}")


@value
class Form:
    indent: str | None
    """Of one level; None where all is on one line."""
    comma: str
    colon: str
    escapes: bool
    """Characters that are not ASCII are written as `\\u00e9`."""
    newline: str

    @classmethod
    def of(cls, text: str, root: Span) -> Form:
        """Of a text whose root is an object that has members."""
        key, item = next(iter(spans.members(text, root).items()))
        begin = text.index('"', root.start)
        blank = blank_before(text, begin)
        lies_on_lines = "\n" in blank
        colon = text[begin + len(key) + 2 : item.start]
        comma = ", " if text[item.end : item.end + 2] == ", " else ","
        return cls(
            indent=blank.rpartition("\n")[2] if lies_on_lines else None,
            comma="," if lies_on_lines else comma,
            colon=colon if colon.strip() == ":" else ": ",
            escapes=text.isascii() and _ESCAPED.search(text) is not None,
            newline="\r\n" if "\r\n" in text else "\n",
        )

    def written(self, item: Json, text: str, at: int) -> str:
        """The value as it would stand at that place in the text."""
        plain = json.dumps(item, ensure_ascii=self.escapes, indent=self.indent, separators=(self.comma, self.colon))
        return plain.replace("\n", self.newline + _indent_of_line(text, at))


def blank_before(text: str, at: int) -> str:
    return text[len(text[:at].rstrip(" \t\r\n")) : at]


def _indent_of_line(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]

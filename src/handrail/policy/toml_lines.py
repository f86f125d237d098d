"""On which line of a TOML text each table starts and each key stands: what the parser doesn't tell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field

from handrail.contract.values import mutable

_HEADER = re.compile(r"[ \t]*+(\[\[?)(.*?)\]\]?[ \t]*+(?:#[^\n]*)?(?=\n|$)")
_KEY = re.compile(r"""[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([A-Za-z0-9_-]+))[ \t]*[.=]""")
_STRINGS = ('"""', "'''", '"', "'")


@mutable
class TableLines:
    """One `[table]` or `[[table]]` as it stands in the text; the first has no name and is the top of the file."""

    name: str
    line: int
    is_array: bool = False
    keys: dict[str, int] = field(default_factory=dict)

    def of(self, key: str) -> int:
        """The line of a key, or of the table where the key isn't found."""
        return self.keys.get(key, self.line)


def table_lines(text: str) -> list[TableLines]:
    """The tables of a valid TOML text, in its order. What stands in strings and arrays is not taken for one."""
    tables = [TableLines("", 1)]
    for line, start in _statements(text):
        header = _HEADER.match(text, start)
        key = _KEY.match(text, start)
        if header:
            tables.append(TableLines(header[2].strip(" \t").strip("\"'"), line, header[1] == "[["))
        elif key:
            tables[-1].keys.setdefault(key[1] or key[2] or key[3], line)
    return tables


def _statements(text: str) -> Iterator[tuple[int, int]]:
    """Line and offset of every line that begins a statement: not in a string, not in an array."""
    position, line = 0, 1
    while position < len(text):
        yield line, position
        end = _end_of_statement(text, position)
        line += text.count("\n", position, end)
        position = end


def _end_of_statement(text: str, position: int) -> int:
    """The offset behind the newline that ends the statement which starts at `position`."""
    depth = 0
    while position < len(text):
        character = text[position]
        quote = next((q for q in _STRINGS if text.startswith(q, position)), "")
        if quote:
            position = _end_of_string(text, position + len(quote), quote)
            continue
        if character == "#":
            end = text.find("\n", position)
            position = len(text) if end < 0 else end
            continue
        depth += (character in "[{") - (character in "]}")
        position += 1
        if character == "\n" and depth <= 0:
            break
    return position


def _end_of_string(text: str, position: int, quote: str) -> int:
    while position < len(text):
        if text[position] == "\\" and quote[0] == '"':
            position += 2
        elif text.startswith(quote, position):
            position += len(quote)
            while len(quote) == 3 and text.startswith(quote[0], position):
                position += 1  # a multi-line string may end in quotes of its own
            return position
        else:
            position += 1
    return position

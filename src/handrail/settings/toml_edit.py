"""Puts a table into a TOML text, or takes one out, and leaves every other character as it is. Pure.

The text is edited by lines and read again: where it does not say then exactly what it should, nothing is changed and
a person is told to edit it themselves.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from handrail.policy.toml_lines import table_lines
from handrail.policy.toml_text import NotToml, normalized, parsed

Content: TypeAlias = Mapping[str, "str | int | float | bool | Sequence[str] | Mapping[str, str]"]
"""Of one table: inner tables are written in one line."""

_BARE = re.compile(r"[A-Za-z0-9_-]+")


class CantEdit(Exception):
    """The message is a clause: why, and what a person has to do."""


def with_table(text: str, path: Sequence[str], content: Content) -> str:
    """The text with a new table at its end. Raises CantEdit, NotToml."""
    before = parsed(normalized(text))
    if _at(before, path) is not None:
        raise CantEdit(f"{_dotted(path)} is there already; remove it first, or edit the file")
    lines = [f"[{_dotted(path)}]", *(f"{_key(name)} = {_value(value)}" for name, value in content.items())]
    end = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text.strip() else end if text.endswith("\n") else end * 2
    made = text + gap + end.join(lines) + end
    wanted = copy.deepcopy(before)
    parent = wanted
    for step in path[:-1]:
        inner = parent.setdefault(step, {})
        if not isinstance(inner, dict):
            raise CantEdit(f"{step} is no table; edit the file")
        parent = inner
    parent[path[-1]] = _plain(content)
    return _checked(made, wanted, f"{_dotted(path[:-1])} is written in one line, to which nothing can be added")


def without_table(text: str, path: Sequence[str]) -> str:
    """The text without a table and all in it. Comments stay. Raises CantEdit, NotToml."""
    before = parsed(normalized(text))
    if _at(before, path) is None:
        raise CantEdit(f"there is no {_dotted(path)}")
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    starts = [table.line - 1 for table in table_lines(normalized(text))[1:]]
    ends = [*starts[1:], len(lines)]
    for start, end in reversed(list(zip(starts, ends, strict=False))):
        if _path_of(lines[start])[: len(path)] == list(path):
            _cut(lines, start, end)
    wanted = copy.deepcopy(before)
    _take_out(wanted, path)
    return _checked("".join(lines), wanted, f"{_dotted(path)} is written in the midst of other things")


def _cut(lines: list[str], start: int, end: int) -> None:
    """What stands behind the table's last value belongs to the next one."""
    while end > start + 1 and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
        end -= 1
    del lines[start:end]
    if start and start < len(lines) and not lines[start].strip() and not lines[start - 1].strip():
        del lines[start]
    if start == len(lines):
        while lines and not lines[-1].strip():
            lines.pop()


def _path_of(header: str) -> list[str]:
    """The keys of `[a."b c"]`; of `[[a]]` too."""
    path: list[str] = []
    found: object = parsed(normalized(header))
    while isinstance(found, dict) and found:
        ((step, found),) = found.items()
        path.append(step)
        found = found[0] if isinstance(found, list) else found
    return path


def _checked(made: str, wanted: dict[str, object], otherwise: str) -> str:
    try:
        made.encode()
        said = parsed(normalized(made))
    except UnicodeEncodeError as error:
        raise CantEdit("some of it is no UTF-8, which no TOML file can hold; give it another name") from error
    except NotToml:
        said = {}
    if _pruned(said) != _pruned(wanted):
        raise CantEdit(f"{otherwise}; edit the file")
    return made


def _pruned(table: object) -> object:
    """Without empty tables: whether `[mcp.servers]` stands there alone makes no difference."""
    if not isinstance(table, dict):
        return table
    inner = {name: _pruned(value) for name, value in table.items()}
    return {name: value for name, value in inner.items() if value != {}}


def _at(document: object, path: Sequence[str]) -> object:
    for step in path:
        document = document.get(step) if isinstance(document, dict) else None
    return document


def _take_out(document: dict[str, object], path: Sequence[str]) -> None:
    inner = _at(document, path[:-1])
    if isinstance(inner, dict):
        inner.pop(path[-1], None)


def _plain(content: Content) -> dict[str, object]:
    return {
        name: dict(value)
        if isinstance(value, Mapping)
        else value
        if isinstance(value, str | int | float)
        else list(value)
        for name, value in content.items()
    }


def _dotted(path: Sequence[str]) -> str:
    return ".".join(map(_key, path))


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _value(name)


def _value(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            # A TOML basic string is a JSON one, save that it holds no DEL.
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case int() | float():
            return repr(value)
        case Mapping():
            return "{ " + ", ".join(f"{_key(name)} = {_value(inner)}" for name, inner in value.items()) + " }"
        case Sequence():
            return "[" + ", ".join(map(_value, value)) + "]"
        case _:
            raise TypeError(type(value).__name__)

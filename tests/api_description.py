"""The public API as data: names, fields, signatures, members, so that a change of it is seen."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields, is_dataclass
from types import FunctionType
from typing import Any

_HEIRLOOMS = ("builtins", "typing", "abc", "enum", "dataclasses")
"""Modules whose members a class has from elsewhere."""

_MADE_ELSEWHERE = frozenset({"BlockingSession", "FunctionTool", "Session"})
"""Made by `Session.open`, `Session.open_sync` and `@tool`: their constructors are nobody's to call."""


def description(value: Any) -> Any:
    """A function's signature; a class's fields or constructor, and its members; what an alias stands for."""
    if not isinstance(value, type):
        return str(inspect.signature(value)) if inspect.isroutine(value) else f"= {value}"
    if issubclass(value, enum.Enum):
        return {"values": {member.name: member.value for member in value}}
    found: dict[str, Any] = {"is": [base.__name__ for base in value.__mro__[1:] if _ours(base)]}
    if is_dataclass(value):
        found["fields"] = {each.name: _field(each) for each in fields(value)}
    elif _constructor(value) is not None:
        found["init"] = _constructor(value)
    return found | {"members": dict(sorted(dict(_members(value)).items()))}


def _ours(base: type) -> bool:
    return base.__module__.startswith("handrail") and not base.__name__.startswith("_")


def _field(each: Field[Any]) -> str:
    """Its type, and what it is where nobody says."""
    if each.default is not MISSING:
        return f"{each.type} = {each.default!r}"
    return f"{each.type} = …" if each.default_factory is not MISSING else str(each.type)


def _constructor(value: type) -> str | None:
    """None where it has none of its own, or none for the public: protocols, errors that take a message."""
    home = next((base for base in value.__mro__ if "__init__" in vars(base)), object)
    hidden = value.__name__ in _MADE_ELSEWHERE or getattr(value, "_is_protocol", False)
    if hidden or not home.__module__.startswith("handrail"):
        return None
    return str(inspect.signature(value))


def _members(value: type) -> Iterator[tuple[str, str]]:
    known = {each.name for each in fields(value)} if is_dataclass(value) else set()
    for base in reversed(value.__mro__):
        if base.__module__.partition(".")[0] in _HEIRLOOMS:
            continue
        for name, kind in inspect.get_annotations(base).items():
            if not name.startswith("_") and name not in known:
                yield name, str(kind)
        for name, member in vars(base).items():
            if not name.startswith("_") and (shown := _member(member)) is not None:
                yield name, shown


def _member(member: Any) -> str | None:
    match member:
        case FunctionType():
            return str(inspect.signature(member))
        case classmethod() | staticmethod():
            return f"{type(member).__name__} {inspect.signature(member.__func__)}"
        case property():
            return f"property -> {inspect.signature(member.fget).return_annotation}"
        case _:
            return None

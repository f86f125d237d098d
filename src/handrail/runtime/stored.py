"""Values of the contract as JSON text, and back again, by the types that their fields declare. Pure.

A dataclass becomes an object with its class's name under `type`. Reading goes by the declared type and never by
that name alone: content from a model may hold an object that only looks like one of ours.
The names of classes and fields are a stored format: a change of theirs is a new version of the journal's tables.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import lru_cache
from pathlib import Path, PurePath
from types import NoneType, UnionType
from typing import Any, Literal, NewType, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")

_JSON = {"Json": Any, "JsonObject": Mapping[str, Any]}
"""Fields that hold JSON itself are taken as they are."""


def encoded(content: object) -> str:
    """The value as JSON. What a tool returned may be anything: a result that JSON can't hold is
    kept as the reason why, since losing one result's text is better than losing the session."""
    try:
        return json.dumps(content, separators=(",", ":"), default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        return json.dumps({"not_encoded": f"{type(error).__name__}: {error}"})


def decoded(declared: type[T] | Any, text: str) -> T:
    """The value of that type. Raises ValueError for text that holds no such value."""
    try:
        return cast(T, revived(declared, json.loads(text)))
    except (TypeError, KeyError, RecursionError) as error:
        raise ValueError(f"the stored text holds no {declared}: {error}") from error


def revived(declared: Any, plain: Any) -> Any:
    """A value of the declared type from what `json.loads` gave. Raises ValueError or TypeError."""
    if isinstance(declared, NewType):
        return revived(declared.__supertype__, plain)
    origin = get_origin(declared)
    if origin in (Union, UnionType):
        return _one_of(get_args(declared), plain)
    if origin in (tuple, frozenset):
        return origin(revived(get_args(declared)[0], item) for item in _checked(plain, list))
    if origin is Literal:
        return _among(get_args(declared), plain)
    if origin is not None or declared in (object, Any):
        return plain  # JSON itself, as arguments are
    if is_dataclass(declared):
        return _object(cast(type, declared), _checked(plain, dict))
    if issubclass(declared, Enum):
        return declared(plain)
    if issubclass(declared, PurePath):
        return Path(_checked(plain, str))
    if declared is bytes:
        return base64.b64decode(_checked(plain, dict)["base64"], validate=True)
    if declared is float:
        return float(_checked(plain, int | float))
    return _checked(plain, declared)


def _one_of(kinds: Sequence[Any], plain: Any) -> Any:
    if plain is None and NoneType in kinds:
        return None
    classes = {cast(type, kind).__name__: kind for kind in kinds if is_dataclass(kind)}
    if classes:
        return revived(classes[_checked(plain, dict)["type"]], plain)
    (kind,) = [kind for kind in kinds if kind is not NoneType]
    return revived(kind, plain)


def _object(made: type, plain: dict[str, Any]) -> Any:
    """Raises ValueError for another class's object; a field that is not there has its default."""
    if plain["type"] != made.__name__:
        raise ValueError(f"it is a {plain['type']!r}, not a {made.__name__}")
    hints = _hints(made)
    return made(**{name: revived(hints[name], plain[name]) for name in hints if name in plain})


@lru_cache(maxsize=256)
def _hints(made: type) -> Mapping[str, Any]:
    hints = get_type_hints(made, localns=_JSON)
    return {field.name: hints[field.name] for field in fields(made)}


def _checked(plain: Any, kind: Any) -> Any:
    if not isinstance(plain, kind):
        raise ValueError(f"it is {type(plain).__name__}, not {kind}")
    return plain


def _among(values: Sequence[Any], plain: Any) -> Any:
    if plain not in values:
        raise ValueError(f"it is {plain!r}, not one of {values}")
    return plain


def _plain(value: object) -> object:
    """What json doesn't know, one level down: dataclasses by name and fields, bytes as base64."""
    if is_dataclass(value) and not isinstance(value, type):
        return {"type": type(value).__name__} | {field.name: getattr(value, field.name) for field in fields(value)}
    match value:
        case bytes():
            return {"base64": base64.b64encode(value).decode("ascii")}
        case PurePath():
            return str(value)
        case Mapping():
            return dict(value)
        case frozenset() | set() | Sequence():
            return list(value)
    return {"not_encoded": type(value).__name__}

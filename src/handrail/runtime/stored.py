"""Values of the contract as JSON text, and back again, by the types that their fields declare. Pure.

A dataclass becomes an object with its class's name under `type`. Reading goes by the declared type and never by
that name alone: content from a model may hold an object that only looks like one of ours.
The names of classes and fields are a stored format: a change of theirs is a new version of the journal's tables.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import lru_cache, partial
from pathlib import Path, PurePath
from types import NoneType, UnionType
from typing import Any, Literal, NewType, TypeAlias, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")
Reader: TypeAlias = Callable[[Any], Any]

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
    return _reader(declared)(plain)


@lru_cache(maxsize=512)
def _reader(declared: Any) -> Reader:
    """How values of the type are read: found once, for ten thousand calls may be read after a restart."""
    if isinstance(declared, NewType):
        return _reader(declared.__supertype__)
    origin, parts = get_origin(declared), get_args(declared)
    if origin in (Union, UnionType):
        return _one_of(parts)
    if origin in (tuple, frozenset):
        return _many(origin, _reader(parts[0]))
    if origin is Literal:
        return partial(_among, parts)
    if origin is not None or declared in (object, Any):
        return _as_it_is
    if is_dataclass(declared):
        return _object(cast(type, declared))
    if issubclass(declared, Enum):
        return cast(Reader, declared)
    if issubclass(declared, PurePath):
        return lambda plain: Path(_checked(str, plain))
    if declared is bytes:
        return lambda plain: base64.b64decode(_checked(dict, plain)["base64"], validate=True)
    if declared is float:
        return lambda plain: float(_checked(int | float, plain))
    return partial(_checked, declared)


def _as_it_is(plain: Any) -> Any:
    """JSON itself, as arguments are."""
    return plain


def _many(made: Callable[[Iterable[Any]], Any], item: Reader) -> Reader:
    return lambda plain: made(map(item, _checked(list, plain)))


def _one_of(kinds: Sequence[Any]) -> Reader:
    """Of several classes the one that the object names; else the one kind that there is beside None."""
    classes = {made.__name__: _reader(made) for made in (cast(type, kind) for kind in kinds if is_dataclass(kind))}
    others = [_reader(kind) for kind in kinds if kind is not NoneType and not is_dataclass(kind)]

    def read(plain: Any) -> Any:
        if plain is None and NoneType in kinds:
            return None
        if classes:
            return classes[_checked(dict, plain)["type"]](plain)
        (reader,) = others
        return reader(plain)

    return read


def _object(made: type) -> Reader:
    """Raises ValueError for another class's object; a field that is not there has its default."""

    def read(plain: Any) -> Any:
        if _checked(dict, plain)["type"] != made.__name__:
            raise ValueError(f"it is a {plain['type']!r}, not a {made.__name__}")
        return made(**{name: reader(plain[name]) for name, reader in _field_readers(made).items() if name in plain})

    return read


@lru_cache(maxsize=256)
def _field_readers(made: type) -> Mapping[str, Reader]:
    """Found when a first object is read, not with the class's own reader: it may hold objects of its own class."""
    hints = get_type_hints(made, localns=_JSON)
    return {name: _reader(hints[name]) for name in _field_names(made)}


@lru_cache(maxsize=256)
def _field_names(made: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(made))


def _checked(kind: Any, plain: Any) -> Any:
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
        return {"type": type(value).__name__} | {name: getattr(value, name) for name in _field_names(type(value))}
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

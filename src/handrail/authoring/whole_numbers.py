"""`3.0` where a schema wants an integer: JSON does not tell it from 3, and many a server does. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from handrail.contract.basics import Json, JsonObject
from handrail.contract.schema_walk import applying, list_of, of_item, of_member

_LARGEST_SAFE = 2.0**53


def with_whole_numbers(schema: JsonObject, arguments: JsonObject) -> JsonObject:
    """The arguments, with whole floats as integers wherever a schema that applies there wants one."""
    if not _holds_whole_float(arguments):
        return arguments
    mended = _mended(schema, [schema], arguments)
    return mended if isinstance(mended, Mapping) else arguments


def _mended(root: JsonObject, schemas: Sequence[Json], given: Json) -> Json:
    """Goes down the value, and beside it down all that the schema says of it."""
    said = list(applying(root, schemas))
    if isinstance(given, Mapping):
        return {n: _mended(root, [s for each in said for s in of_member(each, n)], v) for n, v in given.items()}
    if isinstance(given, (list, tuple)):
        return [_mended(root, [s for each in said for s in of_item(each, p)], v) for p, v in enumerate(given)]
    if _is_whole_float(given) and any("integer" in _types(each) for each in said):
        return int(given) if isinstance(given, float) else given
    return given


def _types(schema: JsonObject) -> Sequence[Json]:
    kind = schema.get("type")
    return [kind] if isinstance(kind, str) else list_of(kind)


def _is_whole_float(given: Json) -> bool:
    return isinstance(given, float) and given.is_integer() and abs(given) <= _LARGEST_SAFE


def _holds_whole_float(given: Json) -> bool:
    waiting = [given]
    while waiting:
        item = waiting.pop()
        if isinstance(item, Mapping):
            waiting += item.values()
        elif _is_whole_float(item):
            return True
        else:
            waiting += list_of(item)
    return False

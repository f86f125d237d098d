"""References in a JSON Schema that lead back to themselves and say nothing on the way. Pure.

`{"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#"}}}` compiles, and takes everything. A tree whose branches
are trees is no such case: there each round goes one level deeper into the value.
"""

from __future__ import annotations

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from typing import Any, TypeAlias
from urllib.parse import unquote, urldefrag, urljoin

Part: TypeAlias = "dict[str, Any]"
"""A schema within the schema."""

_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_ANCHORS = ("$anchor", "$dynamicAnchor")
_ABOUT_THE_SAME_VALUE = ("not", "if", "then", "else", "allOf", "anyOf", "oneOf", "dependentSchemas", "dependencies")
"""Keywords whose schemas are asked about the very value that the schema around them is asked about."""


def endless_reference(schema: Part) -> str | None:
    """One reference of such a circle, or None. What leads out of the schema is not followed."""
    parts = dict(_parts(schema, ""))
    known = _addresses(parts)
    graph = {id(part): [id(other) for other in _next(part, base, known)] for _, (part, base) in parts.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle = [parts[key][0] for key in error.args[1]]
        return next(found for part in circle for found in map(part.get, _REFERENCES) if isinstance(found, str))
    return None


def _parts(value: object, base: str) -> Iterator[tuple[int, tuple[Part, str]]]:
    """Every object in the schema under its identity, with the address that its references start from."""
    if isinstance(value, dict):
        own = value.get("$id")
        if isinstance(own, str) and not own.startswith("#"):
            base = urljoin(base, own).removesuffix("#")
        yield id(value), (value, base)
        for inner in value.values():
            yield from _parts(inner, base)
    elif isinstance(value, list):
        for inner in value:
            yield from _parts(inner, base)


def _addresses(parts: dict[int, tuple[Part, str]]) -> dict[str, Part]:
    """What has an address of its own: the whole, what has an `$id`, and anchors."""
    known: dict[str, Part] = {}
    for part, base in parts.values():
        known.setdefault(base, part)
        own = part.get("$id")
        names = [part[anchor] for anchor in _ANCHORS if anchor in part]
        if isinstance(own, str) and own.startswith("#"):
            names.append(own[1:])
        known.update({f"{base}#{name}": part for name in names})
    return known


def _next(part: Part, base: str, known: dict[str, Part]) -> Iterator[Part]:
    """The schemas that are asked about the same value as this one."""
    for keyword in _REFERENCES:
        reference = part.get(keyword)
        if isinstance(reference, str):
            target = _target(reference, base, known)
            if target is not None:
                yield target
    for keyword in _ABOUT_THE_SAME_VALUE:
        match part.get(keyword):
            case list() as inner:
                yield from (item for item in inner if isinstance(item, dict))
            case dict() as inner if keyword.startswith("dependen"):
                yield from (item for item in inner.values() if isinstance(item, dict))
            case dict() as inner:
                yield inner


def _target(reference: str, base: str, known: dict[str, Part]) -> Part | None:
    address, fragment = urldefrag(reference)
    address = urljoin(base, address) if address else base
    if not fragment.startswith("/"):
        return known.get(f"{address}#{fragment}" if fragment else address)
    value: Any = known.get(address)
    for step in unquote(fragment).split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list):
            value = value[int(step)] if step.isdecimal() and int(step) < len(value) else None
    return value if isinstance(value, dict) else None

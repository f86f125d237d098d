"""Values that fit a JSON Schema, most of them: whoever needs all to fit asks a validator."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

_DEEPEST = 5
_TEXT = st.text(max_size=6) | st.sampled_from(
    ["a", "x", "file", "url", "2026-01-02T03:04:05Z", "a@b.example", "https://x.example"]
)
_ANY = st.none() | st.booleans() | st.integers(-3, 3) | _TEXT | st.just([]) | st.just({}) | st.just({"k": 1.5})
_KINDS = ("string", "integer", "number", "boolean", "null", "array", "object")


def values_of(root: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """For a schema of 2020-12 whose references lead into it."""
    return _values(root, root, 0)


def _values(root: Mapping[str, Any], schema: Any, depth: int) -> st.SearchStrategy[Any]:
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return _ANY if depth <= _DEEPEST else st.none() | st.just("") | st.just([]) | st.just({})
    if "$ref" in schema:
        return _values(root, _at(root, schema["$ref"]), depth + 1)
    if "const" in schema:
        return st.just(schema["const"])
    if schema.get("enum"):
        return st.sampled_from(schema["enum"])
    for keyword in ("anyOf", "oneOf"):
        if schema.get(keyword):
            rest = {key: said for key, said in schema.items() if key != keyword}
            return st.one_of([_values(root, _both(root, rest, each), depth + 1) for each in schema[keyword]])
    if schema.get("allOf"):
        rest = {key: said for key, said in schema.items() if key != "allOf"}
        for each in schema["allOf"]:
            rest = _both(root, rest, each)
        return _values(root, rest, depth + 1)
    kinds = schema.get("type", list(_KINDS))
    return st.one_of([_of_kind(root, schema, kind, depth) for kind in ([kinds] if isinstance(kinds, str) else kinds)])


def _of_kind(root: Mapping[str, Any], schema: Mapping[str, Any], kind: str, depth: int) -> st.SearchStrategy[Any]:
    least, most = (
        schema.get("minimum", schema.get("exclusiveMinimum")),
        schema.get("maximum", schema.get("exclusiveMaximum")),
    )
    match kind:
        case "string":
            texts = _TEXT if "pattern" not in schema else _TEXT | st.from_regex(_plain(schema["pattern"]))
            wanted = schema.get("minLength", 0)
            return texts.map(lambda text: text.ljust(wanted, "z"))
        case "integer":
            low = -5 if least is None else int(least)
            return st.integers(low, max(low, low + 10 if most is None else int(most)))
        case "number":
            low = -5.0 if least is None else float(least)
            return st.floats(low, max(low, low + 10 if most is None else float(most)))
        case "boolean":
            return st.booleans()
        case "null":
            return st.none()
        case "array":
            return _arrays(root, schema, depth)
        case _:
            return _objects(root, schema, depth)


def _arrays(root: Mapping[str, Any], schema: Mapping[str, Any], depth: int) -> st.SearchStrategy[Any]:
    first = [_values(root, each, depth + 1) for each in schema.get("prefixItems", ())]
    least = schema.get("minItems", 0)
    rest = st.just([]) if schema.get("items") is False else st.lists(
        _values(root, schema.get("items", {}), depth + 1), min_size=max(0, least - len(first)), max_size=max(2, least)
    )  # fmt: skip
    return st.tuples(st.tuples(*first), rest).map(lambda both: [*both[0], *both[1]])


def _objects(root: Mapping[str, Any], schema: Mapping[str, Any], depth: int) -> st.SearchStrategy[Any]:
    members = {
        name: _values(root, each, depth + 1) for name, each in schema.get("properties", {}).items() if each is not False
    }
    required = list(schema.get("required", ()))
    members |= {name: _ANY for name in required if name not in members}
    some = dict(list(members.items())[:12])
    needed = {name: members[name] for name in required}
    known = st.fixed_dictionaries(needed, optional={name: each for name, each in some.items() if name not in needed})
    others = schema.get("additionalProperties", {})
    if others is False and "patternProperties" not in schema:
        return known
    more = st.dictionaries(st.sampled_from(["more", "x1", "other"]), _values(root, others or {}, depth + 1), max_size=1)
    return st.tuples(more, known).map(lambda both: {**both[0], **both[1]})


def _both(root: Mapping[str, Any], first: Mapping[str, Any], second: Any) -> Mapping[str, Any]:
    while isinstance(second, Mapping) and "$ref" in second:
        second = _at(root, second["$ref"])
    if not isinstance(second, Mapping):
        return first
    made = {**first, **second}
    if "properties" in first and "properties" in second:
        made["properties"] = {**first["properties"], **second["properties"]}
    made["required"] = list(dict.fromkeys([*first.get("required", ()), *second.get("required", ())]))
    return made


def _at(root: Mapping[str, Any], reference: str) -> Any:
    found: Any = root
    for step in reference.removeprefix("#").split("/")[1:]:
        found = found.get(step.replace("~1", "/").replace("~0", "~"), {}) if isinstance(found, Mapping) else {}
    return found if reference.startswith("#") else {}


def _plain(pattern: str) -> str:
    """A pattern as Python has it; one that it hasn't stands for nothing."""
    try:
        re.compile(pattern)
    except re.error:
        return "a"
    return pattern

"""Arguments for a JSON Schema: such that fit it, as a model would send them, and such with one thing changed.

A generator of our own: hypothesis-jsonschema has had no release for years. It knows the keywords that real
tools use; where it is wrong about what fits, the comparison it serves loses nothing but an example.
"""

from __future__ import annotations

import math

from hypothesis import strategies as st

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from([0.5, 1.0, -2.0, 1e300]) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


def fitting(schema):
    """Values that fit the schema."""
    if schema in (True, {}):
        return JSON
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return st.one_of([fitting(variant) for variant in schema[union]])
    kinds = schema.get("type", "object" if "properties" in schema else list(_OF_TYPE))
    return st.one_of([_OF_TYPE[kind](schema) for kind in ([kinds] if isinstance(kinds, str) else kinds)])


def _numbers(schema):
    low, high = schema.get("minimum", -1000), schema.get("maximum", 1000)
    return st.integers(math.ceil(low), math.floor(high))


def _objects(schema):
    properties = schema.get("properties", {})
    needed = {name: fitting(properties.get(name, {})) for name in schema.get("required", ())}
    free = {name: fitting(about) for name, about in properties.items() if name not in needed}
    return st.fixed_dictionaries(needed, optional=free)


_OF_TYPE = {
    "null": lambda schema: st.none(),
    "boolean": lambda schema: st.booleans(),
    "integer": lambda schema: _numbers(schema) | _numbers(schema).map(float),
    "number": lambda schema: _numbers(schema) | _numbers(schema).map(lambda number: number + 0.5),
    "string": lambda schema: st.text(min_size=schema.get("minLength", 0), max_size=schema.get("maxLength", 9)),
    "array": lambda schema: st.lists(fitting(schema.get("items", {})), min_size=schema.get("minItems", 0), max_size=3),
    "object": _objects,
}


@st.composite
def altered(draw, value):
    """The same value with one part replaced, left out or added."""
    if isinstance(value, dict) and value and draw(st.booleans()):
        key = draw(st.sampled_from(sorted(value)))
        change = draw(st.sampled_from(["within", "within", "without", "beside"]))
        if change == "without":
            return {name: inner for name, inner in value.items() if name != key}
        return {**value, **({"other": draw(JSON)} if change == "beside" else {key: draw(altered(value[key]))})}
    if isinstance(value, list) and value and draw(st.booleans()):
        place = draw(st.integers(0, len(value) - 1))
        return [*value[:place], draw(altered(value[place])), *value[place + 1 :]]
    return draw(JSON)

"""What a JSON Schema finds wrong, in the words that `contract.problems` has for pydantic's errors. Pure."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from handrail.contract.problems import argument_path, joined, kind_of, length_of, shown
from handrail.errors import ArgumentProblem

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError

_LONGEST_SCHEMA = 60
"""Characters of a schema that are repeated in a message."""

_TYPES = {
    "array": "an array",
    "boolean": "a boolean",
    "integer": "an integer",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}

_WRONG_VALUE = {
    "ContentEncoding": "text in {0.content_encoding}",
    "ContentMediaType": "text that is {0.content_media_type}",
    "ExclusiveMaximum": "less than {0.limit}",
    "ExclusiveMinimum": "more than {0.limit}",
    "Format": "a string in the format {0.format}",
    "Maximum": "at most {0.limit}",
    "Minimum": "at least {0.limit}",
    "MultipleOf": "a multiple of {0.multiple_of}",
    "Pattern": "a string that matches {0.pattern}",
}
"""The kind was right and the value was not: the validator's name of the error, and what was expected."""

_WRONG_LENGTH = {
    "AdditionalItems": "at most {0.limit}",
    "MaxItems": "at most {0.limit}",
    "MaxLength": "at most {0.limit}",
    "MaxProperties": "at most {0.limit}",
    "MinItems": "at least {0.limit}",
    "MinLength": "at least {0.limit}",
    "MinProperties": "at least {0.limit}",
}

_AS_A_WHOLE = {
    "BacktrackLimitExceeded": "can't be checked against its pattern, which takes too long on it",
    "Contains": "does not hold the items that it must, or holds too many of them",
    "FalseSchema": "is not allowed here",
    "OneOfMultipleValid": "fits more than one of the forms it can have, and must fit exactly one",
    "UniqueItems": "holds an item twice",
}
"""Problems that are no matter of found and expected."""


def problems_of_schema(errors: Iterable[ValidationError], value: object) -> list[ArgumentProblem]:
    """Every problem once, for the errors of one check of `value`."""
    return joined(finding for error in errors for finding in _findings(error, value))


def _findings(error: ValidationError, value: object) -> Iterator[tuple[str, str, str]]:
    """Path, what was found and what was expected; of a union, what each variant says."""
    kind: Any = error.kind
    steps = error.instance_path
    match type(kind).__name__:
        case "AnyOf" | "OneOfNotValid":
            for variant in kind.context:
                for inner in variant:
                    yield from _findings(inner, value)
        case "Required":
            yield argument_path([*steps, kind.property]), "is required and missing", ""
        case "AdditionalProperties" | "UnevaluatedProperties":
            for key in kind.unexpected:
                yield argument_path([*steps, key]), "is not a parameter of this tool", ""
        case "FalseSchema" if error.schema_path[-1:] in (["additionalProperties"], ["propertyNames"]):
            for key in _at(value, steps):
                yield argument_path([*steps, key]), "is not a parameter of this tool", ""
        case "PropertyNames":
            key = kind.error.instance
            for _, found, wanted in _findings(kind.error, key):
                yield argument_path(steps), f"has the key {shown(key)}: {found}", wanted
        case name:
            yield argument_path(steps), *_in_words(name, kind, _at(value, steps), error.message)


def _in_words(name: str, kind: Any, value: object, message: str) -> tuple[str, str]:
    match name:
        case "Type":
            wanted = sorted(kind.types, key=lambda type_: type_ == "null")
            return f"got {_kind_of(value)}", " or ".join(_TYPES[type_] for type_ in wanted)
        case "Enum":
            return f"got {shown(value)}", _any_of(kind.options)
        case "Constant":
            return f"got {shown(value)}", _any_of([kind.expected_value])
        case "UnevaluatedItems":
            return f"holds items that are not allowed: {', '.join(kind.unexpected)}", ""
        case "Not":
            return f"got {shown(value)}", f"nothing that fits {_abridged(kind.schema)}"
    if name in _WRONG_VALUE:
        return f"got {shown(value)}", _WRONG_VALUE[name].format(kind)
    if name in _WRONG_LENGTH:
        return f"got a length of {length_of(value)}", _WRONG_LENGTH[name].format(kind)
    return _AS_A_WHOLE.get(name, f"got {shown(value)}; {message}"), ""


def _kind_of(value: object) -> str:
    """JSON has no infinity, though it may be written as 1e400."""
    return shown(value) if isinstance(value, float) and not math.isfinite(value) else kind_of(value)


def _any_of(options: Sequence[object]) -> str:
    """As pydantic lists them: `'a', 'b' or 3`."""
    *others, last = [repr(option) if isinstance(option, str) else json.dumps(option) for option in options]
    return f"{', '.join(others)} or {last}" if others else last


def _abridged(schema: object) -> str:
    text = json.dumps(schema, ensure_ascii=False)
    return text if len(text) <= _LONGEST_SCHEMA else f"{text[: _LONGEST_SCHEMA - 1]}…"


def _at(value: Any, steps: Sequence[str | int]) -> Any:
    for step in steps:
        value = value[step]
    return value

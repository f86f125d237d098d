"""What is wrong with arguments, in words a model can act on: `limit: got a string, expected an integer`. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from handrail.errors import ArgumentProblem

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

_LONGEST_SHOWN = 40
"""Characters of a wrong value that are repeated in a message."""

_KINDS = {
    type(None): "null",
    bool: "a boolean",
    int: "an integer",
    float: "a number",
    str: "a string",
    list: "an array",
    dict: "an object",
}

_WRONG_KIND = {
    "bool_type": "a boolean",
    "dataclass_type": "an object",
    "dict_type": "an object",
    "float_type": "a number",
    "int_type": "an integer",
    "list_type": "an array",
    "model_type": "an object",
    "none_required": "null",
    "set_type": "an array",
    "string_type": "a string",
    "tuple_type": "an array",
}
"""Another kind of value was wanted: pydantic's name of the error, and what was expected."""

_WRONG_VALUE = {
    "enum": "{expected}",
    "finite_number": "a finite number",
    "greater_than": "more than {gt}",
    "greater_than_equal": "at least {ge}",
    "int_from_float": "an integer",
    "less_than": "less than {lt}",
    "less_than_equal": "at most {le}",
    "literal_error": "{expected}",
    "multiple_of": "a multiple of {multiple_of}",
    "string_pattern_mismatch": "a string that matches {pattern}",
    "union_tag_invalid": "an object whose {discriminator} is one of {expected_tags}",
    "union_tag_not_found": "an object with {discriminator}",
}
"""The kind was right and the value was not; the braces are filled from the error's context."""

_WRONG_LENGTH = {
    "string_too_long": "at most {max_length}",
    "string_too_short": "at least {min_length}",
    "too_long": "at most {max_length}",
    "too_short": "at least {min_length}",
}

_AS_A_WHOLE = {
    "extra_forbidden": "is not a parameter of this tool",
    "missing": "is required and missing",
    "unexpected_keyword_argument": "is not a parameter of this tool",
}
"""Problems that are no matter of found and expected."""


def problems_of(error: ValidationError, arguments: object) -> list[ArgumentProblem]:
    """Every problem pydantic found, once."""
    return joined((_path_of(detail, arguments), *_in_words(detail)) for detail in error.errors(include_url=False))


def joined(findings: Iterable[tuple[str, str, str]]) -> list[ArgumentProblem]:
    """Problems from path, what was found and what was expected (empty where the second says all).

    What the variants of a union expected of one value is joined: `an integer or a string`.
    """
    expected: dict[tuple[str, str], list[str]] = {}
    for path, found, wanted in findings:
        if wanted not in expected.setdefault((path, found), []):
            expected[path, found].append(wanted)
    return [
        ArgumentProblem(path, f"{found}, expected {' or '.join(wanted)}" if any(wanted) else found)
        for (path, found), wanted in expected.items()
    ]


def argument_path(steps: Sequence[str | int]) -> str:
    """`("edits", 0, "old")` as a model writes it: `edits[0].old`."""
    path = ""
    for step in steps:
        path += f"[{step}]" if isinstance(step, int) else f".{step}" if path else step
    return path


def steps_into(value: Any, location: Sequence[Any]) -> Iterator[tuple[Any, str | int, Any]]:
    """The steps of pydantic's location that are steps into the value: from where, which, and to what.

    A location also names the variants of unions, which the model never wrote.
    """
    for step in location:
        if (isinstance(value, Mapping) and step in value) or (isinstance(value, list) and step in range(len(value))):
            inner = value[step]
            yield value, step, inner
            value = inner


def _path_of(detail: ErrorDetails, arguments: object) -> str:
    location = detail["loc"]
    steps = [step for _, step, _ in steps_into(arguments, location)]
    if detail["type"] == "missing":
        steps.append(location[-1])
    return argument_path(steps)


def _in_words(detail: ErrorDetails) -> tuple[str, str]:
    """What was found and what was expected; the second is empty where the first says all."""
    kind, value, context = detail["type"], detail["input"], detail.get("ctx", {})
    if kind in _AS_A_WHOLE:
        return _AS_A_WHOLE[kind], ""
    if kind in _WRONG_KIND:
        return f"got {kind_of(value)}", _WRONG_KIND[kind]
    if kind in _WRONG_VALUE:
        return f"got {shown(value)}", _WRONG_VALUE[kind].format(**context)
    if kind in _WRONG_LENGTH:
        return f"got a length of {length_of(value)}", _WRONG_LENGTH[kind].format(**context)
    if kind == "json_invalid":  # it was encoded a moment ago: no more than these two can be wrong
        deep = "recursion" in str(context["error"])
        return "is nested too deeply" if deep else "holds text that is not Unicode: half of a surrogate pair", ""
    if "error" in context:
        return str(context["error"]), ""
    message = detail["msg"]
    return f"got {shown(value)}; {message[0].lower()}{message[1:]}", ""


def kind_of(value: object) -> str:
    """In JSON's own words, with its article."""
    return _KINDS.get(type(value), "another value")


def shown(value: object) -> str:
    """The value itself where it is short, else its kind."""
    if isinstance(value, (bool, int, float, str)):
        text = json.dumps(value, ensure_ascii=False)
        if len(text) <= _LONGEST_SHOWN:
            return text
    return kind_of(value)


def length_of(value: object) -> int:
    return len(value) if isinstance(value, (str, list, dict)) else 0

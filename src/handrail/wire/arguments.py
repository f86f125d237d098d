"""A call's arguments, from whatever the model sent. Nothing here raises: bad arguments are a value.

A call with unusable arguments never runs; it gets its own failed result, which repeats the beginning of
what was sent. Unusable are: text that is not JSON, JSON that is not an object, and objects that two
readers could understand differently or can't carry further (keys named twice, NaN and infinities,
half a surrogate pair, nesting without end). None at all means no arguments.
"""

from __future__ import annotations

import json
import math
from typing import TypeAlias

from handrail.contract.basics import CallId, Json
from handrail.contract.calls import Arguments, CallForm, CallRequest, FreeText, ObjectArguments, UnusableArguments
from handrail.contract.values import value
from handrail.wire.jsontext import LONGEST_INTEGER, RepeatedKeys, kind_of, parse
from handrail.wire.text import preview, printable, well_formed

STREAM_ENDED = "the stream ended before the call was complete"
LENGTH_LIMIT = "the response was cut off at its length limit, so the call may be incomplete"

_HALF_CHARACTER = "holds half of a surrogate pair, which is no character"
_NO_NUMBER = "holds a number that JSON can't carry (NaN, an infinity, or thousands of digits)"

MAX_DEPTH = 100
"""How deep arguments may nest. pydantic's own JSON reader stops at 200."""

_LONGEST_INTEGER_BITS = 3 * LONGEST_INTEGER
"""A decimal digit takes a little more than three bits."""

UNNAMED = "unnamed"
"""Stands for a missing name, in the request and in the turn that is given back."""


@value
class JsonText:
    """Arguments that the wire carries as text."""

    text: str


@value
class PlainText:
    """The input of a free-text custom tool."""

    text: str


@value
class Cut:
    """Arguments of which the rest never came: what there is, and what happened."""

    received: Whole
    problem: str


Whole: TypeAlias = "Json | JsonText | PlainText"
Raw: TypeAlias = "Whole | Cut"


def call_request(
    raw: Raw, *, id: str, name: Json, wire_id: str | None = None, form: CallForm = CallForm.FUNCTION, server: str = ""
) -> CallRequest:
    """The request as the runtime takes it. `wire_id` is the id unless given."""
    arguments, notes = read_arguments(raw)
    named = usable_name(name)
    if named != name:
        notes = (*notes, "the call had no usable name")
    return CallRequest(
        CallId(id), named, arguments, wire_id=id if wire_id is None else wire_id, form=form, server=server, notes=notes
    )


def usable_name(name: Json) -> str:
    return printable(name) if isinstance(name, str) and name.strip() else UNNAMED


def read_arguments(raw: Raw) -> tuple[Arguments, tuple[str, ...]]:
    """The arguments, and what was mended on the way."""
    match raw:
        case Cut(received, problem):
            return _unusable(received.text if isinstance(received, JsonText | PlainText) else received, problem), ()
        case PlainText(text):
            return (FreeText(text) if well_formed(text) else _unusable(text, _HALF_CHARACTER)), ()
        case JsonText(text):
            return _from_text(text)
        case str():
            return _unwrapped(raw, raw)
        case None:
            return ObjectArguments({}), ()
        case _:
            return _from_value(raw, raw), ()


def given_back_text(sent: Json, request: CallRequest) -> str:
    """Arguments for a wire that takes them back as text: as they came, usable or not, if they came so."""
    if isinstance(sent, str):
        return sent
    arguments = request.arguments
    return json.dumps(arguments.value if isinstance(arguments, ObjectArguments) else {}, ensure_ascii=False)


def _from_text(text: str) -> tuple[Arguments, tuple[str, ...]]:
    if not text.strip():
        return ObjectArguments({}), ()
    try:
        value = parse(text)
    except ValueError as error:
        return _unusable(text, f"can't be read as JSON: {error}"), ()
    if isinstance(value, str):
        return _unwrapped(value, text)
    return (ObjectArguments({}) if value is None else _from_value(value, text)), ()


def _unwrapped(inner: str, sent: str) -> tuple[Arguments, tuple[str, ...]]:
    """A JSON string where an object belongs: what it holds, if that is an object. Once, and noted."""
    if not inner.strip():
        return ObjectArguments({}), ()
    try:
        value = parse(inner)
    except ValueError:
        value = inner
    if not isinstance(value, dict):
        return _unusable(sent, "got a string; expected an object"), ()
    return _from_value(value, sent), ("arguments were a JSON string that held an object",)


def _from_value(value: Json, sent: Json) -> Arguments:
    if not isinstance(value, dict):
        return _unusable(sent, f"got {kind_of(value)}; expected an object")
    problem = _flaw(value)
    return _unusable(sent, problem) if problem else ObjectArguments(value)


def _unusable(sent: Json, problem: str) -> UnusableArguments:
    return UnusableArguments(preview(sent if isinstance(sent, str) else _shown(sent)), problem)


def _shown(value: Json) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return kind_of(value)


def _flaw(arguments: dict[str, Json]) -> str:
    """What makes an object unfit to be arguments; empty when nothing does."""
    level: list[Json] = [arguments]
    for _ in range(MAX_DEPTH):
        below: list[Json] = []
        for node in level:
            if isinstance(node, str):
                if not well_formed(node):
                    return _HALF_CHARACTER
            elif isinstance(node, dict):
                if isinstance(node, RepeatedKeys):
                    return "holds an object that names a key more than once"
                below += node
                below += node.values()
            elif isinstance(node, list):
                below += node
            elif isinstance(node, float):
                if not math.isfinite(node):
                    return _NO_NUMBER
            elif isinstance(node, int) and node.bit_length() > _LONGEST_INTEGER_BITS:
                return _NO_NUMBER
        if not below:
            return ""
        level = below
    return f"nested deeper than {MAX_DEPTH} levels"

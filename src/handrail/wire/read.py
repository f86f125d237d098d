"""From what somebody saved or received to responses: whole input text, or one parsed document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from handrail.contract.basics import Json, JsonObject
from handrail.contract.calls import CallRequest
from handrail.errors import WireError
from handrail.wire.codecs import Event, codec_of
from handrail.wire.detect import EXPECTED, is_event, is_record, is_whole, wire_of, wire_of_stream
from handrail.wire.jsontext import CutShort, kind_of, objects_of, parse, values
from handrail.wire.response import Answer, Response, Wire
from handrail.wire.sse import DONE, events, is_sse


def read(source: str, wire: Wire | None = None) -> tuple[Response, ...]:
    """All responses in a whole input, in order: a JSON response, a list of stream events or of responses, text of
    server-sent events, or JSON Lines of such (one stream, if the first line is a stream event).

    `wire` is found out unless given. Raises WireError, one line that says where, for anything else.
    """
    text = source.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")
    if not text.strip():
        raise WireError(f"the input is empty; {EXPECTED}")
    if is_sse(text):
        return tuple(_decoded(events(text), wire, "the stream"))
    return tuple(response for place, document in _documents(text) for response in _decoded(document, wire, place))


def decode(document: Json, wire: Wire | None = None) -> Response:
    """One parsed response, or the list of one response's stream events. Raises WireError, also where a
    stream holds several responses: those are for `read`.
    """
    found = _decoded(document, wire, "the document")
    if len(found) != 1:
        raise WireError(f"the stream holds {len(found)} responses where one was expected")
    return found[0]


def encode(response: Response, answers: Sequence[Answer]) -> tuple[JsonObject, ...]:
    """What to append to the conversation: the assistant's turn, then one result for each of its calls.

    `answers` are in the order of `response.calls`. Raises ValueError when they are not one for each call.
    """
    calls = response.calls
    if len(answers) != len(calls) or not all(map(_is_answer, answers, calls)):
        raise ValueError(f"{len(answers)} answers do not match the {len(calls)} calls of the response in order")
    return (*response.assistant, *codec_of(response.wire).results(response, answers))


def _is_answer(answer: Answer, call: CallRequest) -> bool:
    request = answer.request
    return request is call or ((request.wire_id, request.name, request.form) == (call.wire_id, call.name, call.form))


def _documents(text: str) -> Iterator[tuple[str, Json]]:
    """The documents of a JSON or JSON Lines text, each with where it stands."""
    found: list[tuple[int, Json]] = []
    cut: CutShort | None = None
    try:
        for line, value in values(text):
            found.append((line, value))
    except CutShort as error:
        cut = error
    first = found[0][1] if found else None
    if isinstance(first, dict) and is_event(first) and (len(found) > 1 or cut is not None):
        yield "the stream", [event for _, value in found for event in (value if isinstance(value, list) else [value])]
        return
    if cut is not None:
        raise cut
    for line, value in found:
        yield ("the document" if len(found) == 1 else f"line {line}"), value


def _decoded(document: Json, wire: Wire | None, place: str) -> list[Response]:
    match document:
        case dict():
            found = wire_of(document)
            if found is None and isinstance(recorded := document.get("events"), list):
                return _decoded_stream(recorded, wire, place)
            if is_record(document) or (found is not Wire.GEMINI and is_event(document)):
                return _decoded_stream([document], wire, place)
            return [_decoded_response(document, wire or found, place)]
        case list() | tuple() if any(map(is_whole, document)):
            return [found for i, one in enumerate(document, 1) for found in _decoded(one, wire, f"{place}, item {i}")]
        case list() | tuple():
            return _decoded_stream(document, wire, place)
        case _:
            raise WireError(f"{place}: got {kind_of(document)}; {EXPECTED}")


def _decoded_response(document: JsonObject, wire: Wire | None, place: str) -> Response:
    if wire is None:
        keys = ", ".join(f"`{key}`" for key in sorted(document)[:5])
        raise WireError(f"{place}: got an object with {keys or 'no keys'}; {EXPECTED}")
    try:
        return codec_of(wire).decode(document)
    except WireError as error:
        raise WireError(f"{place}: {error}") from error


def _decoded_stream(recorded: Sequence[Json], wire: Wire | None, place: str) -> list[Response]:
    stream = [event for number, value in enumerate(recorded, 1) for event in _events(value, f"{place}, event {number}")]
    wire = wire or wire_of_stream(stream)
    if wire is None:
        raise WireError(f"{place}: got no event of a known wire; {EXPECTED}")
    codec = codec_of(wire)
    if codec.decode_stream is None:
        return [_decoded_response(event, wire, place) for event in stream if event is not None]
    return codec.decode_stream(stream)


def _events(value: Json, place: str) -> list[Event]:
    """One event as it was recorded: itself, with its data under `data`, or as text."""
    match value:
        case dict() if is_record(value):
            return _events(next(data for key, data in value.items() if key.strip() == "data"), place)
        case dict():
            return [value]
        case str() if value.strip() == DONE:
            return [None]
        case str():
            try:
                return [*objects_of([parse(value)])]
            except ValueError as error:
                raise WireError(f"{place}: not JSON ({error})") from error
        case None:
            return []
        case _:
            raise WireError(f"{place}: got {kind_of(value)}; expected an object")

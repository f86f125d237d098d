"""The generateContent wire: one content of parts by role `model`; results in one content by role `user`.

Client calls are `functionCall` parts. `executableCode`, `toolCall` and their results are the provider's own.
A streamed chunk has the shape of a response, so one decoder reads both. Of several candidates the first
is the turn. Every part keeps its own thought signature: parts are put together only where none is lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeGuard

from handrail.contract.basics import Json, JsonObject
from handrail.contract.calls import CallRequest, ObjectArguments
from handrail.contract.results import ImagePart, JsonPart, Part, part_text
from handrail.errors import WireError
from handrail.wire.arguments import LENGTH_LIMIT, Cut, Raw, call_request
from handrail.wire.gemini_parts import GeminiPart, Parts
from handrail.wire.ids import unique_ids, usable
from handrail.wire.jsontext import index_of, object_of, objects_of, text_of
from handrail.wire.media import base64_text
from handrail.wire.response import Answer, Response, Wire, error_text
from handrail.wire.streams import split
from handrail.wire.text import paragraphs

_LENGTH_STOP = "MAX_TOKENS"

_ORDINARY_STOPS = frozenset({"", "STOP", _LENGTH_STOP})
"""After any other one the provider's own message says what went wrong."""

_IMAGES = frozenset({"image/png", "image/jpeg", "image/webp"})
"""What a function response may hold beside text."""


def decode(document: JsonObject) -> Response:
    """A whole response. Raises WireError when it is none."""
    if not ({"candidates", "promptFeedback", "usageMetadata", "error"} & document.keys()):
        raise WireError("not a gemini response: expected an object with a `candidates` array")
    return _response([document])


def decode_stream(events: Sequence[JsonObject | None]) -> list[Response]:
    """The responses of a stream, in order; never none."""
    turns = split(events, id_of=lambda event: event.get("responseId"), ends=lambda event: bool(finish_of(event)))
    return [_response([event for event in turn if event is not None]) for turn in turns]


def finish_of(document: JsonObject) -> str:
    """Why the first candidate stopped; empty in the middle of a stream."""
    return text_of(_candidate(document).get("finishReason"))


def results(_: Response, answers: Sequence[Answer]) -> list[JsonObject]:
    """All results in one content, in the order of the calls: where ids are missing, order tells them apart."""
    return [{"role": "user", "parts": [_result(answer) for answer in answers]}] if answers else []


def _response(chunks: Sequence[JsonObject]) -> Response:
    parts = Parts()
    finish = message = problem = ""
    for chunk in chunks:
        candidate = _candidate(chunk)
        for part in objects_of(object_of(candidate.get("content")).get("parts")):
            parts.add(part)
        finish = text_of(candidate.get("finishReason")) or finish
        message = text_of(candidate.get("finishMessage")) or message
        problem = problem or _problem(chunk)
    if not problem and finish not in _ORDINARY_STOPS:
        problem = message or finish
    return _response_of(parts.finished(), finish, problem)


def _response_of(parts: Sequence[GeminiPart], finish: str, problem: str) -> Response:
    given = [part.call.get("id") for part in parts if part.call is not None]
    ids = iter(zip(given, unique_ids(given), strict=True))
    calls: list[CallRequest] = []
    turn: list[JsonObject] = []
    for part in parts:
        if part.call is None:
            turn.append(part.data)
            continue
        raw: Raw = part.arguments
        if finish == _LENGTH_STOP and part is parts[-1] and not isinstance(raw, Cut):
            raw = Cut(raw, LENGTH_LIMIT)
        sent, id = next(ids)
        call = call_request(raw, id=id, wire_id=id if usable(sent) else "", name=part.call.get("name"))
        calls.append(call)
        turn.append({**part.data, "functionCall": _given_back(part.call, call)})
    return Response(
        Wire.GEMINI,
        tuple(calls),
        ({"role": "model", "parts": turn},) if turn else (),
        paragraphs([*_texts(turn, thought=False), None, problem]),
        paragraphs(_texts(turn, thought=True)),
    )


def _candidate(document: JsonObject) -> JsonObject:
    candidates = objects_of(document.get("candidates"))
    return min(candidates, key=lambda candidate: index_of(candidate.get("index")) or 0, default={})


def _problem(document: JsonObject) -> str:
    blocked = text_of(object_of(document.get("promptFeedback")).get("blockReason"))
    return error_text(document) or (f"the prompt was blocked: {blocked}" if blocked else "")


def _given_back(sent: JsonObject, call: CallRequest) -> JsonObject:
    """The call as it came; its id only where it has one, its arguments only as an object."""
    mended: dict[str, Json] = {key: value for key, value in sent.items() if key != "id"}
    mended["name"] = call.name
    if call.wire_id:
        mended["id"] = call.wire_id
    if "args" in sent:
        mended["args"] = call.arguments.value if isinstance(call.arguments, ObjectArguments) else {}
    return mended


def _texts(parts: Sequence[JsonObject], *, thought: bool) -> Iterator[str | None]:
    for part in parts:
        shown = "text" in part and (part.get("thought") is True) is thought
        yield text_of(part.get("text")) if shown else None


def _result(answer: Answer) -> JsonObject:
    media = [_inline(part) for part in answer.result.parts if _fits(part)]
    content: dict[str, Json] = {"name": answer.request.name, "response": _content(answer)}
    if answer.request.wire_id:
        content["id"] = answer.request.wire_id
    if media and answer.failure is None:
        content["parts"] = media
    return {"functionResponse": content}


def _content(answer: Answer) -> JsonObject:
    if answer.failure is not None:
        return {"error": answer.result.text}
    match [part for part in answer.result.parts if not _fits(part)]:
        case [JsonPart(value)]:
            return {"output": value}
        case others:
            return {"output": "\n".join(map(part_text, others))}


def _fits(part: Part) -> TypeGuard[ImagePart]:
    return isinstance(part, ImagePart) and part.media_type in _IMAGES


def _inline(part: ImagePart) -> JsonObject:
    return {"inlineData": {"mimeType": part.media_type, "data": base64_text(part.data)}}

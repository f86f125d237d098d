"""Handrail's own wire, for calls that come from no provider: `{"calls": [{"id", "name", "arguments"}]}`.

The answer is `{"results": [{"id", "name", "result", "error"}]}`: `result` is text, `error` null or
`{"kind", "message"}`.
"""

from __future__ import annotations

from collections.abc import Sequence

from handrail.contract.basics import Json, JsonObject
from handrail.contract.calls import CallRequest, UnusableArguments
from handrail.errors import WireError
from handrail.wire.arguments import call_request
from handrail.wire.ids import unique_ids
from handrail.wire.jsontext import kind_of, text_of
from handrail.wire.response import Answer, Response, Wire


def decode(document: JsonObject) -> Response:
    """Raises WireError where the document is not of this form; only the arguments may be anything."""
    sent = document.get("calls")
    if not isinstance(sent, list):
        raise WireError("not a neutral document: expected an object with a `calls` array")
    objects = [_object(call, place) for place, call in enumerate(sent)]
    ids = unique_ids([call.get("id") for call in objects])
    calls = [
        call_request(call.get("arguments"), id=id, name=call.get("name")) for call, id in zip(objects, ids, strict=True)
    ]
    turn: list[Json] = [{**call, **_mended(call, request)} for call, request in zip(objects, calls, strict=True)]
    return Response(Wire.NEUTRAL, tuple(calls), ({**document, "calls": turn},), text_of(document.get("text")), "")


def results(_: Response, answers: Sequence[Answer]) -> list[JsonObject]:
    return [{"results": [_result(answer) for answer in answers]}] if answers else []


def _object(call: Json, place: int) -> JsonObject:
    if not isinstance(call, dict):
        raise WireError(f"calls[{place}]: got {kind_of(call)}; expected an object with `id`, `name` and `arguments`")
    return call


def _mended(sent: JsonObject, request: CallRequest) -> JsonObject:
    """What is given back is JSON again: unusable arguments that came as no text are shown as one."""
    mended: dict[str, Json] = {"id": request.wire_id, "name": request.name}
    if isinstance(request.arguments, UnusableArguments) and not isinstance(sent.get("arguments"), str):
        mended["arguments"] = request.arguments.preview
    return mended


def _result(answer: Answer) -> JsonObject:
    failure = answer.failure
    return {
        "id": answer.request.wire_id,
        "name": answer.request.name,
        "result": answer.result.text,
        "error": None if failure is None else {"kind": failure.kind.value, "message": failure.message},
    }

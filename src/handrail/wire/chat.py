"""The Chat Completions wire, of OpenAI and the many that speak it: one assistant message, then tool messages.

Client calls are `tool_calls` (functions, free-text custom tools) and the legacy `function_call`. Of several
choices the first one is the turn. The message goes back with what it came with, extensions that carry
reasoning included; only what no provider takes as input is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from handrail.contract.basics import Json, JsonObject
from handrail.contract.calls import CallForm, CallRequest
from handrail.contract.values import value
from handrail.errors import WireError
from handrail.wire.arguments import LENGTH_LIMIT, Cut, JsonText, PlainText, Raw, Whole, call_request, given_back_text
from handrail.wire.ids import unique_ids
from handrail.wire.jsontext import index_of, object_of, objects_of, text_of
from handrail.wire.response import Answer, Response, Wire, error_text
from handrail.wire.text import paragraphs

_OUTPUT_ONLY = frozenset({"annotations", "channel", "tool_calls", "function_call", "audio"})
"""Keys of a message that no provider takes back as they are. The calls and the audio's id are put in anew."""

_THINKING = ("reasoning_content", "reasoning", "thinking")
"""Where providers put what the model thought; the first that holds something is shown."""

_LENGTH_STOP = "length"


@value
class _Call:
    entry: JsonObject
    form: CallForm
    body: JsonObject

    @classmethod
    def of(cls, entry: JsonObject, form: CallForm) -> _Call:
        return cls(entry, form, object_of(entry.get("custom" if form is CallForm.CUSTOM else "function")))

    @property
    def raw(self) -> Whole:
        if self.form is CallForm.CUSTOM:
            return PlainText(text_of(self.body.get("input")))
        arguments = self.body.get("arguments")
        return JsonText(arguments) if isinstance(arguments, str) else arguments


def decode(document: JsonObject) -> Response:
    """A whole completion. Raises WireError when it is none."""
    choices = objects_of(document.get("choices"))
    if choices:
        first = min(choices, key=lambda choice: index_of(choice.get("index")) or 0)
        return response_of(object_of(first.get("message")), finish=first.get("finish_reason"))
    problem = error_text(document)
    if not problem and "choices" not in document:
        raise WireError("not an openai-chat response: expected an object with a `choices` array")
    return Response(Wire.OPENAI_CHAT, (), (), problem, "")


def response_of(message: JsonObject, *, finish: Json, cut: str = "", problem: str = "") -> Response:
    """`cut` says why no call of the message may be whole; `problem` is what an error event said."""
    found = _calls(message)
    ids = unique_ids([call.entry.get("id") for call in found])
    calls: list[CallRequest] = []
    for place, (call, id) in enumerate(zip(found, ids, strict=True), start=1):
        reason = cut or (LENGTH_LIMIT if finish == _LENGTH_STOP and place == len(found) else "")
        raw: Raw = Cut(call.raw, reason) if reason else call.raw
        legacy = call.form is CallForm.LEGACY_FUNCTION
        calls.append(call_request(raw, id=id, wire_id="" if legacy else id, name=call.body.get("name"), form=call.form))
    return Response(
        Wire.OPENAI_CHAT,
        tuple(calls),
        (_given_back(message, found, calls),) if message else (),
        paragraphs([*_texts(message.get("content"), "text"), None, text_of(message.get("refusal")), None, problem]),
        paragraphs(_thoughts(message)),
    )


def results(_: Response, answers: Sequence[Answer]) -> list[JsonObject]:
    """A message for each result. They hold text only."""
    return [_result(answer.request, answer.result.text) for answer in answers]


def _calls(message: JsonObject) -> list[_Call]:
    """The calls of a message. A `function_call` beside `tool_calls` says the same again; without a name it is none."""
    entries = objects_of(message.get("tool_calls"))
    if entries:
        return [_Call.of(entry, _form(entry)) for entry in entries]
    legacy = object_of(message.get("function_call"))
    return [_Call.of({"function": legacy}, CallForm.LEGACY_FUNCTION)] if legacy.get("name") else []


def _form(entry: JsonObject) -> CallForm:
    custom = entry.get("type") == "custom" or ("custom" in entry and "function" not in entry)
    return CallForm.CUSTOM if custom else CallForm.FUNCTION


def _given_back(message: JsonObject, found: Sequence[_Call], calls: Sequence[CallRequest]) -> JsonObject:
    turn: dict[str, Json] = {"role": "assistant"}
    turn |= {
        key: value
        for key, value in message.items()
        if key not in _OUTPUT_ONLY and key != "role" and (key == "content" or value not in (None, ""))
    }
    audio = text_of(object_of(message.get("audio")).get("id"))
    if audio:
        turn["audio"] = {"id": audio}
    if not calls:
        turn["content"] = "" if turn.get("content") is None else turn["content"]
    elif found[0].form is CallForm.LEGACY_FUNCTION:
        turn["function_call"] = _function(found[0].body, calls[0])
    else:
        turn["tool_calls"] = [_entry(call, request) for call, request in zip(found, calls, strict=True)]
    return turn


def _entry(call: _Call, request: CallRequest) -> JsonObject:
    kept = {key: value for key, value in call.entry.items() if key != "index"}
    if call.form is CallForm.CUSTOM:
        body = {**call.body, "name": request.name, "input": text_of(call.body.get("input"))}
        return {**kept, "id": request.wire_id, "type": "custom", "custom": body}
    return {**kept, "id": request.wire_id, "type": "function", "function": _function(call.body, request)}


def _function(body: JsonObject, request: CallRequest) -> JsonObject:
    return {**body, "name": request.name, "arguments": given_back_text(body.get("arguments"), request)}


def _texts(content: Json, kind: str) -> list[str]:
    """The text of content that is a string, or parts of which some are text."""
    if isinstance(content, str):
        return [content] if kind == "text" else []
    return [text_of(part.get("text")) for part in objects_of(content) if part.get("type") == kind]


def _thoughts(message: JsonObject) -> list[str]:
    spoken = next((text for text in map(text_of, map(message.get, _THINKING)) if text), "")
    parts = [part for part in objects_of(message.get("content")) if part.get("type") == "thinking"]
    return [spoken, *(text for part in parts for text in _texts(part.get("thinking"), "text"))]


def _result(request: CallRequest, text: str) -> Mapping[str, Json]:
    if request.form is CallForm.LEGACY_FUNCTION:
        return {"role": "function", "name": request.name, "content": text}
    return {"role": "tool", "tool_call_id": request.wire_id, "content": text}

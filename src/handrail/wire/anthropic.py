"""The Messages wire: one assistant message of content blocks; results in one user message.

Client calls are `tool_use` blocks, also those that the provider's code execution makes (`caller`).
`server_tool_use`, `mcp_tool_use` and their results are the provider's own: given back, never run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from handrail.contract.basics import Json, JsonObject
from handrail.contract.calls import CallRequest, ObjectArguments
from handrail.contract.results import ImagePart, Part, TextPart, ToolResult, part_text
from handrail.contract.values import value
from handrail.errors import WireError
from handrail.wire.arguments import LENGTH_LIMIT, STREAM_ENDED, Cut, Raw, Whole, call_request
from handrail.wire.ids import unique_ids
from handrail.wire.jsontext import objects_of, text_of
from handrail.wire.media import base64_text
from handrail.wire.response import Answer, Response, Wire, error_text
from handrail.wire.text import paragraphs

_PAUSES = frozenset({"pause_turn", "compaction"})
"""Stop reasons after which the model goes on once it has its turn back."""

_LENGTH_STOPS = frozenset({"max_tokens", "model_context_window_exceeded"})

_IMAGES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
"""What an image block may hold; other media are named in text."""


@value
class Block:
    """One content block. `input` is what a `tool_use` carries, as an object or as the text that was streamed."""

    data: JsonObject
    input: Whole = None
    whole: bool = True
    """False when the stream ended inside it."""

    @property
    def is_call(self) -> bool:
        return self.data.get("type") == "tool_use"


def decode(message: JsonObject) -> Response:
    """A whole message. Raises WireError when it is none."""
    content = message.get("content")
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if not isinstance(content, list):
        problem = error_text(message)
        if not problem:
            raise WireError("not an anthropic response: expected an object with a `content` array")
        return Response(Wire.ANTHROPIC, (), (), problem, "")
    return response_of(blocks_of(content), text_of(message.get("stop_reason")))


def blocks_of(content: Json) -> list[Block]:
    return [Block(block, block.get("input")) for block in objects_of(content)]


def response_of(blocks: Sequence[Block], stop_reason: str, problem: str = "") -> Response:
    """`problem` is what an error event said in the middle of the stream."""
    others = [block.data.get("id") for block in blocks if not block.is_call]
    ids = iter(unique_ids([block.data.get("id") for block in blocks if block.is_call], others))
    ends_in_call = stop_reason in _LENGTH_STOPS and bool(blocks) and blocks[-1].is_call
    calls: list[CallRequest] = []
    turn: list[JsonObject] = []
    for block in blocks:
        if not block.is_call:
            turn.extend(_given_back(block))
            continue
        raw = _raw(block, at_limit=ends_in_call and block is blocks[-1])
        call = call_request(raw, id=next(ids), name=block.data.get("name"))
        calls.append(call)
        turn.append(_call_block(block.data, call))
    said = [text_of(b.data.get("text")) if b.data.get("type") == "text" else None for b in blocks]
    thought = [text_of(b.data.get("thinking")) if b.data.get("type") == "thinking" else None for b in blocks]
    return Response(
        Wire.ANTHROPIC,
        tuple(calls),
        ({"role": "assistant", "content": turn},) if turn else (),
        paragraphs([*said, None, problem]),
        paragraphs(thought),
        paused=stop_reason in _PAUSES and not calls,
    )


def results(response: Response, answers: Sequence[Answer]) -> list[JsonObject]:
    """All results in one user message, as the provider requires."""
    asked = {
        text_of(block.get("id")): block for turn in response.assistant for block in objects_of(turn.get("content"))
    }
    return [{"role": "user", "content": [_result(answer, asked) for answer in answers]}] if answers else []


def _raw(block: Block, *, at_limit: bool) -> Raw:
    if block.whole and not at_limit:
        return block.input
    return Cut(block.input, LENGTH_LIMIT if block.whole else STREAM_ENDED)


def _call_block(data: JsonObject, call: CallRequest) -> JsonObject:
    """The provider takes back objects only; for unusable arguments, an empty one. The result says the rest."""
    arguments = call.arguments
    value = arguments.value if isinstance(arguments, ObjectArguments) else {}
    return {**data, "id": call.wire_id, "name": call.name, "input": value}


def _given_back(block: Block) -> Iterator[JsonObject]:
    """Blank text is refused as input; so are blocks that were cut in the middle, text aside."""
    if block.data.get("type") == "text":
        if text_of(block.data.get("text")).strip():
            yield block.data
    elif block.whole:
        yield block.data


def _result(answer: Answer, asked: Mapping[str, JsonObject]) -> JsonObject:
    result: dict[str, Json] = {
        "type": "tool_result",
        "tool_use_id": answer.request.wire_id,
        "content": _content(answer.result, media=answer.failure is None),
    }
    if answer.failure is not None:
        result["is_error"] = True
    toolset = asked.get(answer.request.wire_id, {}).get("toolset_name")
    if toolset is not None:
        result["toolset_name"] = toolset
    return result


def _content(result: ToolResult, *, media: bool) -> Json:
    """Text alone as a string. An error may hold nothing but text."""
    blocks = [_content_block(part) for part in result.parts if part != TextPart("")]
    return blocks if media and any(block["type"] == "image" for block in blocks) else result.text


def _content_block(part: Part) -> JsonObject:
    match part:
        case ImagePart(data, media_type) if media_type in _IMAGES:
            return {
                "type": "image",
                "source": {"type": "base64", "media_type": media_type, "data": base64_text(data)},
            }
        case _:
            return {"type": "text", "text": part_text(part)}

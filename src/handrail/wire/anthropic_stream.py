"""The Messages wire, streamed: events put together to messages.

A stream can hold several messages. A message that another one follows before it ended is an attempt
that a proxy gave up and repeated; its thinking signatures and half calls are worth nothing, so the whole
attempt is dropped. A message that the stream itself cuts short is kept: its whole calls run, the one
that was being sent does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from handrail.contract.basics import Json, JsonObject
from handrail.contract.calls import ObjectArguments
from handrail.contract.values import mutable
from handrail.wire.anthropic import Block, blocks_of, response_of
from handrail.wire.arguments import JsonText, read_arguments
from handrail.wire.jsontext import index_of, object_of, text_of
from handrail.wire.response import Response, error_text
from handrail.wire.text import joined

_PIECES = {"text_delta": "text", "thinking_delta": "thinking", "input_json_delta": "partial_json"}
"""Deltas that add to what is there, and the key that holds the piece. What else a delta holds, it replaces."""


@mutable
class _OpenBlock:
    start: JsonObject
    pieces: list[str] = field(default_factory=list)
    """Of text, thinking or JSON: a block has only one of them."""
    citations: list[Json] = field(default_factory=list)
    replaced: dict[str, Json] = field(default_factory=dict)
    whole: bool = False

    def add(self, delta: JsonObject) -> None:
        kind = text_of(delta.get("type"))
        if kind in _PIECES:
            self.pieces.append(text_of(delta.get(_PIECES[kind])))
        elif kind == "citations_delta":
            self.citations.append(delta.get("citation"))
        else:
            self.replaced |= {key: value for key, value in delta.items() if key != "type"}

    def block(self) -> Block:
        text = joined(self.pieces)
        data: dict[str, Json] = {**self.start, **self.replaced}
        if self.citations:
            data["citations"] = self.citations
        match data.get("type"):
            case "text" | "thinking" as key:
                data[key] = text_of(data.get(key)) + text
            case "tool_use":
                return Block(data, JsonText(text) if text else data.get("input"), self.whole)
            case _ if text:
                arguments, _ = read_arguments(JsonText(text))
                data["input"] = arguments.value if isinstance(arguments, ObjectArguments) else {}
        return Block(data, whole=self.whole)


@mutable
class _Message:
    id: str = ""
    before: list[Block] = field(default_factory=list)
    """What the message held from its start."""
    blocks: list[_OpenBlock] = field(default_factory=list)
    at: dict[int, _OpenBlock] = field(default_factory=dict)
    """The newest block at each index."""
    stop_reason: str = ""
    ended: bool = False
    problem: str = ""

    @property
    def started(self) -> bool:
        return bool(self.id or self.before or self.blocks or self.problem)

    def start_block(self, event: JsonObject) -> None:
        block = _OpenBlock(object_of(event.get("content_block")))
        self.blocks.append(block)
        index = index_of(event.get("index"))
        self.at[len(self.blocks) - 1 if index is None else index] = block

    def block_of(self, event: JsonObject) -> _OpenBlock | None:
        """The block that an event is about; the newest one where its index leads nowhere."""
        index = index_of(event.get("index"))
        found = None if index is None else self.at.get(index)
        return found or (self.blocks[-1] if self.blocks else None)

    def response(self) -> Response:
        blocks = [*self.before, *(block.block() for block in self.blocks)]
        return response_of(blocks, self.stop_reason, self.problem)


def decode_stream(events: Sequence[JsonObject | None]) -> list[Response]:
    """The messages of a stream, in order; never none."""
    finished: list[_Message] = []
    message = _Message()
    for event in events:
        if event is None:
            continue
        if event.get("type") == "message_start":
            about = object_of(event.get("message"))
            id = text_of(about.get("id"))
            if id and id == message.id and not message.ended:
                continue
            if message.ended:
                finished.append(message)
            message = _Message(id, blocks_of(about.get("content")), stop_reason=text_of(about.get("stop_reason")))
        else:
            _apply(message, event)
    if message.started or not finished:
        finished.append(message)
    return [message.response() for message in finished]


def _apply(message: _Message, event: JsonObject) -> None:
    match event.get("type"):
        case "content_block_start":
            message.start_block(event)
        case "content_block_delta":
            block = message.block_of(event)
            if block is not None:
                block.add(object_of(event.get("delta")))
        case "content_block_stop":
            block = message.block_of(event)
            if block is not None:
                block.whole = True
        case "message_delta":
            message.stop_reason = text_of(object_of(event.get("delta")).get("stop_reason")) or message.stop_reason
            message.ended = message.ended or bool(message.stop_reason)
        case "message_stop":
            message.ended = True
        case "error":
            message.problem = error_text(event)

"""The Responses wire, streamed: events put together to responses.

The last event repeats the whole output, and is believed where it does. Without it, or where it is empty,
the items are put together from their own events; a call that was never finished is cut.
A response that another one follows before it ended is an attempt that was given up: dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from handrail.contract.basics import Json, JsonObject
from handrail.contract.values import mutable
from handrail.wire.arguments import STREAM_ENDED
from handrail.wire.jsontext import index_of, list_of, object_of, text_of
from handrail.wire.response import Response, error_text
from handrail.wire.responses import decode
from handrail.wire.streams import in_order
from handrail.wire.text import joined

_LAST = frozenset({"response.completed", "response.incomplete", "response.failed", "response.cancelled"})

_TEXTS = {
    "response.function_call_arguments": "arguments",
    "response.custom_tool_call_input": "input",
    "response.mcp_call_arguments": "arguments",
    "response.output_text": "text",
}
"""Events that bring text in pieces (`.delta`) and then whole (`.done`), and the key that holds the whole."""


@mutable
class _Item:
    data: JsonObject
    index: int | None
    pieces: list[str] = field(default_factory=list)
    done: bool = False
    """Nothing more can come: the item ended, or its arguments did."""

    @property
    def kind(self) -> str:
        return text_of(self.data.get("type"))

    def received(self) -> JsonObject | None:
        """The item with what came of it, or None where half of it is of no use to anybody."""
        text = joined(self.pieces)
        match self.kind:
            case "function_call" | "mcp_approval_request" | "mcp_call":
                return {**self.data, "arguments": text or self.data.get("arguments")}
            case "custom_tool_call":
                return {**self.data, "input": text or self.data.get("input")}
            case "message" if not self.done:
                part: JsonObject = {"type": "output_text", "text": text, "annotations": []}
                return {**self.data, "status": "incomplete", "content": [part]} if text else None
            case "reasoning" if not self.done:
                return None
            case _:
                return self.data


@mutable
class _Stream:
    about: JsonObject = field(default_factory=dict)
    """The response object of the newest event that has one."""
    items: list[_Item] = field(default_factory=list)
    by_id: dict[str, _Item] = field(default_factory=dict)
    at: dict[int, _Item] = field(default_factory=dict)
    ended: bool = False
    problem: JsonObject = field(default_factory=dict)

    def add(self, event: JsonObject) -> None:
        kind = text_of(event.get("type"))
        self.about = object_of(event.get("response")) or self.about
        self.ended = self.ended or kind in _LAST
        family, _, step = kind.rpartition(".")
        if kind == "error" or object_of(event.get("error")):
            self.problem = event
        elif kind == "response.output_item.added":
            self._start(event)
        elif kind == "response.output_item.done":
            item = self._item_of(event) or self._start(event)
            item.data, item.done, item.pieces = object_of(event.get("item")), True, []
        elif family in _TEXTS:
            self._add_text(event, _TEXTS[family], whole=step == "done")

    def response(self) -> Response:
        if list_of(self.about.get("output")) and self.ended:
            return decode(self.about)
        ordered = in_order(self.items, lambda item: item.index)
        received = [(item, data) for item in ordered if (data := item.received()) is not None]
        cut = {place: STREAM_ENDED for place, (item, _) in enumerate(received) if not item.done}
        output: list[Json] = [data for _, data in received]
        status = self.about.get("status") if self.ended else "incomplete"
        problem: Json = self.about.get("error") or error_text(self.problem)
        return decode({**self.about, "output": output, "status": status, "error": problem}, cut)

    def _start(self, event: JsonObject) -> _Item:
        item = _Item(object_of(event.get("item")), index_of(event.get("output_index")))
        self.items.append(item)
        self.by_id[text_of(item.data.get("id"))] = item
        if item.index is not None:
            self.at[item.index] = item
        return item

    def _item_of(self, event: JsonObject) -> _Item | None:
        """By id, else by index: some servers disguise the id anew in every event."""
        id = text_of(event.get("item_id")) or text_of(object_of(event.get("item")).get("id"))
        index = index_of(event.get("output_index"))
        found = self.by_id.get(id) if id else None
        return found or (self.at.get(index) if index is not None else None)

    def _add_text(self, event: JsonObject, key: str, *, whole: bool) -> None:
        item = self._item_of(event) or (self.items[-1] if self.items else None)
        if item is None or item.done:
            return
        if key == "text":
            item.pieces += [] if whole else [text_of(event.get("delta"))]
        elif whole:
            item.pieces, item.done = [text_of(event.get(key))], True
        else:
            item.pieces.append(text_of(event.get("delta")))


def decode_stream(events: Sequence[JsonObject | None]) -> list[Response]:
    """The responses of a stream, in order; never none."""
    finished: list[_Stream] = []
    stream = _Stream()
    for event in events:
        if event is None:
            continue
        if event.get("type") == "response.created" and not _continues(stream, event):
            if stream.ended:
                finished.append(stream)
            stream = _Stream()
        stream.add(event)
    if stream.about or stream.items or stream.problem or not finished:
        finished.append(stream)
    return [stream.response() for stream in finished]


def _continues(stream: _Stream, event: JsonObject) -> bool:
    id = object_of(event.get("response")).get("id")
    return not stream.ended and bool(id) and id == stream.about.get("id")

"""The Chat Completions wire, streamed: chunks put together to messages.

Providers disagree on how a fragment names its call: by `index`, by `id`, by neither, by an index that is
the same for all, by an id that changes with every fragment. A known id wins, then the newest call at that
index, then the last call. Only a fragment with a name begins a call where there already is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from handrail.contract.basics import Json, JsonObject
from handrail.contract.values import mutable
from handrail.wire.arguments import STREAM_ENDED
from handrail.wire.chat import response_of
from handrail.wire.jsontext import index_of, list_of, object_of, objects_of, parse, text_of
from handrail.wire.response import Response, error_text
from handrail.wire.streams import in_order, split
from handrail.wire.text import joined

_GROWING = frozenset({"content", "refusal", "reasoning", "reasoning_content", "thinking"})
"""Keys of a delta whose text is a piece of a longer one. What another key holds replaces what it held before."""


@mutable
class _Call:
    index: int | None
    id: str = ""
    kind: str = ""
    names: list[str] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    value: JsonObject | None = None
    """The arguments, from servers that don't write them as text."""
    beside: dict[str, Json] = field(default_factory=dict)
    """Extensions of the provider, as signatures of thoughts."""
    body_beside: dict[str, Json] = field(default_factory=dict)

    @property
    def is_complete(self) -> bool:
        """Whether nothing more can belong to its arguments."""
        try:
            return isinstance(parse(joined(self.pieces)), dict)
        except ValueError:
            return False

    def add(self, delta: JsonObject) -> None:
        self.kind = text_of(delta.get("type")) or self.kind
        self.beside |= {k: v for k, v in delta.items() if k not in ("index", "id", "type", "function", "custom")}
        body = _body(delta)
        name = text_of(body.get("name"))
        if name and self.names != [name]:
            self.names.append(name)
        for piece in (body.get("arguments"), body.get("input")):
            if isinstance(piece, str):
                self.pieces.append(piece)
            elif isinstance(piece, dict):
                self.value = piece
        self.body_beside |= {k: v for k, v in body.items() if k not in ("name", "arguments", "input")}
        if "custom" in delta:
            self.kind = "custom"

    def entry(self) -> JsonObject:
        key, content = ("custom", "input") if self.kind == "custom" else ("function", "arguments")
        carried = joined(self.pieces) if self.value is None else self.value
        body: dict[str, Json] = {**self.body_beside, "name": "".join(self.names), content: carried}
        return {**self.beside, "id": self.id, "type": key, key: body}


@mutable
class _Message:
    calls: list[_Call] = field(default_factory=list)
    by_id: dict[str, _Call] = field(default_factory=dict)
    at: dict[int, _Call] = field(default_factory=dict)
    """The newest call at each index."""
    legacy: _Call = field(default_factory=lambda: _Call(None))
    growing: dict[str, list[Json]] = field(default_factory=dict)
    beside: dict[str, Json] = field(default_factory=dict)
    details: list[dict[str, Json]] = field(default_factory=list)
    finish: str = ""

    def add(self, choice: JsonObject) -> None:
        self.finish = text_of(choice.get("finish_reason")) or self.finish
        for key, value in object_of(choice.get("delta")).items():
            if value is None:
                continue
            if key == "tool_calls":
                for delta in objects_of(value):
                    self._call_of(delta).add(delta)
            elif key == "function_call":
                self.legacy.add({"function": value})
            elif key == "reasoning_details":
                self._add_details(objects_of(value))
            elif key in _GROWING and isinstance(value, str | list):
                self.growing.setdefault(key, []).extend(list_of(value) or [value])
            else:
                self.beside[key] = value

    def message(self) -> JsonObject:
        message: dict[str, Json] = {key: _grown(pieces) for key, pieces in self.growing.items()}
        message |= self.beside
        if self.details:
            message["reasoning_details"] = self.details
        if self.calls:
            message["tool_calls"] = [call.entry() for call in in_order(self.calls, lambda call: call.index)]
        if self.legacy.names:
            message["function_call"] = self.legacy.entry()["function"]
        return message

    def _call_of(self, delta: JsonObject) -> _Call:
        id, index = text_of(delta.get("id")), index_of(delta.get("index"))
        name = text_of(_body(delta).get("name"))
        known = self.by_id.get(id)
        if known is not None and not (name and index not in (None, known.index)):  # one id for two calls: seen, too
            return known
        call = self.at.get(index) if index is not None else None if name or not self.calls else self.calls[-1]
        if call is None or (name and ((id and call.id) or call.is_complete)):
            call = _Call(index)
            self.calls.append(call)
            if index is not None:
                self.at[index] = call
        if id:
            call.id = call.id or id
            self.by_id[id] = call
        return call

    def _add_details(self, deltas: Sequence[JsonObject]) -> None:
        """Pieces of one detail share index and type; their texts grow, the rest is replaced."""
        for delta in deltas:
            detail = next((d for d in self.details if all(d.get(k) == delta.get(k) for k in ("index", "type"))), None)
            if detail is None:
                self.details.append(dict(delta))
                continue
            for key, value in delta.items():
                before = detail.get(key)
                grows = key in ("text", "summary", "data") and isinstance(value, str) and isinstance(before, str)
                if value is not None:
                    detail[key] = f"{before}{value}" if grows else value


def decode_stream(events: Sequence[JsonObject | None]) -> list[Response]:
    """The messages of a stream, in order; never none."""
    return [_response(turn) for turn in split(events, id_of=lambda event: event.get("id"), ends=_ends)]


def _response(events: Sequence[JsonObject | None]) -> Response:
    chunks = [event for event in events if event is not None]
    choices = [choice for chunk in chunks for choice in objects_of(chunk.get("choices"))]
    first = min((index_of(choice.get("index")) or 0 for choice in choices), default=0)
    message = _Message()
    for choice in choices:
        if (index_of(choice.get("index")) or 0) == first:
            message.add(choice)
    ended = bool(message.finish) or None in events
    problem = next(filter(None, map(error_text, chunks)), "")
    return response_of(message.message(), finish=message.finish, cut="" if ended else STREAM_ENDED, problem=problem)


def _ends(event: JsonObject) -> bool:
    return any(choice.get("finish_reason") for choice in objects_of(event.get("choices")))


def _body(delta: JsonObject) -> JsonObject:
    return object_of(delta.get("custom")) or object_of(delta.get("function"))


def _grown(pieces: Sequence[Json]) -> Json:
    """Pieces of text as one text; where some are parts of their own, all as parts."""
    if all(isinstance(piece, str) for piece in pieces):
        return joined(map(text_of, pieces))
    return [{"type": "text", "text": piece} if isinstance(piece, str) else piece for piece in pieces]

"""Reads a stream event by event: each call as soon as it is complete, and the whole response at the end.

A call is given early when nothing that may still come can change it: its wire has said that it ended, or its
arguments are a whole JSON object, to which nothing can be added. Calls without arguments wait for the end:
of a stream that is cut short, theirs may never have come. What is complete is not found out here but by the
wires' own decoders, from the events so far; here it is only known when it is worth asking them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import takewhile

from handrail.contract.basics import Json, JsonObject
from handrail.contract.calls import CallRequest, ObjectArguments
from handrail.errors import WireError
from handrail.wire.arguments import UNNAMED
from handrail.wire.broken import cut_back
from handrail.wire.detect import wire_of
from handrail.wire.jsontext import object_of, objects_of, text_of
from handrail.wire.read import decode
from handrail.wire.response import Response, Wire
from handrail.wire.sse import DONE

_ENDINGS = frozenset({"content_block_stop", "response.output_item.done", "response.function_call_arguments.done"})
"""Events after which a call may be complete, on the wires that say so."""


class StreamReader:
    """One response's stream. `wire` is found out unless given."""

    def __init__(self, wire: Wire | None = None) -> None:
        self._wire = wire
        self._events: list[Json] = []
        self._given: list[CallRequest] = []
        self._arguments: dict[Json, list[str]] = {}
        """On the chat wire: the pieces of each call's arguments so far, by its index."""

    def feed(self, event: Json) -> list[CallRequest]:
        """The calls that are complete with this event, in the order of the response."""
        self._events.append(event)
        if not isinstance(event, dict) or not self._may_complete(event):
            return []
        fresh = list(self._complete())
        self._given += fresh
        return fresh

    def finish(self) -> Response:
        """Raises WireError for what is no stream of one response."""
        return decode(self._events, self._wire)

    def broken_off(self) -> Response:
        """What a stream that has no end leaves: the calls that were given, and what was said until then."""
        if not self._given and not any(isinstance(event, dict) for event in self._events):
            return Response(self._wire or Wire.NEUTRAL, (), (), "", "")
        try:
            received = decode([*self._events, *self._ending()], self._wire)
        except WireError:
            return Response(self._wire or Wire.NEUTRAL, (), (), "", "")
        return cut_back(received, self._stand(received.calls))

    def _stand(self, calls: Sequence[CallRequest]) -> int:
        """How many of them were given; none beyond where the response began anew, or came in another order."""
        both = zip(calls, self._given, strict=False)
        return len([*takewhile(lambda pair: (pair[0].wire_id, pair[0].name) == (pair[1].wire_id, pair[1].name), both)])

    def _may_complete(self, event: JsonObject) -> bool:
        if text_of(event.get("type")) in _ENDINGS:
            return True
        match self._wire or wire_of(event):
            case Wire.OPENAI_CHAT:
                ended = [self._ends_arguments(delta) for delta in _call_deltas(event)]  # each is to be looked at
                return any(ended)
            case Wire.GEMINI:
                return '"functionCall"' in json.dumps(event.get("candidates"))
            case _:
                return False

    def _ends_arguments(self, delta: JsonObject) -> bool:
        body = object_of(delta.get("function"))
        index = delta.get("index")
        if body.get("name"):
            self._arguments[index] = []
        pieces = self._arguments.setdefault(index, [])
        pieces.append(text_of(body.get("arguments")))
        return pieces[-1].rstrip().endswith("}") and _is_whole("".join(pieces))

    def _complete(self) -> Iterator[CallRequest]:
        """The calls behind those that were given, up to the first that is not complete."""
        try:
            calls = decode([*self._events, *self._ending()], self._wire).calls
        except WireError:
            return
        given = len(self._given)
        if self._stand(calls) < given:
            return  # the response began anew, or came in another order: the end will tell
        for call in calls[given:]:
            if not isinstance(call.arguments, ObjectArguments) or not call.arguments.value or call.name == UNNAMED:
                return
            yield call

    def _ending(self) -> tuple[str, ...]:
        """The chat wire takes no call for whole before its end marker."""
        newest = self._events[-1]
        wire = self._wire or (wire_of(newest) if isinstance(newest, dict) else None)
        return (DONE,) if wire is Wire.OPENAI_CHAT else ()


def _call_deltas(event: JsonObject) -> Iterator[JsonObject]:
    for choice in objects_of(event.get("choices")):
        yield from objects_of(object_of(choice.get("delta")).get("tool_calls"))


def _is_whole(arguments: str) -> bool:
    try:
        return isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        return False

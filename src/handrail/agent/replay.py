"""A model that answers with what was recorded: to look at a run again, and to test what carries it out."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Sequence
from pathlib import Path

from handrail.agent.model import (
    CallBegun,
    ModelEvent,
    ModelRequest,
    Received,
    ResponseEnded,
    Stop,
    TextArrived,
)
from handrail.agent.models.telling import Told, teller_for
from handrail.contract.basics import Json, JsonObject, SessionId
from handrail.errors import ModelError, ModelFault, UsageError
from handrail.runtime.recalled import recall
from handrail.wire import Response, Wire
from handrail.wire.detect import wire_of
from handrail.wire.jsontext import list_of, objects_of, text_of


class ReplayModel:
    """Gives one recorded response for each request, in their order, whatever it is asked."""

    window = 0

    def __init__(self, responses: Sequence[Json], wire: Wire | None = None, name: str = "replay") -> None:
        """`responses` are documents of one wire, each a whole response or the list of its stream's events.

        `wire` is found out unless given. Raises UsageError where it can't be.
        """
        self.name = name
        self._responses = [_events(response) for response in responses]
        self.wire = wire or _wire(self._responses)
        self._given = 0

    async def respond(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """See `Model`. Raises ModelError where the recording is over, or broke off."""
        if self._given == len(self._responses):
            raise ModelError(
                ModelFault.REFUSED, f"the recording has {self._given} responses, and is asked for one more"
            )
        self._given += 1
        events = self._responses[self._given - 1]
        for event in _neutral(events) if self.wire is Wire.NEUTRAL else self._told(events):
            yield event

    def _told(self, events: Sequence[JsonObject]) -> Iterator[ModelEvent]:
        teller = teller_for(self.wire)
        for event in events:
            told: list[Told] = list(teller.tell(event))
            yield Received(event)
            yield from told
        if teller.failed or not teller.ended:
            raise ModelError(ModelFault.CUT, f"response {self._given} of the recording broke off")
        yield ResponseEnded(teller.usage, teller.stop)


def recorded_responses(journal: Path, session: SessionId) -> list[JsonObject]:
    """What a model sent in a session, as far as it made calls: a document each, in the form of its wire.

    Raises JournalError where there is no such session, UsageError where its words were deleted.
    """
    found = [turn.response() for turn in recall(journal, session).turns]
    kept = [response for response in found if response is not None]
    if len(kept) < len(found):
        raise UsageError(f"what the model said in session {session} is no longer in the journal")
    return [_document(response) for response in kept]


def _document(response: Response) -> JsonObject:
    """A response as its provider would have sent it, from the turn that is given back to it."""
    turn = response.assistant
    last = turn[-1] if turn else {}
    match response.wire:
        case Wire.ANTHROPIC:
            return {"type": "message", **last, "content": last.get("content", []), "stop_reason": "tool_use"}
        case Wire.OPENAI_CHAT:
            return {"choices": [{"index": 0, "message": last, "finish_reason": "tool_calls"}]}
        case Wire.OPENAI_RESPONSES:
            return {"object": "response", "status": "completed", "output": list(turn)}
        case Wire.GEMINI:
            return {"candidates": [{"index": 0, "content": last, "finishReason": "STOP"}]}
        case Wire.NEUTRAL:
            return last


def _events(response: Json) -> list[JsonObject]:
    """Of a whole response itself; of a stream its events, as recorders write them or by themselves."""
    if isinstance(response, dict) and wire_of(response) is None and "events" in response:
        response = response["events"]
    if isinstance(response, dict):
        return [response]
    found: list[JsonObject] = []
    for event in objects_of(list_of(response)):
        data = event.get("data")
        found.append(data if isinstance(data, dict) else event)
    return found


def _wire(responses: Sequence[Sequence[JsonObject]]) -> Wire:
    wires = (wire_of(event) for events in responses for event in events)
    found = next((wire for wire in wires if wire is not None), None)
    if found is None:
        raise UsageError("these are no responses of a known wire; say which it is")
    return found


def _neutral(events: Sequence[JsonObject]) -> Iterator[ModelEvent]:
    calls = [call for event in events for call in objects_of(event.get("calls"))]
    for event in events:
        if text := text_of(event.get("text")):
            yield TextArrived(text)
    for call in calls:
        yield CallBegun(text_of(call.get("name")))
    for event in events:
        yield Received(event)
    yield ResponseEnded(stop=Stop.CALLS if calls else Stop.END)

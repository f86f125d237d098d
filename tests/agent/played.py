"""A model that plays a script on one of the four wires, event by event, and breaks off or waits where it is told to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any

from handrail.agent.model import ModelEvent, ModelRequest, Received, ResponseEnded, Stop, TextArrived, Usage
from handrail.errors import ModelError, ModelFault
from handrail.wire import Wire
from paired import unpaired
from servers.anthropic_dialect import AnthropicDialect
from servers.chat_dialect import ChatDialect
from servers.dialect import Dialect
from servers.gemini_dialect import GeminiDialect
from servers.responses_dialect import ResponsesDialect
from servers.script import Turn, numbered

DIALECTS: Mapping[Wire, Callable[[], Dialect]] = {
    Wire.ANTHROPIC: AnthropicDialect,
    Wire.OPENAI_CHAT: ChatDialect,
    Wire.OPENAI_RESPONSES: ResponsesDialect,
    Wire.GEMINI: GeminiDialect,
}


USAGE = Usage(100, 0, 0, 10)


class PlayedModel:
    """Checks each conversation that it gets: `wrong` lists what no provider would take."""

    def __init__(
        self,
        wire: Wire,
        script: Sequence[Turn],
        *,
        cuts: Mapping[int, float] | None = None,
        stops: Mapping[int, Stop] | None = None,
        faults: Mapping[int, ModelFault] | None = None,
        usage: Usage = USAGE,
        window: int = 0,
        name: str = "played",
    ) -> None:
        """By the number of the request, from 1: which share of the events comes before the stream breaks off, why the
        response ends, and what is raised before anything comes."""
        self.name = name
        self.wire = wire
        self.window = window
        self.requests: list[ModelRequest] = []
        self.wrong: list[str] = []
        self.hangs: asyncio.Event | None = None
        """Set, each response waits for it behind its last event."""
        self.reached = asyncio.Event()
        """A response has come so far that it waits."""
        self._dialect = DIALECTS[wire]()
        self._script = numbered(script)
        self._cuts, self._stops, self._faults = dict(cuts or {}), dict(stops or {}), dict(faults or {})
        self._usage = usage
        self._played = 0

    async def respond(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        self.requests.append(request)
        number = len(self.requests)
        self.wrong += [f"request {number}: {problem}" for problem in unpaired(request.messages, self.wire)]
        if request.messages[0].get("role") != "user":
            self.wrong.append(f"request {number}: it begins with {request.messages[0]}")
        if (fault := self._faults.get(number)) is not None:
            raise ModelError(fault, f"request {number} fails")
        turn = self._script[self._played] if self._played < len(self._script) else Turn("Done.", id="last")
        events: list[Any] = [data for _, data in self._dialect.events(turn)]
        share = self._cuts.get(number)
        for event in events if share is None else events[: int(len(events) * share)]:
            if isinstance(event, dict):
                yield Received(event)
        if turn.text:
            yield TextArrived(turn.text)
        if share is not None:
            raise ModelError(ModelFault.CUT, f"request {number} broke off")
        if self.hangs is not None:
            self.reached.set()
            await self.hangs.wait()
        self._played += 1
        usual = Stop.CALLS if turn.uses else Stop.END
        yield ResponseEnded(self._usage, self._stops.get(number, usual))

"""What one process makes of the conversation: from where the one before it left, as far as it comes.

Beside the workspace it keeps what an application would keep, each line in the file before anything else happens:
`session.txt` the session's id, `lives.jsonl` when each process began, `asked.jsonl` every response that it asked its
model for, `turns.jsonl` the messages of each turn it was given, `told.jsonl` every outcome that was told, and
`errors.jsonl` what it was told instead.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from moments import ANSWER, DELIVERY, EFFECT, STREAM, TOLD, Moments
from thirty_calls import RULES, SCRIPT, STREAMED, TIDES, TIDES_BEFORE, Marks, attempted, person, tools

from handrail.contract.basics import CallId
from handrail.contract.calls import AwaitingApproval, Executing
from handrail.contract.confirmation import Answer
from handrail.contract.results import ToolResult
from handrail.errors import JournalError
from handrail.runtime.live import LiveCall
from handrail.runtime.turns import Turn
from handrail.session import Session
from handrail.wire import Wire
from servers.anthropic_dialect import AnthropicDialect
from servers.chat_dialect import ChatDialect
from servers.dialect import Dialect
from servers.gemini_dialect import GeminiDialect
from servers.responses_dialect import ResponsesDialect
from servers.script import Turn as ScriptedTurn

DIALECTS: dict[Wire, type[Dialect]] = {
    Wire.ANTHROPIC: AnthropicDialect,
    Wire.OPENAI_CHAT: ChatDialect,
    Wire.OPENAI_RESPONSES: ResponsesDialect,
    Wire.GEMINI: GeminiDialect,
}

NOT_KEPT = "journal"
"""In every message that says that an outcome could not be kept."""


@dataclass(frozen=True)
class Place:
    """The folder of one run, in which several lives follow each other."""

    folder: Path

    @property
    def workspace(self) -> Path:
        return self.folder / "work"

    @property
    def state(self) -> Path:
        return self.folder / "state"

    @property
    def session(self) -> str:
        """Its id; empty where none was opened."""
        name = self.folder / "session.txt"
        return name.read_text() if name.exists() else ""

    def name(self, session: str) -> None:
        (self.folder / "session.txt").write_text(session)

    @property
    def filler(self) -> Path:
        """What fills the journal's disk."""
        return self.state / "filler"

    def make(self) -> None:
        self.workspace.mkdir(parents=True)
        self.state.mkdir(mode=0o700, exist_ok=True)
        (self.workspace / TIDES).write_text(TIDES_BEFORE)

    def keep(self, book: str, entry: dict[str, Any]) -> None:
        descriptor = os.open(self.folder / f"{book}.jsonl", os.O_CREAT | os.O_APPEND | os.O_WRONLY)
        os.write(descriptor, json.dumps(entry).encode() + b"\n")
        os.close(descriptor)

    def times_asked(self, number: int) -> int:
        """How often the model was asked for the turn: again, where a response did not come to its end."""
        return sum(entry["number"] == number for entry in self.kept("asked"))

    def kept(self, book: str) -> list[dict[str, Any]]:
        path = self.folder / f"{book}.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


class Life:
    """One process."""

    def __init__(self, place: Place, wire: Wire, moments: Moments) -> None:
        self._place = place
        self._dialect = DIALECTS[wire]()
        self._moments = moments
        self._stops: list[asyncio.Future[bool]] = []
        self._begun: list[LiveCall] = []

    async def go_on(self) -> None:
        """Takes up what was left, and then plays the rest of the script."""
        place, left = self._place, self._place.session
        marks = Marks(place.workspace, lambda: self._moments.comes(EFFECT))
        place.keep("lives", {"at": time.time()})
        try:
            async with Session.open(place.workspace, session=left, mode="bypass", rules=RULES) as session:
                for tool in tools(marks, partial(self._to_be_stopped, session)):
                    session.add(tool)
                if left:
                    await self._take_up(session)
                else:
                    place.name(session.id)
                for number in range(self._turns_done() + 1, len(SCRIPT) + 1):
                    await self._finish(session, await session.run(self._response(number), on_ask=self._answer))
                await asyncio.gather(*self._stops)
        except JournalError as error:
            self._place.keep("errors", {"said": str(error)})

    def begun(self, live: LiveCall) -> None:
        self._begun.append(live)
        live.settled.add_done_callback(lambda settled: None if settled.cancelled() else self._told(live))

    def _told(self, live: LiveCall) -> None:
        """An outcome that somebody was told."""
        state = live.state
        said = state.fault.message if state.fault else ""
        self._place.keep(
            "told",
            {
                "call": state.request.id,
                "kind": type(state).__name__,
                "text": state.result.text,
                "fault": said,
                "sure": NOT_KEPT not in said,
            },
        )
        self._moments.comes(TOLD)

    def _response(self, number: int) -> object:
        """What the model says in this turn, whole or as a stream."""
        self._place.keep("asked", {"number": number})
        turn = attempted(number, self._place.times_asked(number))
        return self._stream(turn) if number in STREAMED else self._dialect.whole(turn)

    async def _stream(self, turn: ScriptedTurn) -> AsyncIterator[object]:
        """After every second call the model thinks until all have come as far as they can."""
        events = [event for _, event in self._dialect.events(turn) if event != "[DONE]"]  # that is an SDK's to read
        before = len(self._begun)
        for event in events:
            yield event
            if len(self._begun) > before:
                before = len(self._begun)
                self._moments.comes(STREAM)
                if before % 2 == 0:
                    for live in tuple(self._begun):
                        await live.rest()

    async def _take_up(self, session: Session) -> None:
        for turn in await session.take_up(on_ask=self._answer):
            await self._finish(session, turn)

    def _turns_done(self) -> int:
        return max((entry["number"] for entry in self._place.kept("turns") if entry["sure"]), default=0)

    def _answer(self, asked: AwaitingApproval) -> Answer:
        answer = person(asked)
        self._moments.comes(ANSWER)
        return answer

    async def _finish(self, session: Session, turn: Turn) -> None:
        while turn.waiting:
            held = [call.request.id for call in turn.waiting if isinstance(call, Executing)]
            assert held, f"it waits for nobody: {turn.waiting}"
            for call in held:
                session.deliver(call, ToolResult.of_text("from the client"))
                self._moments.comes(DELIVERY)
            turn = await session.resume(turn)
        faults = [call.fault.message for call in turn.calls if call.fault]
        self._place.keep(
            "turns",
            {
                "number": int(turn.response.calls[0].wire_id.split("_")[0].removeprefix("turn")),
                "calls": [call.request.id for call in turn.calls],
                "messages": list(turn.messages),
                "sure": not any(NOT_KEPT in message for message in faults),
            },
        )

    async def _to_be_stopped(self, session: Session, call: CallId) -> None:
        """Returns when the call, which runs, has been told to stop."""
        self._stops.append(asyncio.ensure_future(session.cancel(call, "it takes too long")))
        await asyncio.sleep(0)

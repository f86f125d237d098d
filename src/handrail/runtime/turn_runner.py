"""Carries out a model's responses: a batch of calls for each, submitted while the response still comes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import field, replace

from handrail.contract.basics import ApprovalId, CallId
from handrail.contract.calls import CallRequest, Canceller, UnusableArguments
from handrail.contract.confirmation import Answer
from handrail.contract.ports import Asker
from handrail.contract.values import mutable, value
from handrail.errors import ModelError, UnknownTool, UsageError
from handrail.runtime.approvals import Desk
from handrail.runtime.batches import Batch
from handrail.runtime.intake import ToolFinder
from handrail.runtime.live import LiveCall
from handrail.runtime.recovery import TakenTurn
from handrail.runtime.results import Budget
from handrail.runtime.scheduler import Scheduler
from handrail.runtime.speaker import Speaker
from handrail.runtime.turn_rows import KeptTurn, TurnKeeper
from handrail.runtime.turns import Turn, turn_of
from handrail.wire import Response, StreamReader, Wire, decode
from handrail.wire.objects import as_json

_END = object()
"""What a stream gives when it has no more events."""

_NOTHING_YET = Response(Wire.NEUTRAL, (), (), "", "")

_CALLER = Canceller("the caller")
_GIVEN_UP = Canceller("the stream", "what it was asked in was given up, and sent anew without it")
_BROKEN_OFF = Canceller("the stream", "it broke off, or could not be read to its end")


@value
class OnBehalf:
    """For whom a subagent's model makes its calls."""

    speaker: Speaker
    call: CallId
    """The call that gave it its task."""
    asker: Asker
    within: LiveCall | None
    """That call while it runs: the subagent's end with it. None: it works in the background."""


@mutable
class _OpenTurn:
    """A response's calls: those that were submitted so far, while it still comes."""

    batch: Batch
    asker: Asker | None
    calls: list[LiveCall] = field(default_factory=list)
    response: Response = _NOTHING_YET
    behalf: OnBehalf | None = None
    """None: the main model's."""
    stopped_by: Canceller | None = None
    """Who cancelled the turn: of calls that come after that, none starts."""


class TurnRunner:
    """The turns of one session that run or are parked."""

    def __init__(
        self,
        scheduler: Scheduler,
        desk: Desk,
        budget: Budget,
        keeper: TurnKeeper | None,
        find: ToolFinder,
        *,
        gated: bool = False,
    ) -> None:
        """`keeper` keeps turns beyond this process. `gated`: no call of a turn starts before every question about
        its calls is answered."""
        self._find = find
        self._scheduler = scheduler
        self._desk = desk
        self._budget = budget
        self._keeper = keeper
        self._gated = gated
        self._running: dict[str, _OpenTurn] = {}
        self._parked: dict[str, _OpenTurn] = {}
        self._count = 0

    async def run(
        self, response: object, wire: Wire | None, asker: Asker | None, id: str = "", behalf: OnBehalf | None = None
    ) -> Turn:
        """Returns when every call has its result, or rests; of a subagent's, when each has its result. Cancelled, it
        cancels the calls.

        Raises WireError for what can't be read, UsageError for an id that is taken.
        """
        self._count += 1
        id = id or self._free_id()
        if id in self._running or id in self._parked:
            raise UsageError(f"there is an open turn {id!r} already; give this one another id")
        turn = self._running[id] = _OpenTurn(self._scheduler.batch(gated=self._gated), asker, behalf=behalf)
        try:
            await self._receive(turn, response, wire)
            self._keep(id, turn)
            return await self._carried_out(id, turn)
        finally:
            del self._running[id]

    async def resume(self, id: str, answers: Mapping[ApprovalId, Answer]) -> Turn:
        """Gives answers to a parked turn's questions, and what became of it then.

        Raises UsageError for a turn that is not parked, and for an answer to a question that is not open.
        """
        parked = self._parked.get(id)
        if parked is None:
            raise UsageError(f"there is no parked turn {id!r} in this session")
        for approval, answer in answers.items():
            if not self._desk.answer(approval, answer, "resume"):
                raise UsageError(f"the question {approval!r} is not open: it is unknown, or was answered before")
        return await self._carried_out(id, parked)

    async def cancel(self, id: str, by: Canceller) -> bool:
        """Stops all calls of a turn, and waits until each has its result. False when no such turn is open.

        Who runs the turn gets it back with those results; a parked one is resumed for them.
        """
        turn = self._running.get(id) or self._parked.get(id)
        if turn is None:
            return False
        turn.stopped_by = by
        await self._scheduler.stop(turn.calls, by)
        return True

    async def until_kept(self, id: str) -> None:
        """Waits until all that a parked turn waits for can be answered after this process has ended, too: a call that
        made the one that is asked about, a subagent's among them, ends with the process."""
        parked = self._parked.get(id)
        if parked is not None:
            await self._scheduler.until_kept(parked.calls)

    def start_behind(self, place: int) -> None:
        """The session had so many turns before a restart."""
        self._count = place

    def take_up(self, turns: Sequence[TakenTurn]) -> None:
        """Turns from before a restart: they are parked until they are resumed."""
        for taken in turns:
            self._parked[taken.id] = _OpenTurn(self._scheduler.batch(), None, list(taken.calls), taken.response)

    def _keep(self, id: str, turn: _OpenTurn) -> None:
        """A turn without calls has nothing to be finished; a subagent's ends with the call that it works for."""
        if self._keeper is not None and turn.calls and turn.behalf is None:
            calls = tuple(call.state.request.id for call in turn.calls)
            self._keeper.keep_turn(KeptTurn(id, self._count, calls, turn.response))

    async def _receive(self, turn: _OpenTurn, response: object, wire: Wire | None) -> None:
        """Submits the calls of a response; of a stream, each as soon as it is complete."""
        stopped_by = _BROKEN_OFF
        try:
            if isinstance(response, Response):
                received = response
            elif isinstance(response, AsyncIterable):
                received = await self._read(turn, response, wire)
            elif isinstance(response, Iterator):
                received = await self._read(turn, _stepped(response), wire)
            else:
                received = decode(as_json(response), wire)
            await self._complete(turn, received.calls)
            turn.response = received
        except asyncio.CancelledError:
            stopped_by = _CALLER
            raise
        finally:
            if turn.response is _NOTHING_YET:
                await self._scheduler.stop(turn.calls, stopped_by)

    async def _read(self, turn: _OpenTurn, events: AsyncIterable[object], wire: Wire | None) -> Response:
        reader = StreamReader(wire)
        try:
            async for event in events:
                for request in reader.feed(as_json(event)):
                    turn.calls.append(self._submit(turn, request))
        except ModelError:
            return reader.broken_off()
        return reader.finish()

    async def _complete(self, turn: _OpenTurn, requests: Sequence[CallRequest]) -> None:
        """The whole response is there: what was submitted early stays, where it still is what the model asked for."""
        early = turn.calls
        if not early:
            turn.calls = self._all_submitted(turn, requests)
            self._scheduler.shut(turn.batch)
            return
        meant = [_is_meant(live.state.request, asked) for live, asked in zip(early, requests, strict=False)]
        turn.calls = [
            early[place] if place < len(meant) and meant[place] else self._submit(turn, request)
            for place, request in enumerate(requests)
        ]
        self._scheduler.shut(turn.batch)
        await self._scheduler.stop([live for live in early if live not in turn.calls], _GIVEN_UP)

    def _submit(self, turn: _OpenTurn, request: CallRequest) -> LiveCall:
        if (behalf := turn.behalf) is None:
            live = self._scheduler.submit(request, asker=turn.asker, batch=turn.batch)
        else:
            request = replace(request, id=CallId(f"{behalf.call}.{request.id}"), parent=behalf.call)
            live = self._scheduler.submit(request, behalf.within, behalf.asker, turn.batch, behalf.speaker)
        live.canceller = live.canceller or turn.stopped_by
        if self._leads(request, turn):
            turn.batch.lead(live.ticket)
        return live

    def _all_submitted(self, turn: _OpenTurn, requests: Sequence[CallRequest]) -> list[LiveCall]:
        """In the order of the requests, though those that lead enter first."""
        entering = sorted(range(len(requests)), key=lambda place: not self._leads(requests[place], turn))
        submitted = {place: self._submit(turn, requests[place]) for place in entering}
        return [submitted[place] for place in range(len(requests))]

    def _leads(self, request: CallRequest, turn: _OpenTurn) -> bool:
        try:
            return self._find(request, "" if turn.behalf is None else turn.behalf.speaker.model).tool.leads
        except UnknownTool:
            return False

    def _free_id(self) -> str:
        """`turn-N`, unless a caller named a turn so."""
        while (id := f"turn-{self._count}") in self._running or id in self._parked:
            self._count += 1
        return id

    async def _carried_out(self, id: str, turn: _OpenTurn) -> Turn:
        try:
            for call in turn.calls:
                await (call.rest() if turn.behalf is None else asyncio.shield(call.settled))
        except asyncio.CancelledError:
            await self._scheduler.stop(turn.calls, _CALLER)
            raise
        result = await self._outcome(id, turn)
        if result.waiting:
            self._parked[id] = turn
        else:
            self._parked.pop(id, None)
        return result

    async def _outcome(self, id: str, turn: _OpenTurn) -> Turn:
        if not all(call.settled.done() for call in turn.calls):
            return Turn(id, turn.response, tuple(call.state for call in turn.calls), ())
        settled = [call.settled.result() for call in turn.calls]
        results = await self._budget.fit_turn([(state.request.id, state.result) for state in settled])
        return turn_of(id, turn.response, settled, results)


def _is_meant(taken: CallRequest, asked: CallRequest) -> bool:
    """Whether a call that was submitted early is what the whole response asks for.

    Its id may be another: a response that is sent anew after it broke off asks for the same under new ids. One
    that is cut at its length limit calls its last call in question, though that had ended.
    """
    cut = isinstance(asked.arguments, UnusableArguments)
    return taken.name == asked.name and (taken.arguments == asked.arguments or cut)


async def _stepped(events: Iterator[object]) -> AsyncIterator[object]:
    """A stream that blocks, read in threads, one event at a time."""
    while (event := await asyncio.to_thread(next, events, _END)) is not _END:
        yield event

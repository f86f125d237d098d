"""The way of one call, from received to settled: each state has one handler, which gives the next state.

    Pending           found, validated, judged (`intake`)   → AwaitingApproval, Approved, Rejected, Failed
    AwaitingApproval  answered (`consent`)                  → Approved, Pending (edited), Rejected, Cancelled
    Approved          its turn came; looked again           → Executing, Pending (changed), Failed
    Executing         ran                                   → Completed, Failed, Cancelled, Interrupted

The loop in `carry_out` journals every state and tells the listeners; no handler does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

from handrail.contract.basics import Instant
from handrail.contract.calls import (
    Approved,
    AwaitingApproval,
    CallRequest,
    CallState,
    Cancelled,
    Canceller,
    Executing,
    Failed,
    Interrupted,
    OpenState,
    Pending,
    Rejected,
    SettledState,
)
from handrail.contract.events import CallChanged
from handrail.contract.ports import Checkpoints, Journal
from handrail.contract.results import ErrorKind
from handrail.contract.tool import Invocation
from handrail.contract.values import value
from handrail.errors import HandrailError, JournalError
from handrail.runtime import wording
from handrail.runtime.bus import Bus
from handrail.runtime.consent import Consent
from handrail.runtime.guard import Raised, Returned, TimedOut, guarded
from handrail.runtime.intake import Intake
from handrail.runtime.judge import Judge, Verdict
from handrail.runtime.live import AskedBefore, LiveCall
from handrail.runtime.order import Order
from handrail.runtime.running import Children, Running

MAX_LOOKS = 8
"""A call whose facts have changed at this many looks fails: nobody can approve a moving target."""


@value
class Records:
    """Where states are kept, and by which clock (seconds since the epoch)."""

    journal: Journal
    checkpoints: Checkpoints
    clock: Callable[[], float]

    def now(self) -> Instant:
        return Instant(self.clock())


class Executor:
    """Carries calls out, one `carry_out` for each, all on the session's loop."""

    def __init__(
        self, intake: Intake, consent: Consent, judge: Judge, order: Order, running: Running, records: Records, bus: Bus
    ) -> None:
        self._intake = intake
        self._consent = consent
        self._judge = judge
        self._order = order
        self._running = running
        self._records = records
        self._bus = bus

    def receive(self, request: CallRequest) -> Pending:
        return Pending.receive(request, self._records.now())

    def enter(self, live: LiveCall, state: CallState) -> None:
        """The call is in this state from now: journaled, and told."""
        live.state = state
        live.sequence = self._records.journal.append(state)
        if self._bus.is_heard:
            self._bus.tell(CallChanged(state))

    async def carry_out(self, live: LiveCall, children: Children) -> None:
        """Settles the call, whatever happens. Cancelled without a canceller, it leaves the call as it is."""
        live.begun = True
        try:
            if live.canceller is not None:
                self.enter(live, self._stopped(live, live.canceller))
            outcome = await guarded(self._advance(live, children))
            if live.settled.done():
                return
            if not isinstance(outcome, Returned) and isinstance(live.state, OpenState):
                self.enter(live, self._broken(live.state, outcome))
        except asyncio.CancelledError:
            if live.canceller is None or live.settled.done():
                raise
            _go_on_after_cancellation()
            self.enter(live, self._stopped(live, live.canceller))
        await self._report(live)

    def abandon(self, live: LiveCall, why: str) -> None:
        """Settles a call whose tool does not end: it started, and nobody knows how it will end."""
        if isinstance(live.state, Executing) and not live.settled.done():
            fault, result = wording.interrupted(live.state.invocation.tool.name, why)
            self.enter(live, live.state.interrupt(fault, result, self._records.now()))
            self._settle(live)

    async def _advance(self, live: LiveCall, children: Children) -> None:
        """From state to state, until the call is settled, here or by who gave it up meanwhile."""
        await self._records.journal.room()
        if live.asked_before is not None:
            await self._look_again(live, live.asked_before)
        while isinstance(live.state, OpenState):
            following = await self._next(live, live.state, children)
            if live.settled.done():
                return
            self.enter(live, following)

    async def _look_again(self, live: LiveCall, asked: AskedBefore) -> None:
        """After a restart a question stays open, and a yes valid, if the same would be asked now; a no is a no."""
        live.asked_before = None
        state = live.state
        if isinstance(state, AwaitingApproval) and self._consent.binds(state):
            return
        if isinstance(state, (AwaitingApproval, Approved)) and not await self._intake.stands(live, state, asked):
            self.enter(live, _decided_anew(state))

    def _next(self, live: LiveCall, state: OpenState, children: Children) -> Awaitable[CallState]:
        match state:
            case Pending():
                return self._intake.consider(live, state)
            case AwaitingApproval():
                return self._seek_consent(live, state)
            case Approved():
                return self._start(live, state)
            case Executing():
                return self._execute(live, state, children)

    async def _seek_consent(self, live: LiveCall, call: AwaitingApproval) -> CallState:
        following = await self._consent.seek(live, call)
        await self._intake.tell_answered(live, call, following)
        return following

    async def _start(self, live: LiveCall, call: Approved) -> Executing | Pending | Failed:
        await self._order.turn(live.ticket)
        if live.verdict is None or not await self._still_holds(live.verdict, call.invocation):
            self._order.step_back(live.ticket)
            live.looks += 1
            if live.looks < MAX_LOOKS:
                return call.reconsider()
            return self._not_started(call, "what it would touch kept changing while it was looked at")
        try:
            await self._records.checkpoints.keep(call)
        except HandrailError as error:
            return self._not_started(call, str(error))
        return call.start_execution(self._records.now())

    async def _still_holds(self, verdict: Verdict, invocation: Invocation) -> bool:
        """The same facts under the same policy, and what a person was shown is still what would happen."""
        if not await self._judge.still_holds(verdict, invocation):
            return False
        return verdict.preview is None or await self._intake.preview(verdict, invocation) == verdict.preview

    async def _execute(self, live: LiveCall, call: Executing, children: Children) -> SettledState:
        tool = call.invocation.tool
        if tool.client_side or not call.effects.is_empty:
            try:
                await self._records.journal.durable(live.sequence)
            except JournalError as error:
                return call.fail(*wording.faulty(ErrorKind.FAILED, f"It was not started: {error}"), self._records.now())
        live.started = call
        ended = await self._running.run(live, call, children)
        now = self._records.now()
        return call.fail(ended.fault, ended.result, now) if ended.fault else call.complete(ended.result, now)

    def _stopped(self, live: LiveCall, by: Canceller) -> Cancelled | Interrupted:
        now, state = self._records.now(), live.state
        if isinstance(state, Executing):
            if state.invocation.tool.on_cancel == "finish":
                why = f"it was given time to finish and did not ({by})"
                return state.interrupt(*wording.interrupted(state.invocation.tool.name, why), now)
            return state.cancel(*wording.cancelled(by, started=True, partial=live.partial_output), now)
        if isinstance(state, (Pending, AwaitingApproval, Approved)):
            return state.cancel(*wording.cancelled(by, started=False), now)
        raise HandrailError(f"{state.request.id} is settled already and can't be cancelled")

    def _broken(self, call: OpenState, why: Raised | TimedOut) -> Failed | Cancelled:
        """A fault of the runtime's own: even then the call has its result."""
        fault, result = wording.faulty(
            ErrorKind.FAILED, f"The runtime itself failed, which is not your doing: {why.message}"
        )
        if isinstance(call, AwaitingApproval):
            return call.cancel(fault, result, self._records.now())
        return call.fail(fault, result, self._records.now())

    def _not_started(self, call: Approved, why: str) -> Failed:
        tool = call.invocation.tool.name
        return call.fail(*wording.faulty(ErrorKind.FAILED, f"{tool} was not started: {why}."), self._records.now())

    async def _report(self, live: LiveCall) -> None:
        """The outcome is durable before anybody hears of it."""
        try:
            await self._records.journal.durable(live.sequence)
        except JournalError as error:
            live.state = self._not_kept(live.state, live.started, str(error))
        self._settle(live)

    def _not_kept(self, state: CallState, started: Executing | None, why: str) -> CallState:
        """A later reader of the journal finds a call that had started interrupted, and others still open."""
        if started is not None:
            said = wording.interrupted(started.invocation.tool.name, f"its outcome could not be kept. {why}")
            return started.interrupt(*said, self._records.now())
        if isinstance(state, (Failed, Rejected, Cancelled, Interrupted)) and why not in state.fault.message:
            fault, result = wording.not_kept(state.fault, state.result, why)
            return replace(state, fault=fault, result=result)
        return state

    def _settle(self, live: LiveCall) -> None:
        self._order.leave(live.ticket)
        state = live.state
        if isinstance(state, SettledState) and not live.settled.done():
            live.settled.set_result(state)


def _decided_anew(call: AwaitingApproval | Approved) -> Pending:
    return call.reconsider() if isinstance(call, Approved) else call.edit(call.invocation.arguments)


def _go_on_after_cancellation() -> None:
    """The cancellation was for the call, not for the task, which has the call to settle yet."""
    task = asyncio.current_task()
    while task is not None and task.cancelling():
        task.uncancel()

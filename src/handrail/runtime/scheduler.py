"""Takes calls in, each at once and in the order of the requests; cancels them; hands results over.

`submit` is the one entry: a batch is many submits and a wait. Who runs when is `order`'s; what happens
to a call is `executor`'s. Every task started here is awaited here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from handrail.contract.basics import CallId, Json, JsonObject
from handrail.contract.calls import (
    CallForm,
    CallRequest,
    CallState,
    Canceller,
    Executing,
    ObjectArguments,
    OpenState,
    SettledState,
    renumbered,
)
from handrail.contract.confirmation import PlanConfirmation, QuestionConfirmation
from handrail.contract.ports import Asker
from handrail.contract.results import FollowUp, ToolResult
from handrail.runtime.batches import Batch
from handrail.runtime.executor import Executor
from handrail.runtime.live import LiveCall
from handrail.runtime.order import Order
from handrail.runtime.questions import question_request, reply_in
from handrail.runtime.speaker import Speaker
from handrail.runtime.tickets import Gate

FINISH_GRACE = 10.0
"""Seconds a `finish` tool gets to end by itself after it was cancelled."""
STUBBORN_GRACE = 5.0
"""Seconds a cancelled tool gets to end, before its call is settled without it."""


class Scheduler:
    """The open calls of one session."""

    def __init__(self, executor: Executor, order: Order, asker: Asker, main: Speaker) -> None:
        """`asker` is asked about calls that come without one of their own, which `main` makes."""
        self._main = main
        self._executor = executor
        self._order = order
        self._asker = asker
        self._single = Batch()
        """The calls that were submitted one by one."""
        self._taken: set[CallId] = set()
        self._open: dict[CallId, LiveCall] = {}
        """Until their tasks have ended: later than they are settled, where a tool does not stop."""
        self._ended_by: Canceller | None = None
        self._left: dict[CallId, LiveCall] = {}
        """Children from before a restart, for their parents to find when they make the same calls again."""
        self._closing = False

    def batch(self, *, gated: bool = False) -> Batch:
        """For calls that are asked for together. Of a gated one none starts before each is decided: see `shut`."""
        return Batch(Gate() if gated else None)

    def shut(self, batch: Batch) -> None:
        """No more calls come to the batch."""
        if batch.gate is not None:
            self._order.shut(batch.gate)

    def submit(
        self,
        request: CallRequest,
        parent: LiveCall | None = None,
        asker: Asker | None = None,
        batch: Batch | None = None,
        speaker: Speaker | None = None,
    ) -> LiveCall:
        """Starts the call on its way. An id that was used before in this session gets a suffix.

        `speaker` made it; None: whoever made its parent.
        """
        if request.id in self._taken:
            request = renumbered(request, self._free_id(request.id))
        self._taken.add(request.id)
        live = self._live(self._executor.receive(request), parent, asker, batch, speaker)
        self._executor.enter(live, live.state)
        return self._begun(live)

    def reserve(self, ids: Iterable[CallId]) -> None:
        """No new call gets one of these: calls had them before a restart."""
        self._taken.update(ids)

    def take_up(
        self,
        state: CallState,
        parent: LiveCall | None = None,
        following: CallState | None = None,
        asker: Asker | None = None,
    ) -> LiveCall:
        """A call as the journal left it, on its way again; one that is settled has its outcome at once.

        `following` is a state that it enters because of the restart.
        """
        live = self._live(state, parent, asker, None)
        if parent is not None:
            self._left[state.request.id] = live
        if following is not None:
            self._executor.enter(live, following)
        if isinstance(state, SettledState):
            self._forget(live)
            self._order.leave(live.ticket)
            live.settled.set_result(state)
            return live
        return self._begun(live)

    def left_by(self, request: CallRequest) -> LiveCall | None:
        """The same call of the same parent from before a restart."""
        left = self._left.get(request.id)
        return left if left is not None and left.state.request == request else None

    def leaves(self, live: LiveCall) -> bool:
        """The session is closing, and the call keeps its state in the journal, to be taken up later.

        A child does so only with the call that made it.
        """
        if not self._closing or not live.at_rest or self._waits_for_children(live):
            return False
        return live.parent is None or self.leaves(live.parent)

    async def until_kept(self, calls: Iterable[LiveCall]) -> None:
        """Waits for those of these calls at rest that would end with the session, though what they wait for is only
        an answer: they made calls of their own, and can't be taken up where they stand."""
        while waiting := [live.settled for live in calls if not live.settled.done() and self._waits_for_children(live)]:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)

    def _live(
        self,
        state: CallState,
        parent: LiveCall | None,
        asker: Asker | None,
        batch: Batch | None,
        speaker: Speaker | None = None,
    ) -> LiveCall:
        speaker = speaker or (parent.speaker if parent else self._main)
        asker = asker or (parent.asker if parent else self._asker)
        batch = batch or self._single
        ticket = self._order.enter(parent.ticket if parent else None, batch.gate)
        live = LiveCall(state, ticket, asyncio.get_running_loop().create_future(), asker, batch, speaker, parent)
        self._open[state.request.id] = live
        batch.open[state.request.id] = ticket
        return live

    def _begun(self, live: LiveCall) -> LiveCall:
        live.canceller = self._ended_by
        live.task = asyncio.get_running_loop().create_task(self._carry_out(live))
        return live

    def _forget(self, live: LiveCall) -> None:
        live.batch.open.pop(live.state.request.id, None)
        self._open.pop(live.state.request.id, None)

    async def _carry_out(self, live: LiveCall) -> None:
        try:
            await self._executor.carry_out(live, ChildCalls(self, live))
        finally:
            self._forget(live)

    async def cancel(self, call: CallId, by: Canceller) -> bool:
        """Stops the call, and waits until it is settled. False when there is no such open call."""
        live = self._open.get(call)
        if live is None or live.settled.done():
            return False
        await self.stop((live,), by)
        return True

    async def cancel_all(self, by: Canceller) -> None:
        """Stops every open call, children with their parents, and waits until all are settled."""
        await self.stop(tuple(self._open.values()), by)

    async def end(self, by: Canceller) -> None:
        """Stops every open call, and from now on each new one before it starts: every call has its result."""
        self._ended_by = by
        await self.cancel_all(by)

    def deliver(self, call: CallId, result: ToolResult) -> bool:
        """A client-side call's result. False when the call is not held by the client: unknown, late, or a repeat."""
        live = self._open.get(call)
        if live is None or live.delivery is None or live.delivery.done():
            return False
        live.delivery.set_result(result)
        self._order.wake(live.ticket)  # now, so that whoever waits for rest from here on waits for what follows
        return True

    async def close(self) -> None:
        """Stops what runs. Calls that rest keep their state in the journal, to be taken up later."""
        self._closing = True
        running = [live for live in self._open.values() if not self.leaves(live)]
        await self.stop(running, Canceller("the session", "it was closed"))
        tasks = [live.task for live in self._open.values() if live.task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            # Not for ever: a tool that swallows every cancellation was given up already.
            await asyncio.wait(tasks, timeout=STUBBORN_GRACE)

    async def stop(self, calls: Iterable[LiveCall], by: Canceller) -> None:
        """Stops these calls, and waits until they are settled; one whose tool does not end is given up."""
        stopped = [live for live in calls if not live.settled.done()]
        for live in stopped:
            self._tell_to_stop(live, by)
        if not stopped:
            return
        patience = STUBBORN_GRACE + (FINISH_GRACE if any(map(_finishes, stopped)) else 0)
        await asyncio.wait([live.settled for live in stopped], timeout=patience)
        for live in stopped:
            self._executor.abandon(live, f"its tool did not stop when it was cancelled ({by})")

    def hand_on(self, live: LiveCall) -> None:
        """The call's tool has ended; from here on it only waits for the call that follows."""
        self._order.hand_on(live.ticket)

    def _tell_to_stop(self, live: LiveCall, by: Canceller) -> None:
        task = live.task
        if live.canceller is not None or task is None:
            return
        live.canceller = by
        if _finishes(live):
            timer = asyncio.get_running_loop().call_later(FINISH_GRACE, _cancel_if_open, live, task)
            live.settled.add_done_callback(lambda _: timer.cancel())
        elif live.begun:
            _cancel_if_open(live, task)

    def _waits_for_children(self, live: LiveCall) -> bool:
        """It rests only because its children do: it can't be taken up where it stands, unless all of them are
        questions, which it asks again."""
        if not isinstance(live.state, Executing) or not live.ticket.open_children:
            return False
        children = [child for child in self._open.values() if child.parent is live]
        return not all(child.state.request.form is CallForm.QUESTION for child in children)

    def _free_id(self, wanted: CallId) -> CallId:
        number = 2
        while CallId(f"{wanted}~{number}") in self._taken:
            number += 1
        return CallId(f"{wanted}~{number}")


class ChildCalls:
    """Makes the child calls of one call, and ends with it."""

    def __init__(self, scheduler: Scheduler, parent: LiveCall) -> None:
        self._scheduler = scheduler
        self._parent = parent
        self._children: list[LiveCall] = []
        self._batch: Batch | None = None

    async def call(self, tool: str, arguments: JsonObject) -> ToolResult:
        """One call through the whole pipeline, with the parent's denies. Its result, whatever it is."""
        settled = await asyncio.shield(self._submit(tool, arguments).settled)
        return settled.result

    async def ask(self, question: QuestionConfirmation | PlanConfirmation) -> Json:
        """`contract.context.Questions`: a child call that waits for the reply."""
        parent = self._parent.state.request.id
        child = self._begin(question_request(self._next_id(), parent, question))
        settled = await asyncio.shield(child.settled)
        return reply_in(settled.result)

    async def follow(self, following: FollowUp) -> SettledState:
        """The call that goes on in the parent's place; the parent's own effects are over."""
        child = self._submit(following.tool, following.arguments)
        child.follow_ups = self._parent.follow_ups + 1
        self._scheduler.hand_on(self._parent)
        return await asyncio.shield(child.settled)

    def _submit(self, tool: str, arguments: JsonObject) -> LiveCall:
        parent = self._parent.state.request.id
        return self._begin(CallRequest(self._next_id(), tool, ObjectArguments(arguments), parent=parent))

    def _next_id(self) -> CallId:
        return CallId(f"{self._parent.state.request.id}.{len(self._children) + 1}")

    def _begin(self, request: CallRequest) -> LiveCall:
        self._batch = self._batch or self._scheduler.batch()
        child = self._scheduler.left_by(request)
        if child is None:
            child = self._scheduler.submit(request, self._parent, batch=self._batch)
        self._children.append(child)
        return child

    async def close(self) -> None:
        """Cancels the children that nobody waits for any more."""
        children = [child for child in self._children if not self._scheduler.leaves(child)]
        if children:
            parent = self._parent.state.request.id
            await self._scheduler.stop(children, Canceller(f"the call {parent} that made it"))


def _cancel_if_open(live: LiveCall, task: asyncio.Task[None]) -> None:
    """A call with an outcome is let be: its task only waits for that to be durable."""
    if isinstance(live.state, OpenState):
        task.cancel()


def _finishes(live: LiveCall) -> bool:
    return isinstance(live.state, Executing) and live.state.invocation.tool.on_cancel == "finish"

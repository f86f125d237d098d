"""Takes calls in, each at once and in the order of the requests; cancels them; hands results over.

`submit` is the one entry: a batch is many submits and a wait. Who runs when is `order`'s; what happens
to a call is `executor`'s. Every task started here is awaited here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from handrail.contract.basics import CallId, JsonObject
from handrail.contract.calls import CallRequest, Canceller, Executing, ObjectArguments, OpenState, renumbered
from handrail.contract.ports import Asker
from handrail.contract.results import ToolResult
from handrail.runtime.executor import Executor
from handrail.runtime.live import LiveCall
from handrail.runtime.order import Order

FINISH_GRACE = 10.0
"""Seconds a `finish` tool gets to end by itself after it was cancelled."""
STUBBORN_GRACE = 5.0
"""Seconds a cancelled tool gets to end, before its call is settled without it."""


class Scheduler:
    """The open calls of one session."""

    def __init__(self, executor: Executor, order: Order, asker: Asker) -> None:
        """`asker` is asked about calls that come without one of their own."""
        self._executor = executor
        self._order = order
        self._asker = asker
        self._taken: set[CallId] = set()
        self._open: dict[CallId, LiveCall] = {}
        """Until their tasks have ended: later than they are settled, where a tool does not stop."""
        self._ended_by: Canceller | None = None

    def submit(self, request: CallRequest, parent: LiveCall | None = None, asker: Asker | None = None) -> LiveCall:
        """Starts the call on its way. An id that was used before in this session gets a suffix."""
        if request.id in self._taken:
            request = renumbered(request, self._free_id(request.id))
        self._taken.add(request.id)
        loop = asyncio.get_running_loop()
        asker = asker or (parent.asker if parent else self._asker)
        ticket = self._order.enter(parent.ticket if parent else None)
        state = self._executor.receive(request)
        live = LiveCall(state, ticket, loop.create_future(), asker, parent)
        self._open[request.id] = live
        self._executor.enter(live, live.state)
        live.canceller = self._ended_by
        live.task = loop.create_task(self._carry_out(live))
        return live

    async def _carry_out(self, live: LiveCall) -> None:
        try:
            await self._executor.carry_out(live, ChildCalls(self, live))
        finally:
            self._open.pop(live.state.request.id, None)

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
        running = [live for live in self._open.values() if not live.at_rest]
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

    async def call(self, tool: str, arguments: JsonObject) -> ToolResult:
        """One call through the whole pipeline, with the parent's denies. Its result, whatever it is."""
        parent = self._parent.state.request.id
        id = CallId(f"{parent}.{len(self._children) + 1}")
        child = self._scheduler.submit(CallRequest(id, tool, ObjectArguments(arguments), parent=parent), self._parent)
        self._children.append(child)
        settled = await asyncio.shield(child.settled)
        return settled.result

    async def close(self) -> None:
        """Cancels the children that nobody waits for any more."""
        if self._children:
            parent = self._parent.state.request.id
            await self._scheduler.stop(self._children, Canceller(f"the call {parent} that made it"))


def _cancel_if_open(live: LiveCall, task: asyncio.Task[None]) -> None:
    """A call with an outcome is let be: its task only waits for that to be durable."""
    if isinstance(live.state, OpenState):
        task.cancel()


def _finishes(live: LiveCall) -> bool:
    return isinstance(live.state, Executing) and live.state.invocation.tool.on_cancel == "finish"

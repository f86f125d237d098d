"""What a started call comes to: its tool's run or the client's result, a follow-up, the hooks' word, the budget."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, Protocol

from handrail.contract.calls import Executing, SettledState
from handrail.contract.hooks import ToolFault, ToolUsed
from handrail.contract.results import CallFault, ErrorKind, FollowUp, Part, ToolResult
from handrail.contract.tool import Tool
from handrail.contract.values import value
from handrail.runtime import notes, wording
from handrail.runtime.context import Making, Surroundings
from handrail.runtime.guard import Ending, Raised, Returned, TimedOut, guarded
from handrail.runtime.hook_outcome import Note
from handrail.runtime.hooks import Hooks, withheld
from handrail.runtime.live import LiveCall
from handrail.runtime.order import Order
from handrail.runtime.resolver import names_of
from handrail.runtime.results import Budget, shortened

MOST_FOLLOW_UPS = 8
"""Calls in one chain, the model's own aside: tools that hand on to each other without end are stopped."""

MOST_OF_A_FAULT = 10_000
"""Characters of the message of a call that failed."""


class Children(Making, Protocol):
    """The child calls of one running call."""

    async def follow(self, following: FollowUp) -> SettledState:
        """The call that goes on in this one's place, through the whole pipeline."""
        ...

    async def close(self) -> None:
        """Cancels those that are still open, and waits for them."""
        ...


@value
class Ended:
    """What a run came to: a result, and a fault where it is none."""

    result: ToolResult
    fault: CallFault | None = None


class Running:
    """Runs calls that have started, each in `run`."""

    def __init__(self, order: Order, hooks: Hooks, budget: Budget, shared: Surroundings) -> None:
        self._order = order
        self._hooks = hooks
        self._budget = budget
        self._shared = shared

    async def run(self, live: LiveCall, call: Executing, children: Children) -> Ended:
        """Never raises, but for cancellation."""
        jobs = self._order.jobs.beside(call.effects) if self._order.jobs.any else ()
        ended = _ended(call.invocation.tool, await self._outcome(live, call, children))
        said: tuple[Note, ...] = ()
        if self._is_hooked(ended):
            ended, said = await self._after_hooks(live, call, ended)
        if not self._budget.holds(ended.result, call.invocation.tool.max_result_chars):
            ended = await self._within_budget(call, ended)
        if said:
            ended = replace(ended, result=notes.with_context(ended.result, said))
        if ended.result.follow_up is not None and ended.fault is None:
            ended = await self._followed(live, call, ended.result.follow_up, children)
        if jobs or live.edited or live.hooked is not None:
            ended = replace(ended, result=_annotated(live, call, ended.result, jobs))
        return ended

    async def _outcome(self, live: LiveCall, call: Executing, children: Children) -> Ending[object]:
        tool = call.invocation.tool
        if tool.client_side:
            return await guarded(self._from_client(live), tool.timeout)
        output = self._shared.output(live)
        context = self._shared.context(live, call, children, output)
        try:
            return await guarded(call.invocation.run(context), tool.timeout)
        finally:
            output.close()
            await children.close()

    async def _from_client(self, live: LiveCall) -> ToolResult:
        """The client holds the call; the result comes by call id."""
        live.delivery = asyncio.get_running_loop().create_future()
        self._order.rest(live.ticket)
        try:
            return await live.delivery
        finally:
            self._order.wake(live.ticket)

    async def _within_budget(self, call: Executing, ended: Ended) -> Ended:
        result = await self._budget.fit(call.request.id, ended.result, call.invocation.tool.max_result_chars)
        return replace(ended, result=result)

    def _is_hooked(self, ended: Ended) -> bool:
        return bool((self._hooks.after_tool if ended.fault is None else self._hooks.on_failure).hooks)

    async def _after_hooks(self, live: LiveCall, call: Executing, ended: Ended) -> tuple[Ended, tuple[Note, ...]]:
        """What the hooks make of it, and add. They see all of a result: what is kept of it is theirs to withhold."""
        if ended.fault is not None:
            return ended, await self._after_failure(live, call, ended.fault)
        request, tool, agent = call.request, call.invocation.tool, live.speaker.agent
        used = ToolUsed(request.id, request.parent, tool.name, call.invocation.arguments, ended.result, agent)
        after = await self._hooks.after(used, names_of(tool))
        if after.withheld is not None or after.result is not ended.result:
            await self._shared.discard_output(live)
        if after.withheld is not None:
            why = notes.result_withheld(tool.name, withheld(after.withheld))
            return _failed(*wording.faulty(ErrorKind.DENIED, why)), after.notes
        if after.result is not ended.result:
            ended = _ended(tool, Returned(after.result))
        follow_up = after.follow_up or ended.result.follow_up
        return replace(ended, result=replace(ended.result, follow_up=follow_up)), after.notes

    async def _after_failure(self, live: LiveCall, call: Executing, fault: CallFault) -> tuple[Note, ...]:
        request, tool = call.request, call.invocation.tool
        told = ToolFault(
            request.id,
            request.parent,
            tool.name,
            call.invocation.arguments,
            fault.kind,
            fault.message,
            live.speaker.agent,
        )
        return await self._hooks.failed(told, names_of(tool))

    async def _followed(self, live: LiveCall, call: Executing, following: FollowUp, children: Children) -> Ended:
        """The other call's result stands for this one's, under the model's own id and name."""
        tool = call.invocation.tool.name
        if live.follow_ups >= MOST_FOLLOW_UPS:
            message = notes.endless_follow_ups(tool, following.tool, MOST_FOLLOW_UPS)
            return _failed(*wording.failed(tool, message, expected=True))
        try:
            settled = await children.follow(following)
        finally:
            await children.close()
        if settled.fault is None:
            return Ended(settled.result)
        message = notes.follow_up_failed(tool, following.tool, settled.fault.message)
        fault, result = wording.faulty(settled.fault.kind, message)
        return Ended(replace(result, parts=(*result.parts, *settled.result.parts[1:])), fault)


def _ended(tool: Tool[Any], outcome: Ending[object]) -> Ended:
    """What the tool's own run came to, before hooks and bounds."""
    if isinstance(outcome, Raised):
        return _failed(
            *wording.failed(tool.name, shortened(outcome.message, MOST_OF_A_FAULT), expected=outcome.expected)
        )
    if isinstance(outcome, TimedOut):
        return _failed(*wording.timed_out(tool.name, outcome.seconds))
    result = outcome.value
    if not isinstance(result, ToolResult):
        what = f"it returned {type(result).__name__}, not a ToolResult"
        return _failed(*wording.failed(tool.name, what, expected=False))
    if not all(isinstance(part, Part) for part in result.parts):
        return _failed(*wording.failed(tool.name, "its result holds a part of no known type", expected=False))
    return Ended(result, result.fault)


def _failed(fault: CallFault, result: ToolResult) -> Ended:
    return Ended(result, fault)


def _annotated(live: LiveCall, call: Executing, result: ToolResult, jobs: tuple[str, ...]) -> ToolResult:
    """With what the model has to know beside the result: other arguments ran, hooks spoke, jobs were at work."""
    arguments = call.invocation.arguments
    if live.edited:
        result = wording.with_edit(result, arguments)
    if live.hooked is not None and live.hooked.rewriters:
        result = notes.with_rewrite(result, live.hooked.rewriters, arguments)
    if live.hooked is not None:
        result = notes.with_context(result, live.hooked.notes)
    return notes.beside_jobs(result, jobs) if jobs else result

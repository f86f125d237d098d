"""A small random world for the runtime: calls, nesting, effects, approvals, hooks, jobs, cancellations, faults."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from handrail.contract.basics import CallId
from handrail.contract.calls import AwaitingApproval, CallState, Executing, SettledState
from handrail.contract.confirmation import Answer, CancelCall, EditArguments, Once, Reject
from handrail.contract.context import RunContext
from handrail.contract.effects import Claims, Effects, PathClaim
from handrail.contract.hooks import Block, Rewrite, ToolUse
from handrail.contract.ports import Unanswered
from handrail.contract.results import FollowUp, ToolResult
from handrail.errors import ToolFailed
from handrail.testing import FakeTool, MemoryJournal

NAMES = ("a", "b", "d", "d/x")
FAULTS = ("", "", "", "raise", "fail", "wrong", "cancel")


@dataclass(frozen=True)
class Plan:
    """What one call does, written into its arguments so that the tool can read it."""

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    unknown: bool = False
    steps: int = 0
    fault: str = ""
    ask: str = ""
    """yes, no, edit, cancel, nobody: what the person does; empty: the call is not asked about."""
    hook: str = ""
    """block, rewrite: what the hook before it does; empty: nothing."""
    waits: bool = False
    """It asks to wait for all earlier calls of its batch."""
    job: bool = False
    """It leaves a background job behind."""
    key: str = ""
    """Something exclusive; what stands before the colon is its class."""
    children: tuple[Plan, ...] = ()
    following: Plan | None = None
    """The call that it hands on to."""

    @property
    def tool(self) -> str:
        return "plan" if self.children else "leaf"

    def arguments(self, *, edited: bool = False) -> dict[str, Any]:
        waits = {"wait_for_previous": True} if self.waits else {}
        return waits | {
            "reads": list(self.reads),
            "writes": ["d/edited"] if edited else list(self.writes),
            "unknown": self.unknown,
            "steps": self.steps,
            "fault": self.fault,
            "ask": "" if edited else self.ask,
            "edited": edited,
            "hook": self.hook,
            "job": self.job,
            "key": self.key,
            "children": [[child.tool, child.arguments()] for child in self.children],
            "following": [self.following.tool, self.following.arguments()] if self.following else [],
        }


def plans(depth: int = 2) -> st.SearchStrategy[Plan]:
    children = st.lists(plans(depth - 1), max_size=2).map(tuple) if depth else st.just(())
    following = st.one_of(st.none(), st.none(), plans(depth - 1)) if depth else st.none()
    return st.builds(
        Plan,
        reads=st.lists(st.sampled_from(NAMES), max_size=2).map(tuple),
        writes=st.lists(st.sampled_from(NAMES), max_size=1).map(tuple),
        unknown=st.integers(0, 9).map(lambda n: n == 0),
        steps=st.integers(0, 3),
        fault=st.sampled_from(FAULTS),
        ask=st.sampled_from(("", "", "", "yes", "no", "edit", "cancel", "nobody")),
        hook=st.sampled_from(("", "", "", "", "block", "rewrite")),
        waits=st.integers(0, 4).map(lambda n: n == 0),
        job=st.integers(0, 4).map(lambda n: n == 0),
        key=st.sampled_from(("", "", "", "tab:1", "tab:2")),
        children=children,
        following=following,
    )


@dataclass
class Span:
    """One run of a tool: when it began and ended, counted in events, and what it could touch."""

    call: CallId
    parent: CallId | None
    effects: Effects
    edited: bool
    began: int
    ended: int = -1
    is_job: bool = False

    def overlaps(self, other: Span) -> bool:
        return not (self.ended < other.began or other.ended < self.began)


@dataclass
class World:
    """Watches what happens and answers questions as the calls' own plans say."""

    journal: WatchedJournal = field(default_factory=lambda: WatchedJournal())
    spans: dict[CallId, Span] = field(default_factory=dict)
    jobs: list[Span] = field(default_factory=list)
    running: dict[str, int] = field(default_factory=dict)
    """How many calls of each class run."""
    limits: Mapping[str, int] = field(default_factory=dict)
    ticks: int = 0
    violations: list[str] = field(default_factory=list)
    surface: str = "test"

    def tick(self) -> int:
        self.ticks += 1
        return self.ticks

    def tool(self) -> FakeTool:
        return FakeTool("plan", self.run, claims=_claims, needs_approval=_asked, makes_calls=True)

    def leaf(self) -> FakeTool:
        return FakeTool("leaf", self.run, claims=_claims, needs_approval=_asked)

    async def answer(self, call: AwaitingApproval) -> Answer | Unanswered:
        arguments = call.invocation.arguments
        await _steps(int(arguments["steps"]))
        match arguments["ask"]:
            case "no":
                return Reject("not today")
            case "edit":
                return EditArguments({**arguments, "writes": ["d/edited"], "ask": "", "edited": True})
            case "cancel":
                return CancelCall()
            case "nobody":
                return Unanswered.NOBODY
            case _:
                return Once()

    async def run(self, params: Mapping[str, Any], context: RunContext) -> ToolResult | str:
        state = self.journal.latest[context.call]
        if not isinstance(state, Executing):
            self.violations.append(f"{context.call} runs in state {type(state).__name__}")
            return "?"
        if not state.effects.is_empty and self.journal.durable_up_to < self.journal.number[context.call]:
            self.violations.append(f"{context.call} started before its start was durable")
        span = Span(context.call, context.parent, state.effects, bool(params["edited"]), self.tick())
        self.spans[context.call] = span
        classes = () if params["children"] else ("leaf", params["key"].partition(":")[0])
        self._count(classes, 1)
        if params["job"]:
            context.jobs.start("job", self._job(context.call, state.effects))
        try:
            await _steps(int(params["steps"]))
            for name, child in params["children"]:
                await context.calls.call(name, child)
            return _end(params["fault"], params["following"])
        finally:
            self._count(classes, -1)
            span.ended = self.tick()

    async def before(self, use: ToolUse) -> Block | Rewrite | None:
        match use.arguments["hook"]:
            case "block":
                return Block("not this one")
            case "rewrite":
                return Rewrite({**use.arguments, "writes": ["b"], "hook": ""})
            case _:
                return None

    async def _job(self, call: CallId, effects: Effects) -> None:
        span = Span(call, None, effects, edited=False, began=self.tick(), is_job=True)
        self.jobs.append(span)
        try:
            await _steps(5)
        finally:
            span.ended = self.tick()

    def _count(self, classes: Sequence[str], by: int) -> None:
        for name in classes:
            self.running[name] = self.running.get(name, 0) + by
            if self.running[name] > self.limits.get(name, 100):
                self.violations.append(f"{self.running[name]} calls of the class {name!r} run together")


class WatchedJournal(MemoryJournal):
    """Keeps, besides the states, what was made durable."""

    def __init__(self) -> None:
        super().__init__()
        self.latest: dict[CallId, CallState] = {}
        self.number: dict[CallId, int] = {}
        self.history: dict[CallId, list[CallState]] = {}
        self.durable_up_to = 0

    def append(self, state: CallState) -> int:
        number = super().append(state)
        self.latest[state.request.id] = state
        self.number[state.request.id] = number
        self.history.setdefault(state.request.id, []).append(state)
        return number

    async def durable(self, sequence: int) -> None:
        await asyncio.sleep(0)
        self.durable_up_to = max(self.durable_up_to, sequence)


def settled_durably(journal: WatchedJournal, call: CallId) -> bool:
    return isinstance(journal.latest[call], SettledState) and journal.durable_up_to >= journal.number[call]


def conflicting(one: Span, other: Span) -> bool:
    return one.effects.conflicts_with(other.effects)


def _asked(params: Mapping[str, Any]) -> bool:
    return bool(params["ask"])


def _claims(params: Mapping[str, Any]) -> Claims:
    if params["unknown"]:
        return Claims.unknown()
    return Claims(
        reads=tuple(PathClaim(name, "tree", spares_secrets=True) for name in params["reads"]),
        writes=tuple(PathClaim(name, "tree") for name in params["writes"]),
        keys=frozenset([params["key"]]) if params["key"] else frozenset(),
    )


def _end(fault: str, following: Sequence[Any]) -> ToolResult | str:
    match fault:
        case "raise":
            raise ZeroDivisionError("division by zero")
        case "fail":
            raise ToolFailed("There is no such thing.")
        case "wrong":
            return 7  # a fault on purpose: no ToolResult
        case "cancel":
            raise asyncio.CancelledError
        case _ if following:
            return ToolResult((), follow_up=FollowUp(*following))
        case _:
            return "ok"


async def _steps(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


def folder_with(root: Path) -> Path:
    (root / "d").mkdir(exist_ok=True)
    for name in ("a", "b", "d/x"):
        (root / name).write_text(name)
    return root

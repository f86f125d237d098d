"""Runs one tool as the runtime would, without policy or journal: bind, check, effects, context, run."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from handrail.catalog.registry import Registry
from handrail.catalog.search.deferred import SessionDeferredTools
from handrail.contract.agents import AgentOrder, AgentReply
from handrail.contract.basics import CallId, Json, JsonObject, SessionId
from handrail.contract.confirmation import Confirmation, PlanConfirmation, QuestionConfirmation
from handrail.contract.context import RunContext, Workspace
from handrail.contract.effects import Claims, Effects, PathClaim, PathEffect
from handrail.contract.launching import Launcher
from handrail.contract.results import ToolResult
from handrail.contract.skills import Skills
from handrail.contract.spill import Spill
from handrail.contract.tool import Tool
from handrail.errors import ToolFailed
from handrail.policy import Policy
from handrail.runtime.bus import Bus
from handrail.runtime.files import WorkspaceFiles
from handrail.runtime.jobs import JobsOfCall, SessionJobs
from handrail.runtime.judge import Judge
from handrail.runtime.ledger import ConversationLedger
from handrail.runtime.order import Order
from handrail.runtime.plan_mode import SessionPlanMode
from handrail.runtime.resolver import Resolver
from handrail.runtime.session_values import KeptValues
from handrail.runtime.shell_state import SessionShell
from handrail.runtime.skills import SessionSkills
from handrail.runtime.spilling import NoSpill
from handrail.sandbox.none import PlainLauncher


@dataclass
class SeenOutput:
    texts: list[str] = field(default_factory=list)
    topics: list[tuple[str, str, str]] = field(default_factory=list)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once anything was printed."""

    def text(self, text: str) -> None:
        self.texts.append(text)
        self.arrived.set()

    def progress(self, fraction: float | None, message: str = "") -> None: ...

    def notice(self, message: str) -> None: ...

    def topic(self, title: str, intent: str, summary: str) -> None:
        self.topics.append((title, intent, summary))


class OurNames:
    """Of a model that knows tools by their own names."""

    def of(self, tool: str) -> str:
        return tool


class NoCalls:
    async def call(self, tool: str, arguments: JsonObject) -> ToolResult:
        raise AssertionError("no built-in tool makes calls")


class NoAgents:
    async def start(self, order: AgentOrder) -> AgentReply:
        raise ToolFailed("no agents here")

    async def tell(self, to: str, message: str) -> AgentReply:
        raise ToolFailed("no agents here")


class NoQuestions:
    async def ask(self, question: QuestionConfirmation | PlanConfirmation) -> Json:
        raise AssertionError("no built-in tool asks")


class CheckFailed(Exception):
    """The tool's own check said no."""


@dataclass
class Bench:
    """A workspace to run tools in."""

    root: Path
    launcher: Launcher = field(default_factory=PlainLauncher)
    output: SeenOutput = field(default_factory=SeenOutput)
    ledger: ConversationLedger = field(default_factory=ConversationLedger)
    spill: Spill = field(default_factory=NoSpill)
    skills: Skills | None = None
    """Of the conversation that all runs at this bench belong to."""
    order: Order = field(default_factory=lambda: Order(10))
    values: KeptValues = field(default_factory=KeptValues)
    jobs: SessionJobs = field(init=False)
    shell: SessionShell = field(init=False)
    plan_mode: SessionPlanMode = field(init=False)
    deferred: SessionDeferredTools = field(init=False)

    def __post_init__(self) -> None:
        self.jobs = SessionJobs(self.order, Bus())
        self.shell = SessionShell(self.workspace)
        resolver = Resolver(self.workspace, Path.home(), None)
        judge = Judge(resolver, Policy())
        self.skills = self.skills or SessionSkills((), judge, resolver)
        self.deferred = SessionDeferredTools(Registry(), lambda tool: None)
        self.plan_mode = SessionPlanMode(judge, self.values, self.root, SessionId("s"), lambda message: None)

    @property
    def workspace(self) -> Workspace:
        return Workspace(self.root)

    def effects(self, claims: Claims) -> Effects:
        return Effects(
            reads=frozenset(self._resolved(claims.reads)),
            writes=frozenset(self._resolved(claims.writes)),
            certainty="unknown" if claims.shell is not None else claims.certainty,
        )

    def files(self, effects: Effects) -> WorkspaceFiles:
        return WorkspaceFiles(self.workspace, effects)

    async def run(self, tool: Tool[Any], **arguments: Any) -> ToolResult:
        invocation = tool.bind(arguments)
        problem = await invocation.check(self.workspace)
        if problem is not None:
            raise CheckFailed(problem)
        files = self.files(self.effects(invocation.claims()))
        parts = (
            self.workspace,
            files,
            self.launcher,
            self.output,
            NoCalls(),
            NoQuestions(),
            JobsOfCall(self.jobs, CallId("call-1"), self.order.enter()),
            self.ledger,
            self.spill,
            self.shell,
            self.skills,
            self.values,
            self.plan_mode,
            self.deferred,
            NoAgents(),
            OurNames(),
        )
        context = RunContext(CallId("call-1"), None, *parts)
        return await invocation.run(context)

    async def noted(self, path: str) -> None:
        """The ledger has it that the file was read as it is now."""
        self.ledger.note(await self.files(self.effects(Claims(reads=(PathClaim(path),)))).read(path))

    async def confirm(self, tool: Tool[Any], **arguments: Any) -> Confirmation:
        invocation = tool.bind(arguments)
        return await invocation.confirmation(self.files(self.effects(invocation.claims())), self.workspace)

    def _resolved(self, claims: Sequence[PathClaim]) -> list[PathEffect]:
        effects = []
        for claim in claims:
            named = self.workspace.absolute(claim.path)
            effects.append(PathEffect(named, Path(os.path.realpath(named)), claim.scope, claim.spares_secrets))
        return effects

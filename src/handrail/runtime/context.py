"""Builds what one running call may use, cut to its effects."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from handrail.contract.agents import Agents
from handrail.contract.calls import Executing
from handrail.contract.context import Calls, FileLedger, Output, Questions, RunContext, ShellState, Workspace
from handrail.contract.deferred import DeferredTools
from handrail.contract.jobs import Jobs
from handrail.contract.launching import Launcher
from handrail.contract.plan_mode import PlanMode
from handrail.contract.session_values import SessionValues
from handrail.contract.skills import Skills
from handrail.contract.values import value
from handrail.runtime.bus import Bus
from handrail.runtime.files import WorkspaceFiles
from handrail.runtime.jobs import JobsOfCall, SessionJobs
from handrail.runtime.ledger import ConversationLedger
from handrail.runtime.live import LiveCall
from handrail.runtime.live_output import LiveOutput
from handrail.runtime.spilling import CallSpill, NoSpill, SpillFolder


class Making(Calls, Questions, Protocol):
    """Makes the child calls of one call, questions among them."""


class Employing(Protocol):
    """Gives a running call its way to subagents."""

    def agents_of(self, live: LiveCall, output: Output, jobs: Jobs) -> Agents: ...


class Naming(Protocol):
    """Knows what families call tools."""

    def name_of(self, tool: str, model: str = "") -> str: ...


@value
class NamesFor:
    """`contract.context.ToolNames` for one model; empty: the main one."""

    naming: Naming
    model: str

    def of(self, tool: str) -> str:
        return self.naming.name_of(tool, self.model)


@value
class Surroundings:
    """What all calls of a session share."""

    workspace: Workspace
    launcher: Launcher
    bus: Bus
    jobs: SessionJobs
    clock: Callable[[], float]
    """Seconds."""
    spilled: SpillFolder | None
    """None keeps nothing of what is too long for a result."""
    shell: ShellState
    values: SessionValues
    plan_mode: PlanMode
    skills: Skills
    deferred: DeferredTools
    employment: Employing
    naming: Naming

    def output(self, live: LiveCall) -> LiveOutput:
        return LiveOutput(live, self.bus, self.clock)

    def context(self, live: LiveCall, call: Executing, calls: Making, output: LiveOutput) -> RunContext:
        jobs = JobsOfCall(self.jobs, call.request.id, live.ticket)
        return RunContext(
            call=call.request.id,
            parent=call.request.parent,
            workspace=self.workspace,
            files=WorkspaceFiles(self.workspace, call.effects),
            launcher=self.launcher,
            output=output,
            calls=calls,
            questions=calls,
            jobs=jobs,
            ledger=_ledger_of(live),
            spill=CallSpill(self.spilled, call.request.id) if self.spilled else NoSpill(),
            shell=self.shell,
            skills=self.skills,
            values=self.values,
            plan_mode=self.plan_mode,
            deferred=self.deferred,
            agents=self.employment.agents_of(live, output, jobs),
            names=NamesFor(self.naming, live.speaker.model),
        )

    async def discard_output(self, live: LiveCall) -> None:
        """Takes away what the call kept of its output, and what it showed of files."""
        call = live.state.request.id
        live.speaker.ledger.take_back(call)
        if self.spilled is None:
            return
        try:
            await asyncio.to_thread(self.spilled.discard, call)
        except OSError as error:
            path, why = self.spilled.output(call), error.strerror or type(error).__name__
            self.bus.notice(f"{path} holds output that a hook took back, and could not be removed ({why}). Remove it.")


def _ledger_of(live: LiveCall) -> FileLedger:
    """What a call gives goes to the model that made it; or to the tool that did, which has been shown nothing yet."""
    parent = live.parent
    by_model = parent is None or parent.speaker is not live.speaker
    return live.speaker.ledger.of(live.state.request.id) if by_model else ConversationLedger()

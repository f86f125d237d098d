"""Builds what one running call may use, cut to its effects."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from handrail.contract.basics import CallId
from handrail.contract.calls import Executing
from handrail.contract.context import Calls, FileLedger, Questions, RunContext, ShellState, Workspace
from handrail.contract.deferred import DeferredTools
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


@value
class Surroundings:
    """What all calls of a session share."""

    workspace: Workspace
    launcher: Launcher
    bus: Bus
    jobs: SessionJobs
    clock: Callable[[], float]
    """Seconds."""
    ledger: ConversationLedger
    """Of the model that the session's own calls come from."""
    spilled: SpillFolder | None
    """None keeps nothing of what is too long for a result."""
    shell: ShellState
    values: SessionValues
    plan_mode: PlanMode
    skills: Skills
    deferred: DeferredTools

    def output(self, live: LiveCall) -> LiveOutput:
        return LiveOutput(live, self.bus, self.clock)

    def context(self, live: LiveCall, call: Executing, calls: Making, output: LiveOutput) -> RunContext:
        return RunContext(
            call=call.request.id,
            parent=call.request.parent,
            workspace=self.workspace,
            files=WorkspaceFiles(self.workspace, call.effects),
            launcher=self.launcher,
            output=output,
            calls=calls,
            questions=calls,
            jobs=JobsOfCall(self.jobs, call.request.id, live.ticket),
            ledger=self._ledger_of(call),
            spill=CallSpill(self.spilled, call.request.id) if self.spilled else NoSpill(),
            shell=self.shell,
            skills=self.skills,
            values=self.values,
            plan_mode=self.plan_mode,
            deferred=self.deferred,
        )

    async def discard_output(self, call: CallId) -> None:
        """Takes away what the call kept of its output, and what it showed of files."""
        self.ledger.take_back(call)
        if self.spilled is None:
            return
        try:
            await asyncio.to_thread(self.spilled.discard, call)
        except OSError as error:
            path, why = self.spilled.output(call), error.strerror or type(error).__name__
            self.bus.notice(f"{path} holds output that a hook took back, and could not be removed ({why}). Remove it.")

    def _ledger_of(self, call: Executing) -> FileLedger:
        """The result of a child call goes to the tool that made it, which has been shown nothing yet."""
        return self.ledger.of(call.request.id) if call.request.parent is None else ConversationLedger()

"""Builds what one running call may use, cut to its effects."""

from __future__ import annotations

from handrail.contract.calls import Executing
from handrail.contract.context import Calls, RunContext, Workspace
from handrail.contract.events import NoticeGiven, OutputArrived, ProgressMade
from handrail.contract.launching import Launcher
from handrail.contract.values import value
from handrail.runtime.bus import Bus
from handrail.runtime.files import WorkspaceFiles
from handrail.runtime.live import LiveCall


@value
class Surroundings:
    """What all calls of a session share."""

    workspace: Workspace
    launcher: Launcher
    bus: Bus

    def context(self, live: LiveCall, call: Executing, calls: Calls) -> RunContext:
        return RunContext(
            call=call.request.id,
            parent=call.request.parent,
            workspace=self.workspace,
            files=WorkspaceFiles(self.workspace, call.effects),
            launcher=self.launcher,
            output=_LiveOutput(live, self.bus),
            calls=calls,
        )


@value
class _LiveOutput:
    live: LiveCall
    bus: Bus

    def text(self, text: str) -> None:
        self.live.note_output(text)
        self.bus.tell(OutputArrived(self.live.state.request.id, text))

    def progress(self, fraction: float, message: str = "") -> None:
        self.bus.tell(ProgressMade(self.live.state.request.id, min(1.0, max(0.0, fraction)), message))

    def notice(self, message: str) -> None:
        self.bus.tell(NoticeGiven(self.live.state.request.id, message))

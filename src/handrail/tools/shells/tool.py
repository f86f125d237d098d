"""What `shell` and `powershell` have in common: all but the shell itself."""

from __future__ import annotations

from handrail.contract.confirmation import ExecConfirmation
from handrail.contract.context import FileReader, Output, ShellState, ToolNames, Workspace
from handrail.contract.effects import Claims, Dialect
from handrail.contract.jobs import Jobs
from handrail.contract.launching import Launcher
from handrail.contract.results import ToolResult
from handrail.contract.spill import Spill
from handrail.contract.tool import Kind, Tool
from handrail.tools.shells.parameters import Params


class ShellTool(Tool[Params]):
    """Runs a script in a shell of its own, in the folder in which the session's shell stands."""

    kind = Kind.EXECUTE
    output_streams = True
    dialect: Dialect

    async def check(self, params: Params, workspace: Workspace) -> str | None:
        if "\0" in params.command:
            return "command holds a NUL character, which no program can be given. Use printf '\\0' to make one."
        return None

    def effects(self, params: Params) -> Claims:
        return Claims(shell=params.command, dialect=self.dialect)

    def describe(self, params: Params) -> str:
        first, *others = params.command.strip().split("\n")
        return params.description or (f"{first} …" if others else first)

    async def confirmation(self, params: Params, files: FileReader, workspace: Workspace) -> ExecConfirmation:
        """The runtime adds the commands it found: parsing is the policy's."""
        return ExecConfirmation(self.describe(params), params.command, commands=())

    async def run(
        self,
        params: Params,
        workspace: Workspace,
        launcher: Launcher,
        output: Output,
        spill: Spill,
        jobs: Jobs,
        shell: ShellState,
        names: ToolNames,
    ) -> ToolResult:
        # An event loop is as long to load as all the tools together, and whoever only lists them needs none.
        from handrail.tools.shells.running import Run

        return await Run(self.dialect, params, launcher, workspace, names).carried_out(output, spill, jobs, shell)

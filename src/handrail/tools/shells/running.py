"""Runs a script in a shell: to its end, to its time limit, or on in the background."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from pathlib import Path

from handrail.contract.context import Output, ShellState, ToolNames, Workspace
from handrail.contract.effects import Dialect
from handrail.contract.jobs import Jobs
from handrail.contract.launching import Child, Launcher, LaunchSpec
from handrail.contract.results import ToolResult
from handrail.contract.spill import Spill
from handrail.contract.values import value
from handrail.errors import LauncherError, ToolFailed
from handrail.policy.wording import shortened
from handrail.tools.shells.capture import Capture
from handrail.tools.shells.command import Command
from handrail.tools.shells.console import ShellConsole
from handrail.tools.shells.outcome import ended, goes_on
from handrail.tools.shells.parameters import MOST_CHARACTERS, Params
from handrail.tools.shells.programs import bash_argv, powershell_argv
from handrail.tools.shells.standing import Standing, next_folder

SETTLING = 0.5
"""Seconds that a command in the background is waited for: one that fails at once says so in its result."""

_ARGV = {"bash": bash_argv, "powershell": powershell_argv}


@value
class Run:
    """One script, and where it runs."""

    dialect: Dialect
    params: Params
    launcher: Launcher
    workspace: Workspace
    names: ToolNames

    async def carried_out(self, output: Output, spill: Spill, jobs: Jobs, shell: ShellState) -> ToolResult:
        """Raises ToolFailed for a command that can't be started."""
        params, workspace = self.params, self.workspace
        folder = await shell.enter()
        capture = Capture(output, spill, 0 if params.background else MOST_CHARACTERS)
        console = ShellConsole(capture) if params.background or params.on_timeout == "background" else None
        tells = self.dialect == "bash" and not params.background
        with Standing(params.command) if tells else nullcontext() as standing:
            spec = self._spec(folder, shell, standing)
            command = Command(self.launcher, spec, capture, capture.feed if console is None else console.feed)
            try:
                finished = await command.ended(SETTLING if params.background else params.timeout)
                if finished is None and console is not None:
                    return await _in_background(params, command, console, jobs, self.names)
                finished = finished or await command.stop()
            except LauncherError as error:
                raise ToolFailed(f"The command was not run. {error}") from error
            except asyncio.CancelledError:
                await command.cancel()
                raise
            note = await next_folder(standing, params.command, shell, workspace) if standing is not None else ""
        # In a thread: what a terminal would show of a megabyte of escapes takes a while.
        return await asyncio.to_thread(ended, params, finished, capture, note)

    def _spec(self, folder: Path, shell: ShellState, standing: Standing | None) -> LaunchSpec:
        environment = {**shell.environment, **(standing.environment if standing is not None else {})}

        def on_start(child: Child) -> None:
            if standing is not None:
                standing.of(child.pid)

        return LaunchSpec(
            _ARGV[self.dialect](self.params.command, environment),
            cwd=folder,
            env=environment,
            stdin="open" if self.params.background else "closed",
            handles=standing.handles if standing is not None else (),
            on_start=on_start,
        )


async def _in_background(
    params: Params, command: Command, console: ShellConsole, jobs: Jobs, names: ToolNames
) -> ToolResult:
    console.capture.file_all()
    console.belongs_to(command)
    job = jobs.start(shortened(params.command), console.watch(), console)
    await asyncio.sleep(0)  # so that the job has begun: what never begins can't be stopped
    pid = command.child.pid if command.child is not None else None
    return await asyncio.to_thread(goes_on, params, job, pid, console.capture, names)

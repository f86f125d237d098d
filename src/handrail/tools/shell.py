"""Run a shell command to its end."""

from __future__ import annotations

import codecs
import os
import shutil
import signal

from pydantic import Field

from handrail.contract.basics import JsonObject
from handrail.contract.confirmation import ExecConfirmation
from handrail.contract.context import Environment, FileReader, Output, Workspace
from handrail.contract.effects import Claims
from handrail.contract.launching import Finished, Launcher, LaunchSpec
from handrail.contract.results import CallFault, ErrorKind, TerminalDisplay, TextPart, ToolResult
from handrail.contract.tool import Kind, Tool
from handrail.errors import LauncherError, ToolFailed
from handrail.runtime.environment import child_environment
from handrail.tools.descriptions import description_of
from handrail.tools.parameters import Parameters
from handrail.tools.text.printed import printed

DEFAULT_TIMEOUT, LONGEST_TIMEOUT = 120, 600
"""Seconds."""
KEPT_OUTPUT = 1_000_000
"""Bytes of output held in memory, from its start and its end, before what only a terminal needs is taken out."""
MOST_CHARACTERS = 30_000
"""Of output in one result: about what 7,500 tokens hold."""
_SHELLS = ("bash", "sh")


class Params(Parameters):
    command: str = Field(min_length=1, description="What bash runs, as one script.")
    description: str = Field(default="", description="What it is for, in a few words, for the person who is asked.")
    timeout: int = Field(
        default=DEFAULT_TIMEOUT, ge=1, le=LONGEST_TIMEOUT, description="Seconds after which it is stopped."
    )


class Shell(Tool[Params]):
    name = "shell"
    title = "Run a command"
    kind = Kind.EXECUTE
    aliases = ("run_shell_command", "bash", "local_shell")
    description = description_of("shell")
    output_streams = True

    def enabled(self, environment: Environment) -> bool:
        return any(environment.find_program(shell) for shell in _SHELLS)

    async def check(self, params: Params, workspace: Workspace) -> str | None:
        if "\0" in params.command:
            return "command holds a NUL character, which no program can be given. Use printf '\\0' to make one."
        return None

    def effects(self, params: Params) -> Claims:
        return Claims(shell=params.command)

    def describe(self, params: Params) -> str:
        first, *others = params.command.strip().split("\n")
        return params.description or (f"{first} …" if others else first)

    async def confirmation(self, params: Params, files: FileReader, workspace: Workspace) -> ExecConfirmation:
        """The runtime adds the commands it found: parsing is the policy's."""
        return ExecConfirmation(self.describe(params), params.command, commands=())

    async def run(self, params: Params, workspace: Workspace, launcher: Launcher, output: Output) -> ToolResult:
        environment = child_environment(os.environ)
        spec = LaunchSpec(
            # `--` keeps a command that starts with a dash from being taken for options of the shell.
            (_shell(environment.get("PATH", os.defpath)), "-c", "--", params.command),
            cwd=workspace.root,
            env=environment,
            timeout=params.timeout,
            keep_output=KEPT_OUTPUT,
        )
        try:
            finished = await launcher.run(spec, _Live(output).feed)
        except LauncherError as error:
            raise ToolFailed(f"The command was not run. {error}") from error
        return _result(params, finished)


class _Live:
    """Passes output on as text; a character cut between two pieces waits for its other half."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")

    def feed(self, piece: bytes) -> None:
        if text := self._decoder.decode(piece):
            self._output.text(text)


def _shell(path: str) -> str:
    return next((shell for shell in _SHELLS if shutil.which(shell, path=path)), _SHELLS[-1])


def _result(params: Params, finished: Finished) -> ToolResult:
    output = printed(finished.head, finished.tail, finished.dropped, MOST_CHARACTERS)
    fault = None
    endings: list[str] = []
    notes: list[str] = []
    if finished.ending == "timeout":
        fault = CallFault(ErrorKind.TIMEOUT, f"The command was stopped after {params.timeout} s, its time limit.")
        endings.append(f"{fault.message} Give it a longer timeout (up to {LONGEST_TIMEOUT} s), or less to do.")
    elif finished.signal is not None:
        endings.append(f"Signal: {finished.signal} ({_signal_name(finished.signal)})")
    elif finished.exit_code:
        endings.append(f"Exit code: {finished.exit_code}")
    if finished.ending != "timeout" and finished.stopped:
        notes.append(f"[{_processes(finished.stopped)} still running in the background at the end, and stopped.]")
    if finished.left:
        notes.append(f"[{_processes(finished.left)} not to be stopped, and may still run.]")
    text = "\n".join([output.rstrip("\r\n") or "(no output)", *endings, *notes])
    data: JsonObject = {
        "output": output,
        "notes": "\n".join(notes),
        "exit_code": finished.exit_code,
        "signal": finished.signal,
        "seconds": round(finished.seconds, 3),
        "pid": finished.pid,
    }
    display = TerminalDisplay(params.command, output, finished.exit_code)
    return ToolResult((TextPart(text),), display=display, fault=fault, data=data)


def _signal_name(number: int) -> str:
    return signal.Signals(number).name if number in {item.value for item in signal.Signals} else "unknown"


def _processes(count: int) -> str:
    return "1 process was" if count == 1 else f"{count} processes were"

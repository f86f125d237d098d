"""A tool that a discovery command declared: the call command runs it by its name, and gets the arguments on stdin."""

from __future__ import annotations

import json
import shlex
from hashlib import sha256

from handrail.authoring.json_schema import schema_parameters
from handrail.contract.basics import JsonObject
from handrail.contract.confirmation import Confirmation, InfoConfirmation
from handrail.contract.context import FileReader, Output, ShellState, Workspace
from handrail.contract.launching import Launcher
from handrail.contract.results import CallFault, ErrorKind, TextPart, ToolResult
from handrail.contract.tool import Kind, Tool
from handrail.errors import LauncherError, ToolDefinitionError, ToolFailed
from handrail.policy.server_names import fit
from handrail.policy.wording import shortened
from handrail.providers.command.declarations import Declaration
from handrail.providers.command.running import MOST_PRINTED, Ran, Running
from handrail.tools.shells.wording import exit_code_in_words, signal_in_words

CALL_WITHIN = 600.0
"""Seconds of one call, as for an MCP server's."""

PREFIX = "discovered_tool_"
"""As Gemini CLI's policies and settings know such tools."""

_LONGEST_NAME = 64
_DIGITS = 8


class DiscoveredTool(Tool[JsonObject]):
    """What it may touch nobody knows, whatever it says of itself."""

    kind = Kind.OTHER
    output_streams = True

    def __init__(self, declaration: Declaration, command: tuple[str, ...]) -> None:
        """Raises ToolDefinitionError for a schema that can't be used."""
        schema = declaration.schema
        if not isinstance(schema, dict):
            raise ToolDefinitionError(f"{shortened(declaration.name)}: its parameters are no JSON Schema")
        self.name = name_of(declaration.name)
        self.title = shortened(declaration.name)
        self.description = declaration.description
        self.parameters = schema_parameters(schema, f"The schema of {self.title}")
        self.rule_names = () if self.name == PREFIX + declaration.name else (PREFIX + declaration.name,)
        self.definitions = (_digest(declaration, command),)
        self._argv = (*command, declaration.name)

    def describe(self, params: JsonObject) -> str:
        return f"{self.name}: {shortened(shlex.join(self._argv))}"

    async def confirmation(self, params: JsonObject, files: FileReader, workspace: Workspace) -> Confirmation:
        given = json.dumps(params, ensure_ascii=False, indent=1)
        return InfoConfirmation(self.name, f"runs: {shlex.join(self._argv)}\nwith this on stdin: {given}")

    async def run(
        self, params: JsonObject, launcher: Launcher, workspace: Workspace, shell: ShellState, output: Output
    ) -> ToolResult:
        given = json.dumps(params).encode()
        running = Running(output.text)
        try:
            ran = await running.run(launcher, self._argv, workspace.root, shell.environment, CALL_WITHIN, given)
        except LauncherError as error:
            raise ToolFailed(f"{self.name} was not run: {error}") from error
        return result_of(self.name, ran)


def name_of(declared: str) -> str:
    """One that every provider takes, and that no other declared name has."""
    name = PREFIX + fit(declared)
    if name == PREFIX + declared and len(name) <= _LONGEST_NAME:
        return name
    mark = sha256(declared.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    return f"{name[: _LONGEST_NAME - _DIGITS - 1]}_{mark}"


def result_of(name: str, ran: Ran) -> ToolResult:
    """What it printed. What it said on stderr is no failure: a program may warn, or tell how far it is."""
    stdout = ran.stdout.decode("utf-8", "replace")
    finished = ran.finished
    if finished.ending == "exited" and finished.exit_code == 0:
        parts = [TextPart(stdout)] if stdout.strip() else []
        if ran.complaints:
            parts.append(TextPart(f"On stderr: {ran.complaints}"))
        return ToolResult(tuple(parts) or (TextPart("(no output)"),))
    kind, why = _failure(name, ran)
    text = f"{why}\nStdout: {stdout.strip() or '(empty)'}\nStderr: {ran.complaints or '(empty)'}"
    return ToolResult((TextPart(text),), fault=CallFault(kind, why))


def _failure(name: str, ran: Ran) -> tuple[ErrorKind, str]:
    finished = ran.finished
    if ran.too_much:
        return ErrorKind.FAILED, f"{name} was stopped: it printed more than {MOST_PRINTED} bytes. Ask for less."
    if finished.ending == "exited":
        return ErrorKind.FAILED, f"{name} failed with exit code {exit_code_in_words(finished.exit_code or 0)}."
    if finished.ending == "signalled":
        return ErrorKind.FAILED, f"{name} was ended by signal {signal_in_words(finished.signal or 0)}."
    return ErrorKind.TIMEOUT, f"{name} was stopped after {CALL_WITHIN:g} seconds. Ask for less at a time."


def _digest(declaration: Declaration, command: tuple[str, ...]) -> str:
    said = [declaration.name, declaration.description, declaration.schema, list(command)]
    return sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()

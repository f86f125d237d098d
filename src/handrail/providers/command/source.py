"""The provider of a discovery command's tools: asks once, when the session opens, and holds up nobody."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path

from handrail.contract.launching import Launcher
from handrail.contract.provider import Condition, Shelf, SourceStatus
from handrail.errors import LauncherError, ToolDefinitionError
from handrail.policy.wording import shortened
from handrail.providers.command.declarations import BadDeclarations, declarations
from handrail.providers.command.running import MOST_PRINTED, Ran, Running
from handrail.providers.command.tool import PREFIX, DiscoveredTool
from handrail.providers.counting import tools_text
from handrail.settings.tool_commands import ToolCommands
from handrail.tools.shells.wording import exit_code_in_words, signal_in_words

DISCOVER_WITHIN = 30.0
"""Seconds, as long as an MCP server has to start."""


class CommandTools:
    """Implements `Provider`, and is `Foreseeable`."""

    def __init__(
        self, commands: ToolCommands, launcher: Launcher, workspace: Path, environment: Mapping[str, str]
    ) -> None:
        """Both commands run in the folder `workspace`; `environment` is that of the one that discovers."""
        self.name = f"discovery command of {commands.origin}"
        self._commands = commands
        self._launcher = launcher
        self._workspace = workspace
        self._environment = environment

    async def provide(self, shelf: Shelf) -> None:
        if self._commands.waiting is not None:
            detail = "it came with the workspace and waits for your trust: handrail trust show"
            shelf.say(self._status(Condition.UNTRUSTED, detail))
        elif self._commands.problem:
            shelf.say(self._status(Condition.FAILED, self._commands.problem))
        else:
            shelf.say(self._status(Condition.STARTING, "asks for its tools"))
            shelf.say(await self._asked(shelf))

    async def _asked(self, shelf: Shelf) -> SourceStatus:
        """Puts on the shelf what the command declares."""
        asking = Running(_nothing).run(
            self._launcher, self._commands.discover, self._workspace, self._environment, DISCOVER_WITHIN, b""
        )
        try:
            declared = declarations(_printed(await asking))
        except LauncherError as error:
            return self._status(Condition.FAILED, str(error))
        except BadDeclarations as error:
            return self._status(Condition.FAILED, f"{shortened(shlex.join(self._commands.discover))} {error}")
        tools, problems = [], list(declared.problems)
        for declaration in declared.tools:
            try:
                tools.append(DiscoveredTool(declaration, self._commands.call))
            except ToolDefinitionError as error:
                problems.append(shortened(str(error)))
        refused = shelf.put(tools)
        return self._status(Condition.READY, tools_text(len(tools) - len(refused)), (*problems, *refused))

    def may_have(self, tool: str) -> bool:
        return tool.startswith(PREFIX)

    async def refresh(self) -> None:
        """It is asked once: nobody tells when it would answer otherwise."""

    def _status(self, condition: Condition, detail: str, problems: tuple[str, ...] = ()) -> SourceStatus:
        return SourceStatus(self.name, condition, detail, problems)


def _printed(ran: Ran) -> bytes:
    """Raises BadDeclarations where it did not end well; what it says on stderr beside is no failure."""
    finished = ran.finished
    if finished.ending == "exited" and finished.exit_code == 0:
        return ran.stdout
    if ran.too_much:
        raise BadDeclarations(f"printed more than {MOST_PRINTED} bytes, and was stopped")
    said = "".join(f": {shortened(line)}" for line in ran.complaints.splitlines()[-1:])
    if finished.ending == "exited":
        raise BadDeclarations(f"failed with exit code {exit_code_in_words(finished.exit_code or 0)}{said}")
    if finished.ending == "signalled":
        raise BadDeclarations(f"was ended by signal {signal_in_words(finished.signal or 0)}{said}")
    raise BadDeclarations(f"was stopped after {DISCOVER_WITHIN:g} seconds without an end{said}")


def _nothing(text: str) -> None:
    """Nobody watches what it prints."""

"""Run a command of bash: to its end, or in the background."""

from __future__ import annotations

from handrail.contract.context import Environment
from handrail.tools.descriptions import description_of
from handrail.tools.shells.programs import has_bash
from handrail.tools.shells.tool import ShellTool


class Shell(ShellTool):
    name = "shell"
    title = "Run a command"
    aliases = ("bash", "local_shell")
    description = description_of("shell")
    dialect = "bash"

    def enabled(self, environment: Environment) -> bool:
        return has_bash(environment.find_program)

"""Run a command of PowerShell: the same as `shell`, where there is one. Not yet tried with a real one."""

from __future__ import annotations

from handrail.contract.context import Environment
from handrail.tools.descriptions import description_of
from handrail.tools.shells.programs import has_powershell
from handrail.tools.shells.tool import ShellTool


class PowerShell(ShellTool):
    name = "powershell"
    title = "Run a command of PowerShell"
    description = description_of("powershell")
    dialect = "powershell"

    def enabled(self, environment: Environment) -> bool:
        return has_powershell(environment.find_program)

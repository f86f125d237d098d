"""The built-in tools: one module each, with its description for the model in a Markdown file beside it."""

from __future__ import annotations

from typing import Any

from handrail.contract.tool import Tool
from handrail.tools.apply_patch import ApplyPatch
from handrail.tools.edit_file import EditFile
from handrail.tools.glob import Glob
from handrail.tools.grep import Grep
from handrail.tools.list_directory import ListDirectory
from handrail.tools.notebook_edit import NotebookEdit
from handrail.tools.powershell import PowerShell
from handrail.tools.read_file import ReadFile
from handrail.tools.read_many_files import ReadManyFiles
from handrail.tools.shell import Shell
from handrail.tools.shell_input import ShellInput
from handrail.tools.shell_output import ShellOutput
from handrail.tools.shell_stop import ShellStop
from handrail.tools.web_fetch import WebFetch
from handrail.tools.web_search import WebSearch
from handrail.tools.write_file import WriteFile


def builtin_tools() -> tuple[Tool[Any], ...]:
    """In the order in which a model sees them."""
    return (
        ReadFile(),
        ReadManyFiles(),
        WriteFile(),
        EditFile(),
        ApplyPatch(),
        NotebookEdit(),
        ListDirectory(),
        Glob(),
        Grep(),
        Shell(),
        PowerShell(),
        ShellOutput(),
        ShellInput(),
        ShellStop(),
        WebFetch(),
        WebSearch(),
    )

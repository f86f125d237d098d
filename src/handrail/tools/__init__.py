"""The built-in tools: one module each, with its description for the model in a Markdown file beside it."""

from __future__ import annotations

from typing import Any

from handrail.contract.tool import Tool
from handrail.tools.activate_skill import ActivateSkill
from handrail.tools.agent import Agent
from handrail.tools.apply_patch import ApplyPatch
from handrail.tools.ask_user import AskUser
from handrail.tools.edit_file import EditFile
from handrail.tools.enter_plan_mode import EnterPlanMode
from handrail.tools.exit_plan_mode import ExitPlanMode
from handrail.tools.glob import Glob
from handrail.tools.grep import Grep
from handrail.tools.list_directory import ListDirectory
from handrail.tools.memory import Memory
from handrail.tools.notebook_edit import NotebookEdit
from handrail.tools.powershell import PowerShell
from handrail.tools.read_file import ReadFile
from handrail.tools.read_many_files import ReadManyFiles
from handrail.tools.send_message import SendMessage
from handrail.tools.shell import Shell
from handrail.tools.shell_input import ShellInput
from handrail.tools.shell_output import ShellOutput
from handrail.tools.shell_stop import ShellStop
from handrail.tools.task_create import TaskCreate
from handrail.tools.task_get import TaskGet
from handrail.tools.task_list import TaskList
from handrail.tools.task_update import TaskUpdate
from handrail.tools.todo_read import TodoRead
from handrail.tools.todo_write import TodoWrite
from handrail.tools.tool_search import ToolSearch
from handrail.tools.update_topic import UpdateTopic
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
        UpdateTopic(),
        TodoWrite(),
        TodoRead(),
        TaskCreate(),
        TaskGet(),
        TaskList(),
        TaskUpdate(),
        AskUser(),
        EnterPlanMode(),
        ExitPlanMode(),
        Memory(),
        Agent(),
        SendMessage(),
        ActivateSkill(),
        ToolSearch(),
    )

"""Type to a job in the background."""

from __future__ import annotations

from pydantic import Field

from handrail.contract.confirmation import ExecConfirmation
from handrail.contract.context import FileReader, ToolNames, Workspace
from handrail.contract.effects import Claims
from handrail.contract.jobs import Jobs
from handrail.contract.results import ToolResult
from handrail.contract.tool import Kind, Tool
from handrail.errors import ToolFailed
from handrail.tools.descriptions import description_of
from handrail.tools.parameters import Parameters
from handrail.tools.shells import jobs as background


class Params(Parameters):
    job: str = Field(min_length=1, description="The job's id, such as job-1.")
    text: str = Field(default="", max_length=100_000, description="What to type.")
    enter: bool = Field(default=True, description="Ends the text with a line feed.")
    end: bool = Field(default=False, description="Closes its input afterwards: it will read no more.")


class ShellInput(Tool[Params]):
    name = "shell_input"
    title = "Type to a background job"
    kind = Kind.EXECUTE
    description = description_of("shell_input")

    def effects(self, params: Params) -> Claims:
        """What the program makes of it is not known: to a shell, it is a command."""
        return Claims(keys=background.claims_of(params.job).keys, shell=params.text, dialect="input")

    def describe(self, params: Params) -> str:
        return f"Type to {params.job}"

    async def confirmation(self, params: Params, files: FileReader, workspace: Workspace) -> ExecConfirmation:
        return ExecConfirmation(self.describe(params), params.text, commands=())

    async def run(self, params: Params, jobs: Jobs, names: ToolNames) -> ToolResult:
        known, console = background.find(jobs, params.job)
        if not known.running:
            raise ToolFailed(f"Nothing was typed: {params.job} {console.status}.")
        data = (params.text + ("\n" if params.enter else "")).encode(errors="replace")
        if data and not console.send(data):
            raise ToolFailed(
                f"Nothing was typed: the input of {params.job} is closed, or it has not read what was typed before. "
                f"Only what {names.of('shell')} starts with background: true has an input; see with "
                f"{names.of('shell_output')} what it waits for."
            )
        if params.end:
            console.end_input()
        closed = " and its input is closed" if params.end else ""
        return ToolResult.of_text(
            f"Typed to {params.job}{closed}. See what it answers with {names.of('shell_output')}."
        )

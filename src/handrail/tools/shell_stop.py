"""Stop a job in the background."""

from __future__ import annotations

from pydantic import Field

from handrail.contract.basics import JobId
from handrail.contract.effects import Claims
from handrail.contract.jobs import Jobs
from handrail.contract.results import ToolResult
from handrail.contract.tool import Kind, Tool
from handrail.tools.descriptions import description_of
from handrail.tools.parameters import Parameters
from handrail.tools.shells import jobs as background


class Params(Parameters):
    job: str = Field(min_length=1, description="The job's id, such as job-1.")


class ShellStop(Tool[Params]):
    name = "shell_stop"
    title = "Stop a background job"
    kind = Kind.OTHER
    aliases = ("task_stop", "kill_shell")
    description = description_of("shell_stop")

    def effects(self, params: Params) -> Claims:
        return background.claims_of(params.job)

    def describe(self, params: Params) -> str:
        return f"Stop {params.job}"

    async def run(self, params: Params, jobs: Jobs) -> ToolResult:
        known, console = background.find(jobs, params.job)
        stopped = await jobs.stop(JobId(params.job))
        return await background.news(known, console, "" if stopped else "It had ended before. ")

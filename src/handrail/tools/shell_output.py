"""What a job in the background printed; waits for a line of it."""

from __future__ import annotations

from pydantic import Field

from handrail.contract.context import Workspace
from handrail.contract.effects import Claims
from handrail.contract.jobs import Console, Jobs
from handrail.contract.results import ToolResult
from handrail.contract.tool import Kind, Tool
from handrail.policy.wording import shortened
from handrail.tools.descriptions import description_of
from handrail.tools.parameters import Parameters
from handrail.tools.shells import jobs as background
from handrail.tools.shells.parameters import LONGEST_TIMEOUT
from handrail.tools.text.lines_wanted import BadWish, wanted_lines

DEFAULT_WAIT = 30
"""Seconds."""


class Params(Parameters):
    job: str = Field(default="", description="The job's id, such as job-1. Left out: lists all jobs.")
    wait_for: str = Field(
        default="", description="A regular expression (RE2): waits for a new line that it is found in."
    )
    until_end: bool = Field(default=False, description="Waits until the job ends.")
    timeout: int = Field(default=DEFAULT_WAIT, ge=1, le=LONGEST_TIMEOUT, description="Seconds to wait at most.")


class ShellOutput(Tool[Params]):
    name = "shell_output"
    title = "Look at a background job"
    kind = Kind.READ
    aliases = ("task_output", "bash_output", "read_background_output")
    description = description_of("shell_output")

    async def check(self, params: Params, workspace: Workspace) -> str | None:
        if (params.wait_for or params.until_end) and not params.job:
            return "To wait, name the job to wait for."
        if params.wait_for and params.until_end:
            return "wait_for and until_end were both given. Give one of them: each wait ends when the job does."
        try:
            wanted_lines(params.wait_for)
        except BadWish as error:
            return f"wait_for is not a regular expression of RE2: {error}."
        return None

    def effects(self, params: Params) -> Claims:
        return background.claims_of(params.job) if params.job else Claims.nothing()

    def describe(self, params: Params) -> str:
        return f"See what {params.job} printed" if params.job else "List the background jobs"

    async def run(self, params: Params, jobs: Jobs) -> ToolResult:
        if not params.job:
            return ToolResult.of_text(background.listing(jobs))
        known, console = background.find(jobs, params.job)
        waits = params.wait_for or (params.until_end and known.running)
        return await background.news(known, console, await _waited(params, console) if waits else "")


async def _waited(params: Params, console: Console) -> str:
    """What came of the wait, to stand before the job's status."""
    import asyncio  # as in shells/tool.py

    try:
        async with asyncio.timeout(params.timeout):
            line = await console.line(wanted_lines(params.wait_for) if params.wait_for else _never)
    except TimeoutError:
        if params.until_end:
            return f"It did not end within {params.timeout} s. "
        return f"No line with {params.wait_for!r} came within {params.timeout} s. "
    if params.until_end:
        return ""
    if line is None:
        return f"It ended without a line with {params.wait_for!r}. "
    return f"The line came: {shortened(line)}. "


def _never(line: str) -> bool:
    """No line ends the wait: the job's end does."""
    return False

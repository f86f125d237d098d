"""What the tools for background jobs have in common: finding a job, and what is new of it, in words."""

from __future__ import annotations

from handrail.contract.basics import JsonObject
from handrail.contract.effects import Claims
from handrail.contract.jobs import Console, Jobs, KnownJob
from handrail.contract.results import TextPart, ToolResult
from handrail.errors import ToolFailed
from handrail.tools.shells.parameters import MOST_CHARACTERS
from handrail.tools.text.printed import printed


def claims_of(job: str) -> Claims:
    """Calls about one job go in the order in which they were asked for."""
    return Claims(keys=frozenset((f"job:{job}",)))


def find(jobs: Jobs, id: str) -> tuple[KnownJob, Console]:
    """Raises ToolFailed, with the jobs that there are, for one that is not there or prints nothing."""
    known = {job.job.id: job for job in jobs.known() if job.console is not None}
    found = next((job for job in known.values() if job.job.id == id), None)
    if found is None or found.console is None:
        raise ToolFailed(f"There is no job {id!r}. {listing(jobs)}")
    return found, found.console


def listing(jobs: Jobs) -> str:
    """All jobs, one a line."""
    consoles = [(known.job, known.console) for known in jobs.known()]
    lines = [f"{job.id}  {console.status}  {job.name}" for job, console in consoles if console is not None]
    return "\n".join(("Jobs:", *lines)) if lines else "No job was started in the background."


async def news(known: KnownJob, console: Console, before: str = "") -> ToolResult:
    """What the job printed since somebody last looked, and what it does. `before` says why we looked."""
    import asyncio  # as in shells/tool.py

    fresh = console.take()
    ends = (fresh.head, fresh.tail, fresh.dropped)
    output = await asyncio.to_thread(printed, *ends, MOST_CHARACTERS, console.kept.in_words)
    job = known.job
    status = f"[{before}{job.id} ({job.name}): {console.status}]"
    data: JsonObject = {"output": output, "job": job.id, "status": console.status}
    return ToolResult((TextPart("\n".join((output.rstrip("\r\n") or "(nothing new)", status))),), data=data)

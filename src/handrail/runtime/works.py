"""The moving parts of one session, and how they hang together."""

from __future__ import annotations

from pathlib import Path

from handrail.contract.values import value
from handrail.runtime.approvals import Desk
from handrail.runtime.books import Books
from handrail.runtime.bus import Bus
from handrail.runtime.consent import Consent
from handrail.runtime.context import Surroundings
from handrail.runtime.executor import Executor, Records
from handrail.runtime.finding import SessionTools
from handrail.runtime.grants import Grants
from handrail.runtime.hooks import Hooks
from handrail.runtime.intake import Intake
from handrail.runtime.jobs import SessionJobs
from handrail.runtime.judge import Judge
from handrail.runtime.order import Order
from handrail.runtime.parts import Parts
from handrail.runtime.plan_mode import SessionPlanMode
from handrail.runtime.results import Budget
from handrail.runtime.running import Running
from handrail.runtime.scheduler import Scheduler
from handrail.runtime.shell_state import SessionShell
from handrail.runtime.shelves import Shelves
from handrail.runtime.speaker import Speaker
from handrail.runtime.spilling import SpillFolder
from handrail.runtime.subagents import Employment
from handrail.runtime.support import AgentSupport
from handrail.runtime.turn_runner import TurnRunner
from handrail.settings.load import Settings


@value
class Works:
    """The moving parts of one session."""

    desk: Desk
    bus: Bus
    grants: Grants
    hooks: Hooks
    jobs: SessionJobs
    scheduler: Scheduler
    turns: TurnRunner
    plan_mode: SessionPlanMode
    shelves: Shelves
    support: AgentSupport

    async def close(self) -> None:
        """Stops all that runs: given up half-way, background jobs would outlive the session."""
        await self.scheduler.close()
        await self.jobs.close()


def put_together(
    tools: SessionTools,
    shell: SessionShell,
    judge: Judge,
    books: Books,
    parts: Parts,
    spilled: Path | None,
    settings: Settings,
) -> Works:
    place, records = shell.workspace, Records(books.journal, parts.checkpoints, parts.clock)
    bus, order = tools.shelves.bus, Order(parts.at_once, parts.limits)
    desk = Desk(records.now, books.answers, parts.answer_within)
    hooks, jobs, grants = Hooks(bus), SessionJobs(order, bus), Grants(judge, books.shelf, bus.notice)
    spills = SpillFolder(spilled) if spilled else None
    main = Speaker()
    employment = Employment(tools.agents, tools.box.menu, main)
    budget = Budget(spills, parts.result_budget, parts.turn_budget, employment.take_back)
    intake = Intake(tools.find, judge, desk, order, hooks, place, records.now)
    consent = Consent(desk, order, judge, grants, books.journal, records.now)
    plan_mode = SessionPlanMode(judge, books.values, place.root, books.session, bus.notice)
    shared = Surroundings(
        place, parts.launcher, bus, jobs, parts.clock, spills, shell, books.values, plan_mode, tools.skills,
        tools.box.deferred, employment, tools.find,
    )  # fmt: skip
    running = Running(order, hooks, budget, shared)
    executor = Executor(intake, consent, judge, order, running, records, bus)
    scheduler = Scheduler(executor, order, parts.asker, main)
    turns = TurnRunner(scheduler, desk, budget, books.turns, tools.find, gated=bool(parts.gate_batch))
    employment.turns = turns
    support = AgentSupport(
        place, books.values, main, plan_mode, tools.agents, settings, bus.notice, tools.find.speak, tools.window,
        turns.until_kept,
    )  # fmt: skip
    return Works(desk, bus, grants, hooks, jobs, scheduler, turns, plan_mode, tools.shelves, support)

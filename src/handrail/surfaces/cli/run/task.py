"""Carries one task out: opens the session and the agent, watches both, and says how it ended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from enum import Enum
from pathlib import Path

from handrail.agent.agent import Agent, open_agent
from handrail.agent.events import Ended, Finished
from handrail.agent.limits import Limits
from handrail.agent.models.choosing import model_of, whole_name
from handrail.agent.models.known_models import why_no_money_limit
from handrail.agent.sampling import ModelSampler
from handrail.agent.spent import Spent
from handrail.contract.basics import SessionId
from handrail.contract.events import Event, SourceChanged
from handrail.contract.values import value
from handrail.errors import UsageError
from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.settings.keys import APPROVE, MODE
from handrail.settings.load import Settings
from handrail.surfaces.cli import exits
from handrail.surfaces.cli.asking import Approve, asker_of_option
from handrail.surfaces.cli.endings import ENDINGS, in_dollars
from handrail.surfaces.cli.exec_command import tell_survivors
from handrail.surfaces.cli.hints import in_that
from handrail.surfaces.cli.interrupting import interruptible
from handrail.surfaces.cli.own_output import OwnOutput, own_output
from handrail.surfaces.cli.policies import notes_on
from handrail.surfaces.cli.run.report import EXITS, Began
from handrail.surfaces.cli.run.views import Lines, Text, View
from handrail.surfaces.cli.run.withdrawn import Withdrawn
from handrail.surfaces.cli.sources import SourceNotes, tell_starting
from handrail.surfaces.cli.text import printable
from handrail.surfaces.cli.unasked import Unasked


class Output(Enum):
    TEXT = "text"
    REPORT = "report"
    EVENTS = "events"


@value
class Task:
    """What is to be done."""

    text: str
    """Empty: what was begun in the session is gone on with."""
    limits: Limits
    session: SessionId | None = None
    """None: a new one."""


async def carry_out(task: Task, settings: Settings, output: Output) -> int:
    """The exit code. Raises UsageError where no model can be used, or not within the limits."""
    with own_output() as own:
        return await _carried_out(task, settings, output, own)


async def _carried_out(task: Task, settings: Settings, output: Output, own: OwnOutput) -> int:
    model = model_of(settings=settings)
    if task.limits.money and (why := why_no_money_limit(model)):
        raise UsageError(why)
    approve = Approve(settings[APPROVE])
    view = _view(output, own, leaves_open=approve is Approve.WAIT)
    unasked = Unasked(asker_of_option(approve, settings.workspace))
    sampler, withdrawn = ModelSampler(), Withdrawn()
    parts = Parts(asker=unasked.asker, sampler=sampler)
    async with Session.open(
        settings.workspace, model=whole_name(model), session=task.session or "", settings=settings, parts=parts
    ) as session:
        for note in notes_on(settings.rules.rules, session.knows):
            exits.told(printable(note))
        SourceNotes(settings.problems).follow(session)
        telling = _Telling(view)
        hear_no_more = session.subscribe(telling.soon)
        session.subscribe(withdrawn.see)
        view.began(Began(session.id, whole_name(model), str(settings.workspace), settings[MODE]))
        for status in session.sources():
            telling.soon(SourceChanged(status))  # it was told when nobody listened yet
        async with open_agent(session, model, limits=task.limits) as agent:
            agent.pay_for(sampler)
            tell_starting(session)
            finished = await _worked(task, agent, view, telling)
        tell_survivors(session)
        await asyncio.sleep(0)  # the last events
        hear_no_more()  # nothing stands behind the report: what ends with the session was told
        view.finished(finished, agent.spent)
    for line in filter(None, (unasked.line(), withdrawn.line())):
        exits.told(printable(line))
    _tell_how_it_ended(finished, agent.spent, session.id, settings.workspace)
    return EXITS[finished.ended]


def _view(output: Output, own: OwnOutput, *, leaves_open: bool) -> View:
    if output is Output.TEXT:
        return Text(own, leaves_open=leaves_open)
    return Lines(own, every=output is Output.EVENTS, leaves_open=leaves_open)


class _Telling:
    """Tells a view what the session tells. Once that fails it is told nothing more, and `failed` is called."""

    def __init__(self, view: View) -> None:
        self.fault: OSError | None = None
        self.failed: Callable[[], object] = lambda: None
        self._view = view

    def soon(self, event: Event) -> None:
        """One turn of the event loop later: what the agent says comes that late, and began before its calls did."""
        asyncio.get_running_loop().call_soon(self._tell, event)

    def _tell(self, event: Event) -> None:
        if self.fault is None:
            try:
                self._view.told(event)
            except OSError as error:
                self.fault = error
                self.failed()


async def _worked(task: Task, agent: Agent, view: View, telling: _Telling) -> Finished:
    """Raises OSError where nobody takes the output: nothing runs any more then."""

    async def stop(name: str) -> None:
        await agent.interrupt(f"interrupted with {name}")

    last, stopping = Finished(Ended.INTERRUPTED), list[asyncio.Task[None]]()
    unread = "nobody reads what it gives any more"
    telling.failed = lambda: stopping.append(asyncio.create_task(agent.interrupt(unread, by_person=False)))
    async with interruptible(stop) as interrupted:
        async for event in agent.send(task.text, to_the_end=True):
            if isinstance(event, Finished):
                last = event
            if telling.fault is None:
                view.said(event)
        await asyncio.gather(*stopping)
    if telling.fault is not None:
        raise telling.fault
    return Finished(Ended.INTERRUPTED, last.text, last.why) if interrupted.is_set() else last


def _tell_how_it_ended(finished: Finished, spent: Spent, session: str, workspace: Path) -> None:
    """On stderr: why it ended before it was done, and what to do then."""
    here = in_that(workspace)
    if finished.why:
        exits.told(printable(finished.why, keep_lines=True))
    if finished.ended is Ended.PARKED:
        exits.told(f"answer with 'handrail approvals approve ID{here}' or 'reject'; 'approvals show' tells more")
    what = "ask more" if finished.ended is Ended.DONE else "go on"
    exits.told(f"{_summary(finished, spent)}; {what} with 'handrail run --resume {session}{here}'")


def _summary(finished: Finished, spent: Spent) -> str:
    responses = "1 response" if spent.turns == 1 else f"{spent.turns} responses"
    tokens = spent.usage.input + spent.usage.output
    if not tokens:  # what was asked for is counted, and here nothing may have come
        tried = "" if finished.ended is Ended.FAILED else f" after {responses}"
        return f"{ENDINGS[finished.ended]}{tried}"
    servers = spent.for_servers.usage.input + spent.for_servers.usage.output
    share = f" ({servers:,} of them for servers)" if servers else ""
    money = f", {in_dollars(spent.money)}" if spent.money is not None else ""
    return f"{ENDINGS[finished.ended]} after {responses}, {tokens:,} tokens{share}{money}"

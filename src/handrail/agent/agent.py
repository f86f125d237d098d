"""An agent: one conversation of a model, whose calls a session carries out."""

from __future__ import annotations

import asyncio
import os
import secrets
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from handrail.agent.context.briefing import Briefing, Place, main_role
from handrail.agent.events import AgentEvent, Compacted, Ended, Finished, Reported
from handrail.agent.hands import Host
from handrail.agent.kept import KeptConversation, check_keepable
from handrail.agent.kept_work import KeptWork
from handrail.agent.limits import USUAL, Limits
from handrail.agent.loop import Halt, Loop, SaidMeanwhile
from handrail.agent.model import Model
from handrail.agent.responding import Tell
from handrail.agent.sampling import ModelSampler
from handrail.agent.spent import Spent
from handrail.agent.subagents.service import MainAgent, ModelNamed, Subagents
from handrail.contract.agents import AgentStatus
from handrail.errors import HandrailError, UsageError
from handrail.sandbox import finishing
from handrail.settings.keys import AGENT_DEPTH
from handrail.settings.places import folders

_MAY_GO_ON = frozenset({Ended.DONE, Ended.PARKED})
"""Of a work that is to go to the end: once the subagents have ended."""


class Agent:
    """What a model was told, what it said, and what its calls gave. Open one with `open_agent`."""

    def __init__(self, session: Host, loop: Loop, place: Place, briefing: Briefing, models: ModelNamed | None) -> None:
        self._session = session
        self._loop = loop
        self._kept = KeptWork(session.support.values)
        self._briefing = briefing
        main = MainAgent(loop, briefing, place, self._report)
        self.subagents = Subagents(session.support, main, models)
        self._working: asyncio.Task[Finished] | None = None
        self._tell: Tell | None = None
        """Who listens now."""
        self._reports: list[Reported] = []
        """Those that came while nobody did."""
        self._ended: Ended | None = None
        """Why the last `send` was over."""
        self.on_report: Callable[[], None] | None = None
        """Called when a subagent in the background reports and nobody listens."""
        self._quieting: asyncio.Task[None] | None = None
        """Waits for the subagents in the background, as a part of the work."""
        self._taking_up = False
        """What an earlier process left of the session is at work."""
        self._compacting = False
        """Its conversation is being summed up: what came to it meanwhile would be lost."""

    @property
    def model(self) -> Model:
        """May be changed between two sends."""
        return self._loop.model

    @model.setter
    def model(self, model: Model) -> None:
        self._check_idle()
        self._loop.model = model
        _told_of(self._session, model)

    @property
    def halts(self) -> list[Halt]:
        """Hooks that are asked after each turn why the work is to end there; None to go on."""
        return self._loop.halts

    @property
    def said_meanwhile(self) -> SaidMeanwhile | None:
        """Asked before each request of a work what the user has said since: the model hears it between two steps, as
        the user's words. What comes after the last request is not asked for: `send` it."""
        return self._loop.said_meanwhile

    @said_meanwhile.setter
    def said_meanwhile(self, said: SaidMeanwhile | None) -> None:
        self._loop.said_meanwhile = said

    @property
    def spent(self) -> Spent:
        return self._loop.spent

    def pay_for(self, sampler: ModelSampler) -> None:
        """From here on its model answers servers, within its limits: what that costs counts as its own."""
        sampler.payer = self._loop

    @property
    def used(self) -> int:
        """Tokens of the model's window that the conversation takes, as the provider last said, or estimated."""
        return self._loop.used

    @property
    def has_reports(self) -> bool:
        """Subagents have reported after it had done all that it was told: with `send("")` it goes on with that."""
        return bool(self._reports) and self._ended is Ended.DONE

    def agents(self) -> tuple[AgentStatus, ...]:
        """Its subagents, the oldest first: those at work, and those whose conversation can go on."""
        return self.subagents.statuses()

    async def quiet(self) -> bool:
        """Waits until every subagent in the background has ended. True where the model has not heard of all of them:
        `send("")` tells it.
        """
        await self.subagents.quiet()
        return self._briefing.has_news

    async def send(self, text: str, *, to_the_end: bool = False) -> AsyncIterator[AgentEvent]:
        """Works on what the user says until the model makes no more calls, or something stops it.

        Without a text it goes on: after calls that waited were answered, or a limit was reached. With one, calls that
        still wait are cancelled. The last event is always `Finished`. Left early, the work is interrupted.
        `to_the_end`: it has not finished before the model has heard of every subagent in the background, nor while
        what waits for an answer is a subagent's, whose work would end with the process. Raises UsageError while
        another one is at work, and for a text of millions of characters.
        """
        self._check_idle()
        check_keepable(text)
        self._loop.begin()
        self._kept.begins(text, self.spent)
        self._ended = None
        events: asyncio.Queue[AgentEvent | None] = asyncio.Queue()
        tell = self._tell = events.put_nowait
        for report in self._reports:
            tell(report)
        self._reports.clear()
        working = self._working = asyncio.get_running_loop().create_task(self._work(text, tell, to_the_end=to_the_end))
        working.add_done_callback(lambda _: events.put_nowait(None))
        try:
            while (event := await events.get()) is not None:
                yield event
            finished = await working
            self._ended = finished.ended
            self._kept.ended(finished, self.spent)
            yield finished
        finally:
            self._tell = None
            try:
                if not working.done():
                    await finishing.to_the_end(self._given_up())
            finally:
                self._working = None

    async def _given_up(self) -> None:
        await self.interrupt("its answer is no longer listened to", by_person=False)
        self._kept.ended(Finished(Ended.INTERRUPTED), self.spent)

    async def _work(self, text: str, tell: Tell, *, to_the_end: bool) -> Finished:
        try:
            await self._go_on(text)
        except HandrailError as error:
            return Finished(Ended.FAILED, why=str(error))
        if self._loop.parked:
            return Finished(Ended.PARKED, why="a call still waits for its answer")
        if text:
            self._loop.conversation.tell(text)
        finished = await self._loop.work(tell)
        return await self._to_the_end(finished, tell) if to_the_end else finished

    async def _to_the_end(self, finished: Finished, tell: Tell) -> Finished:
        try:
            while finished.ended in _MAY_GO_ON:
                quieting = self._quieting = asyncio.get_running_loop().create_task(self._agents_ended())
                await asyncio.wait([quieting])
                if finished.ended is Ended.PARKED:
                    await self._loop.go_on(anyhow=False)
                    if self._loop.parked:
                        break
                elif not quieting.cancelled() and not self._briefing.has_news:
                    break
                finished = await self._loop.work(tell)  # interrupted, it ends at once
        except HandrailError as error:
            return Finished(Ended.FAILED, why=str(error))
        finally:
            if self._quieting is not None:
                self._quieting.cancel()
                self._quieting = None
        return finished

    async def _agents_ended(self) -> None:
        if self._loop.parked:
            await self._session.support.until_kept(self._loop.parked)
        await self.subagents.quiet()

    async def _go_on(self, text: str) -> None:
        """With what an earlier process left, and with what is parked."""
        if self._session.has_left:
            self._taking_up = True
            try:
                await self._take_up()
            finally:
                self._taking_up = False
        await self._loop.go_on(anyhow=bool(text))

    async def _take_up(self) -> None:
        """Turns that were not finished when the conversation was last kept: finished now, or parked again."""
        conversation = self._loop.conversation
        last = conversation.last
        for turn in await self._session.take_up():
            if turn.waiting:
                self._loop.parked = turn.id
            elif turn.id != last:
                conversation.carried_out(turn)

    async def interrupt(self, reason: str = "", *, by_person: bool = True) -> None:
        """Stops the model, the subagents that it waits for and all their calls; waits until each call has its answer.
        `by_person`: the model is told to ask them before it makes the same calls again.

        What runs `send` gets `Finished`, with `Ended.INTERRUPTED`; the next one goes on with the conversation as it
        stands then, and subagents can be told to go on, too. What works in the background is left alone.
        """
        working = self._working
        if working is not None and not working.done():
            await self._loop.stop(reason, by_person=by_person)
            if self._quieting is not None:
                self._quieting.cancel()
            if self._taking_up:
                await self._session.cancel_all(reason, by_person=by_person)
            await asyncio.wait([working])
        elif self._compacting:
            await self._loop.stop(reason, by_person=by_person)

    async def stop_agents(self, reason: str = "") -> None:
        """Stops the subagents in the background, and waits until they have ended; told more, they go on."""
        await self.subagents.stop(reason)

    async def compact(self) -> Compacted | None:
        """Makes the conversation shorter by a summary of the model; None where there is nothing to gain, and where it
        is interrupted.

        Raises ModelError, and UsageError while it is at work.
        """
        self._check_idle()
        self._loop.begin()
        self._compacting = True
        try:
            return await self._loop.compact()
        finally:
            self._compacting = False

    def clear(self) -> None:
        """Forgets the conversation. What was spent stays."""
        self._check_idle()
        self._loop.clear()
        self._kept.forget()

    def _report(self, report: Reported) -> None:
        if self._tell is not None:
            self._tell(report)
            return
        self._reports.append(report)
        if self.on_report is not None:
            self.on_report()

    def _check_idle(self) -> None:
        if self._working is not None or self._compacting:
            raise UsageError("this agent is at work: wait until it has finished, or interrupt it")


def _told_of(session: Host, model: Model) -> None:
    """What depends on which model answers follows."""
    session.support.speak(model.name)
    session.support.window.become(model.window)


@asynccontextmanager
async def open_agent(
    session: Host, model: Model, *, limits: Limits = USUAL, model_named: ModelNamed | None = None
) -> AsyncIterator[Agent]:
    """An agent that works in a session. When the block ends its work is interrupted; the session stays open.

    In a session that was taken up again it goes on with the conversation that was kept, and finishes what was not.
    `model_named` gives the models that kinds of subagents, or the model, ask for by name. Without it kinds get theirs
    by the session's settings, and the model has no choice. Raises UsageError where the session has an agent already.
    """
    support = session.support
    if support.agents.service is not None:
        raise UsageError("this session has an agent already: close that one, or open another session")
    workspace, user = support.workspace.root, folders(os.environ).user
    place = await asyncio.to_thread(Place.read, workspace, user, time.time())
    plan_mode = support.plan_mode
    briefing = Briefing(
        place.system(main_role()), lambda: plan_mode.mode, plan_mode.file, support.main.ledger.forget_views
    )
    _told_of(session, model)
    conversation = KeptConversation(support.values).conversation()
    id = f"turn-{secrets.token_hex(4)}"  # another for each process that works on the session
    loop = Loop(session, model, conversation, briefing, limits, time.monotonic, id)
    agent = Agent(session, loop, place, briefing, model_named)
    support.agents.service = agent.subagents if support.settings[AGENT_DEPTH] else None
    support.agents.resumed = loop.resumed
    try:
        yield agent
    finally:
        support.agents.service = None
        await finishing.to_the_end(_closed(agent))


async def _closed(agent: Agent) -> None:
    await agent.interrupt("the agent was closed", by_person=False)
    await agent.stop_agents("the agent was closed")

"""Gives tasks to subagents: implements `runtime.subagents.AgentService` for one session."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from handrail.agent.context.briefing import Briefing, Place
from handrail.agent.conversation import Conversation
from handrail.agent.events import Reported
from handrail.agent.loop import Loop
from handrail.agent.model import Model
from handrail.agent.subagents.roster import INTERRUPTED, Bounds, KeptAgent, Roster
from handrail.agent.subagents.subagent import Subagent
from handrail.agent.subagents.types import NO_AGENTS, NOT_FOR_SUBAGENTS, kind_named, kinds_with, listed
from handrail.contract.agents import AgentOrder, AgentReply, AgentState, AgentStatus
from handrail.contract.hooks import OfAgent
from handrail.contract.values import value
from handrail.errors import HandrailError, ToolFailed
from handrail.policy import Mode
from handrail.policy.modes import stricter
from handrail.runtime.results import shortened
from handrail.runtime.speaker import Speaker
from handrail.runtime.subagents import EmployingCall
from handrail.runtime.support import AgentSupport
from handrail.settings.agents.agent_type import AgentType
from handrail.settings.keys import AGENT_DEPTH, AGENTS_AT_ONCE

MAIN = "main"

STOP_GRACE = 10.0
"""Seconds that agents in the background get to end once they are stopped."""

MOST_REPORTED = 20_000
"""Characters of a report that the main agent is told unasked."""

ModelNamed: TypeAlias = Callable[[str], Model]
"""The model of a name. Raises HandrailError where there is none, or it can't be used."""


@value
class MainAgent:
    """The agent that the user speaks with."""

    loop: Loop
    briefing: Briefing
    place: Place
    report: Callable[[Reported], None]
    """Hears of each agent in the background that has come to its end."""


class Subagents:
    """All subagents of one main agent."""

    def __init__(self, support: AgentSupport, main: MainAgent, model_named: ModelNamed | None) -> None:
        """`model_named` None: kinds of agents get the model that they name from the settings' providers, and a call
        can't choose one, for the model decides who reads the project and what that costs.
        """
        self._support = support
        self._main = main
        self._model_named = model_named
        self._kinds: Mapping[str, AgentType] = kinds_with(support.settings.agents.usable)
        self._agents: dict[str, Subagent] = {}
        self._roster = Roster(support.values)
        """Those of earlier processes, too, which go on when they are told more."""
        self._counts: dict[str, int] = {}
        for kept in self._roster:
            self._counts[kept.kind] = self._counts.get(kept.kind, 0) + 1
        for id, note in self._roster.news():
            main.briefing.tell(note, partial(self._heard, id))
        self._quiet = asyncio.Event()
        self._quiet.set()
        self.told = listed(self._kinds.values())
        """For the menu."""

    def statuses(self) -> tuple[AgentStatus, ...]:
        """The oldest first."""
        return tuple(self._status(kept) for kept in self._roster)

    def _status(self, kept: KeptAgent) -> AgentStatus:
        agent = self._agents.get(kept.id)
        return _left_behind(kept).status if agent is None else agent.status

    async def quiet(self) -> None:
        """Returns when none works in the background."""
        await self._quiet.wait()

    async def stop(self, reason: str) -> None:
        """Stops those that work in the background, and waits until they have; the others end with the calls that they
        work for."""
        running = [agent for agent in self._agents.values() if agent.is_running and agent.status.background]
        for agent in running:
            await agent.loop.stop(reason)
        if running:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._quiet.wait(), STOP_GRACE)

    async def start(self, order: AgentOrder, call: EmployingCall) -> AgentReply:
        """Implements `contract.agents.Agents` for the call."""
        self._check_room(call.speaker.depth)
        kind = kind_named(order.type, self._kinds)
        if kind is None:
            raise ToolFailed(f"There is no kind of agent named {order.type!r}: there are {', '.join(self._kinds)}.")
        if order.name and (order.name == MAIN or self._roster.named(order.name) is not None):
            raise ToolFailed(f"An agent is called {order.name!r} already. Give this one another name, or none.")
        agent = self._made(kind, order, call)
        return await self._put_to_work(agent, order.prompt, call)

    async def tell(self, to: str, message: str, call: EmployingCall) -> AgentReply:
        """Implements `contract.agents.Agents` for the call."""
        sender = call.speaker.agent
        told = f"Message from the agent {sender.id if sender is not None else MAIN}:\n{message}"
        if to == MAIN and sender is not None:
            self._main.briefing.tell(told)
            return AgentReply(AgentStatus(MAIN, MAIN, "", AgentState.RUNNING, False), "")
        agent = self._find(to, call)
        if agent is None:
            known = ", ".join(kept.id for kept in self._roster) or "none yet"
            raise ToolFailed(f"There is no agent {to!r}. The agents of this session: {known}.")
        if agent.speaker is call.speaker:
            raise ToolFailed("That is yourself.")
        if agent.is_running:
            agent.briefing.tell(told)
            return AgentReply(agent.status, "")
        self._check_room(agent.speaker.depth - 1)
        agent.be_within(call.speaker)
        return await self._put_to_work(agent, message, call)

    def _check_room(self, depth: int) -> None:
        """For one more agent, of an employer that stands so deep."""
        deepest, most = self._support.settings[AGENT_DEPTH], self._support.settings[AGENTS_AT_ONCE]
        if depth >= deepest:
            raise ToolFailed(
                "An agent at this depth gives no tasks to others (the setting agent_depth). Do it yourself."
            )
        running = sum(agent.is_running for agent in self._agents.values())
        if running >= most:
            raise ToolFailed(
                f"{running} agents are at work, and no more than {most} may be at once (the setting agents_at_once). "
                "Wait for one of them, or do it yourself."
            )

    def _find(self, named: str, call: EmployingCall) -> Subagent | None:
        """One that an earlier process left goes on in this one. Raises ToolFailed where it can't."""
        kept = self._roster.named(named)
        return None if kept is None else self._agents.get(kept.id) or self._revived(kept, call)

    def _made(self, kind: AgentType, order: AgentOrder, call: EmployingCall) -> Subagent:
        id, asks = self._new_id(kind.name), call.speaker
        employer = "" if asks.agent is None else asks.agent.id
        kept = KeptAgent(
            id, kind.name, order.task, AgentState.RUNNING, order.background, order.name, order.model, employer
        )
        agent = self._built(kept, kind, asks, call, self._roster.new_conversation(id))
        self._roster.put(replace(kept, bounds=Bounds.of(agent.own)))
        return agent

    def _new_id(self, kind: str) -> str:
        """None that an agent has, or is called by."""
        while True:
            number = self._counts[kind] = self._counts.get(kind, 0) + 1
            if self._roster.named(id := f"{kind}-{number}") is None:
                return id

    def _revived(self, kept: KeptAgent, call: EmployingCall) -> Subagent:
        """With all that bounded it as it was made, and with what its kind, and those of its employers, say now."""
        kind = kind_named(kept.kind, self._kinds)
        employer = self._find(kept.employer, call) if kept.employer else None
        if kind is None or (kept.employer and employer is None):
            raise ToolFailed(
                f"The agent {kept.id} worked before the program was started again, and can't go on: there is "
                f"no kind of agent named {kept.kind!r} any more. Give its task to another."
            )
        asks = self._support.main if employer is None else employer.own
        agent = self._built(_left_behind(kept), kind, asks, call, self._roster.conversation(kept.id))
        if agent.status.state is AgentState.STOPPED:
            agent.briefing.tell(INTERRUPTED)
        return agent

    def _built(
        self, kept: KeptAgent, kind: AgentType, asks: Speaker, call: EmployingCall, conversation: Conversation
    ) -> Subagent:
        """`asks` is who it was made by."""
        id, employer = kept.id, self._employer(asks)
        reach = (*asks.reach, kind.reach, NOT_FOR_SUBAGENTS)
        if asks.depth + 1 >= self._support.settings[AGENT_DEPTH]:
            reach = (*reach, NO_AGENTS)
        mode = stricter(asks.mode, kind.mode)
        chosen = kept.model if self._model_named is not None else ""
        model = self._model(chosen or kind.model, employer.model)
        speaker = Speaker(OfAgent(id, kind.name), mode, reach, asks.kinds, asks.depth + 1, model.name)
        speaker = kept.bounds.on(speaker)
        briefing = Briefing(
            self._main.place.system(kind.role),
            lambda: self._mode_of(self._agents[id].speaker),
            "",
            speaker.ledger.forget_views,
        )
        hands = call.hands_for(speaker, kept.background)
        loop = Loop(hands, model, conversation, briefing, employer.left(), employer.clock, id)
        loop.employer = employer
        agent = self._agents[id] = Subagent(kept.status, speaker, speaker, loop, briefing)
        return agent

    def _mode_of(self, speaker: Speaker) -> str:
        return stricter(self._support.plan_mode.mode, speaker.mode) or Mode.DEFAULT

    def _employer(self, speaker: Speaker) -> Loop:
        agent = None if speaker.agent is None else self._agents.get(speaker.agent.id)
        return self._main.loop if agent is None else agent.loop

    def _model(self, named: str, employers: Model) -> Model:
        """What can't be had is told to the person, and done without."""
        if not named or named == employers.name:
            return employers
        try:
            if self._model_named is not None:
                return self._model_named(named)
            # Here, since most agents work with the model that there is.
            from handrail.agent.models.choosing import model_of

            return model_of(named, settings=self._support.settings)
        except HandrailError as error:
            self._support.notice(
                f"The model {named!r} can't be used for an agent ({error}); {employers.name} is instead"
            )
            return employers

    async def _put_to_work(self, agent: Subagent, message: str, call: EmployingCall) -> AgentReply:
        background, changed = agent.status.background, self._changing(agent)
        agent.loop.hands = call.hands_for(agent.speaker, background)
        agent.loop.limits = self._employer(call.speaker).left()
        agent.begin(message, changed)
        if not background:
            call.output.notice(f"The agent {agent.status.id} is at work: {agent.status.task}")
            return await agent.work(changed)
        self._quiet.clear()
        call.jobs.start(f"agent {agent.status.id}", self._in_background(agent))
        await asyncio.sleep(0)  # so that it has begun: what never begins is never said to have ended
        return AgentReply(agent.status, "")

    async def _in_background(self, agent: Subagent) -> None:
        try:
            reply = await agent.work(self._changing(agent))
            text = reported(reply)
            self._tell_main(agent, text)
            self._main.report(Reported(agent.status.id, text))
        except asyncio.CancelledError:
            self._tell_main(agent, f"The agent {agent.status.id} ({agent.status.task}) was stopped before it was done.")
            raise
        finally:
            self._quiet_if_so()

    def _quiet_if_so(self) -> None:
        if not any(agent.is_running and agent.status.background for agent in self._agents.values()):
            self._quiet.set()

    def _changing(self, agent: Subagent) -> Callable[[AgentState], None]:
        def change(state: AgentState) -> None:
            agent.status = replace(agent.status, state=state)
            if (kept := self._roster.get(agent.status.id)) is not None:
                self._roster.put(replace(kept, state=state))

        return change

    def _tell_main(self, agent: Subagent, text: str) -> None:
        """Kept until it is heard: the process may end before the main agent asks its model again."""
        id = agent.status.id
        if (kept := self._roster.get(id)) is not None:
            self._roster.put(replace(kept, unheard=text))
        self._main.briefing.tell(text, partial(self._heard, id))

    def _heard(self, id: str) -> None:
        """The main agent was told of it."""
        if (kept := self._roster.get(id)) is not None:
            self._roster.put(replace(kept, state=self._status(kept).state, unheard=""))


def _left_behind(kept: KeptAgent) -> KeptAgent:
    """Of an agent of an earlier process: none of them works any more."""
    return replace(kept, state=AgentState.STOPPED) if kept.state is AgentState.RUNNING else kept


def reported(reply: AgentReply) -> str:
    """What a model is told of an agent in the background that has come to its end."""
    agent, how = reply.agent, f" before it was done: {reply.why}" if reply.why else ""
    said = shortened(reply.text, MOST_REPORTED, "ask it for the rest")
    return f"The agent {agent.id} ({agent.task}) has ended{how}. It says:\n{said or '(nothing)'}"

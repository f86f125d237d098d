"""A session with its agent, as the terminal drives them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from handrail.agent.agent import Agent, open_agent
from handrail.agent.kept import KeptConversation
from handrail.agent.model import Model
from handrail.agent.models.choosing import whole_name
from handrail.agent.sampling import ModelSampler
from handrail.contract.events import Event
from handrail.contract.provider import Condition
from handrail.errors import HandrailError
from handrail.runtime.parts import Parts
from handrail.runtime.stored_sessions import stored_sessions
from handrail.session import Session
from handrail.settings.keys import APPROVE
from handrail.settings.load import Settings
from handrail.settings.redaction import Redactor
from handrail.surfaces.cli.asking import Approve, asker_of_option
from handrail.surfaces.cli.journals import journal_place
from handrail.surfaces.cli.policies import notes_on
from handrail.surfaces.cli.text import printable
from handrail.surfaces.cli.turn_text import call_lines
from handrail.surfaces.cli.wrapping import alert, wrapped
from handrail.surfaces.terminal.activity import Activity
from handrail.surfaces.terminal.markdown import markdown_lines
from handrail.surfaces.terminal.questions import Questions
from handrail.surfaces.terminal.recalled import recalled_lines
from handrail.surfaces.terminal.sources import arguments_of, news_lines, prompt_of, source_of

Print = Callable[[Sequence[str]], None]


@dataclass(frozen=True, slots=True)
class Looks:
    """How a skin wants its lines."""

    colour: bool
    words: bool
    """Instead of marks, for people who listen; and text as it is, not laid out."""
    columns: Callable[[], int]

    def layout(self, text: str) -> list[str]:
        """Markdown as lines."""
        if self.words:
            return printable(text, keep_lines=True).split("\n")
        return markdown_lines(text, self.columns(), colour=self.colour)

    def alert(self, message: str) -> list[str]:
        return alert(message, self.columns(), colour=self.colour)


@dataclass(frozen=True, slots=True)
class Work:
    """What there is once the session is open."""

    settings: Settings
    session: Session
    agent: Agent
    activity: Activity
    questions: Questions
    looks: Looks
    print: Print
    unfinished: bool
    """Of the session that was taken up: calls of it have not ended."""

    async def prompt(self, command: str, rest: str) -> str:
        """The text of a prompt that a source of tools has, which is waited for while it starts. Raises HandrailError
        where it can't be had."""
        source = source_of(command, self.session.sources())
        if source is not None:
            if source.condition is Condition.STARTING:
                self.print([printable(f"{source.name} is starting; /{command} waits for it. Ctrl-C stops that.")])
            await self.session.prompted(source.name)
        prompt = prompt_of(command, [prompt for _, prompt in self.session.prompts()])
        return await prompt.text(arguments_of(prompt, rest))

    async def say(self, text: str) -> None:
        """Until the agent has finished, or is interrupted. Without a text it goes on where it was."""
        self.activity.begin()
        try:
            async for event in self.agent.send(text):
                self.print(self.activity.hear(event))
        except HandrailError as error:
            self.print(self.looks.alert(str(error)))

    def taken_up(self, session: str) -> list[str]:
        """Which session goes on, how much of the window its conversation takes, and how it was left."""
        used = self.agent.used
        size = [f"Its conversation takes about {used:,} tokens."] if used else []
        entries = KeptConversation(self.session.support.values).conversation().entries
        told = recalled_lines(entries, Redactor(os.environ), self.looks.columns(), colour=self.looks.colour)
        lines = [f"Going on with session {session}.", *size]
        return [*(part for line in lines for part in wrapped(line, self.looks.columns())), *told]

    def calls_in_full(self) -> list[str]:
        """The calls that ended since the person last said something, with what they gave."""
        redactor, root = Redactor(os.environ), self.settings.workspace
        lines = [
            line
            for call in self.activity.settled
            for line in call_lines(call, root, redactor, colour=self.looks.colour)
        ]
        return ["", *(lines or ["(no calls)"])]


@asynccontextmanager
async def open_work(
    settings: Settings, model: Model, session: str, looks: Looks, tell: Print, changed: Callable[[], None]
) -> AsyncIterator[Work]:
    """`session` is the id of one to take up, or empty. `tell` prints for good; `changed` hears that something is to
    be drawn anew. Raises HandrailError where the session can't be opened.
    """
    questions = Questions(changed)
    approve = Approve(settings[APPROVE])
    asker = questions if approve is Approve.ASK else asker_of_option(approve, settings.workspace)
    activity = Activity(
        settings.workspace,
        Redactor(os.environ),
        looks.layout,
        looks.columns,
        colour=looks.colour,
        words=looks.words,
    )

    def see(event: Event) -> None:
        tell(activity.see(event))
        changed()

    unfinished = bool(session) and await asyncio.to_thread(_has_unfinished, settings.workspace, session)
    sampler = ModelSampler()
    parts = Parts(asker=asker, sampler=sampler)
    async with Session.open(
        settings.workspace, settings=settings, session=session, model=whole_name(model), parts=parts
    ) as opened:
        for note in notes_on(settings.rules.rules, opened.knows):
            tell(looks.alert(note))
        opened.subscribe(see)
        tell([part for status in opened.sources() for line in news_lines(status) for part in looks.alert(line)])
        async with open_agent(opened, model) as agent:
            agent.pay_for(sampler)
            activity.own_name = partial(_own_name, opened, agent)
            yield Work(settings, opened, agent, activity, questions, looks, tell, unfinished)


def _own_name(session: Session, agent: Agent, name: str) -> str:
    """Of the tool that the agent's model calls by this name."""
    menu = session.menu(agent.model.name)
    return next((shown.tool.name for shown in menu.tools if shown.name == name), name)


def _has_unfinished(workspace: Path, session: str) -> bool:
    stored = stored_sessions(journal_place(workspace))
    return any(each.unfinished for each in stored if each.id == session)

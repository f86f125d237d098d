"""What stands behind a skin of the terminal: takes what is typed, and drives the agent. The session opens meanwhile."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, TypeVar

from handrail.agent.model import Model
from handrail.contract.values import value
from handrail.errors import HandrailError
from handrail.settings.keys import MODE
from handrail.settings.load import Settings
from handrail.surfaces.cli.text import bold, dim, printable
from handrail.surfaces.cli.wrapping import alert, wrapped
from handrail.surfaces.terminal import slash
from handrail.surfaces.terminal.models import ModelOf
from handrail.surfaces.terminal.pastes import Pastes
from handrail.surfaces.terminal.status import Status
from handrail.surfaces.terminal.steps import Result, Stop

if TYPE_CHECKING:
    from handrail.surfaces.terminal.dialog import Dialog
    from handrail.surfaces.terminal.work import Work

T = TypeVar("T")

MOST_ECHOED = 20
"""Lines of what the person said that are printed again."""
CYCLE = ("default", "accept-edits", "plan")
"""The modes that a key goes through. Into the others a person goes by name."""


class Beside:
    """Work that nobody waits for, kept until it is done."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


class Skin(Protocol):
    """How all this looks, and what is typed comes in."""

    colour: bool
    words: bool
    echoes: bool
    """What was typed is not on the screen any more once it is sent."""
    pastes: Pastes

    @property
    def columns(self) -> int: ...

    def print(self, lines: Sequence[str]) -> None: ...

    def changed(self) -> None: ...

    def leave(self) -> None: ...

    async def run(self) -> None:
        """Until the person leaves."""
        ...


@value
class Opening:
    """What is to be opened."""

    settings: Settings
    model: Model
    model_of: ModelOf
    session: str = ""
    """The id of one to go on with."""


class Console:
    """`host.Host`. Commands that only look are carried out at once, all else in the order in which it was typed."""

    skin: Skin

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._work: Work | None = None
        self._typed: deque[str] = deque()
        self._more = asyncio.Event()
        self._busy = False
        self._mode = ""
        """Chosen with a key; perhaps before the session was open."""
        self._stopping = False
        """What waits for the person is on its way to be cancelled, and no longer asked."""
        self._cancel: Callable[[], object] | None = None
        """Ends a command or a prompt that is waited for, with no agent at work."""
        self._beside = Beside()

    async def serve(self) -> None:
        """Opens the session, and works until it is cancelled. Raises HandrailError where it can't be opened."""
        # The modules of the runtime take longer to load than a person needs to see a prompt.
        await asyncio.to_thread(import_module, "handrail.surfaces.terminal.work")
        from handrail.surfaces.terminal.work import Looks, open_work

        looks = Looks(self.skin.colour, self.skin.words, lambda: self.skin.columns)
        opening = self._opening
        async with open_work(
            opening.settings, opening.model, opening.session, looks, self.skin.print, self.skin.changed
        ) as self._work:
            if self._mode:
                self._work.session.change_mode(self._mode)
            self._work.agent.said_meanwhile = self._said_meanwhile
            self.skin.changed()
            if opening.session:
                self.skin.print(self._work.taken_up(opening.session))
            if self._work.unfinished:
                await self._do(self._work, "")
            self._work.agent.on_report = self._more.set
            while True:
                while not self._typed and not self._work.agent.has_reports:
                    self._more.clear()
                    await self._more.wait()
                await self._do(self._work, self._typed.popleft() if self._typed else "")

    @property
    def busy(self) -> bool:
        return self._busy or bool(self._typed)

    @property
    def session(self) -> str:
        """Its id, once it is open."""
        return self._work.session.id if self._work is not None else ""

    def status(self) -> Status:
        opening, work = self._opening, self._work
        if work is None:
            return Status(
                self._mode or opening.settings[MODE],
                opening.model.name,
                hint="opening the session" if self._typed else "/help",
            )
        agent = work.agent
        return Status(
            work.session.mode.value,
            agent.model.name,
            agent.used,
            agent.model.window,
            agent.spent.money,
            "Ctrl-C interrupts" if self._busy else "" if agent.spent.turns else "/help",
        )

    def live(self, most: int) -> list[str]:
        return self._work.activity.live(time.time(), most) if self._work is not None else []

    def question(self) -> Dialog | None:
        return self._work.questions.first if self._work is not None and not self._stopping else None

    def question_lines(self, dialog: Dialog) -> list[str]:
        from handrail.surfaces.terminal.asked import asked_lines

        if self._work is None:
            return []
        self._work.questions.show(dialog)
        root, layout = self._opening.settings.workspace, self._work.looks.layout
        return asked_lines(dialog, root, layout, self.skin.columns, colour=self.skin.colour)

    def answer(self, dialog: Dialog, result: Result) -> None:
        from handrail.surfaces.terminal.dialog import said_in_words

        self.skin.print([dim(f"  → {printable(said_in_words(result))}", colour=self.skin.colour)])
        if self._work is None:
            return
        if isinstance(result, Stop):
            self._stopping = True
            self._beside.start(self._stop_all(self._work, dialog, "they said no, and want you to stop"))
        else:
            self._work.questions.give(dialog, result)

    def submit(self, text: str) -> None:
        """A command that only looks is carried out at once; the rest waits until the agent has finished."""
        command = slash.parsed(text)
        if command is not None and command[0] == "quit":
            self.skin.leave()
            return
        if slash.is_for_shell(text):
            self._echo(text)
            self.skin.print(alert(slash.NO_SHELL, self.skin.columns, colour=self.skin.colour))
            return
        work = self._work
        if work is not None and command is not None and command[0] in slash.WHILE_WORKING and self._busy:
            self._beside.start(self._do_command(work, text, *command))
            return
        self._typed.append(text)
        self._more.set()
        self.skin.changed()

    @property
    def queued(self) -> Sequence[str]:
        """None while the agent is about to read the first."""
        return tuple(self._typed) if self._busy or self._work is None else ()

    def take_back(self, most: int) -> Sequence[str]:
        taken = [self._typed.pop() for _ in range(min(most, len(self.queued)))]
        self.skin.changed()
        return taken[::-1]

    def interrupt(self) -> bool:
        return self._stop("they pressed Ctrl-C")

    def next_mode(self) -> None:
        mode = self.status().mode
        place = CYCLE.index(mode) + 1 if mode in CYCLE else 0
        self._mode = CYCLE[place % len(CYCLE)]
        if self._work is not None:
            self._work.session.change_mode(self._mode)
        self.skin.changed()

    def unfold(self) -> None:
        if self._work is None:
            return
        if self._busy:
            self._work.activity.unfolded = not self._work.activity.unfolded
        else:
            self.skin.print(self._work.calls_in_full())
        self.skin.changed()

    def _said_meanwhile(self) -> Iterator[str]:
        """What is queued, up to the first command: the agent takes it between two steps."""
        while self._typed and slash.parsed(self._typed[0]) is None and slash.prompt_named(self._typed[0]) is None:
            text = self._typed.popleft()
            self._echo(text)
            yield self.skin.pastes.whole(text)
        self.skin.changed()

    def _stop(self, why: str) -> bool:
        if self._work is None or not self._busy:
            return False
        self._stopping = True
        if self._cancel is not None:
            self._cancel()
        self._beside.start(self._work.agent.interrupt(why))
        self.skin.changed()
        return True

    async def _stop_all(self, work: Work, dialog: Dialog, why: str) -> None:
        """The turn, and where the question is still open then, what works in the background: one of those asks it."""
        try:
            await work.agent.interrupt(why)
            if dialog in work.questions:
                await work.agent.stop_agents(why)
        finally:
            self._stopping = False
            self.skin.changed()

    async def _until_stopped(self, work: Work, doing: Coroutine[object, object, T]) -> T | None:
        """What it gives; None where the person stops it, which they are told."""
        done = asyncio.ensure_future(doing)
        self._cancel = done.cancel
        try:
            await asyncio.wait([done])
        finally:
            self._cancel = None
            done.cancel()
        if done.cancelled():
            self.skin.print(work.looks.alert("Interrupted."))
            return None
        return done.result()

    async def _do(self, work: Work, text: str) -> None:
        command = slash.parsed(text)
        self._busy = True
        try:
            if command is not None:
                await self._do_command(work, text, *command)
            else:
                if text:
                    self._echo(text)
                await self._say(work, text)
        finally:
            self._busy = self._stopping = False
            work.activity.unfolded = False
            self.skin.changed()

    async def _say(self, work: Work, text: str) -> None:
        """What was typed, or the prompt that it names."""
        named = slash.prompt_named(text)
        try:
            said = (
                self.skin.pastes.whole(text) if named is None else await self._until_stopped(work, work.prompt(*named))
            )
        except HandrailError as error:
            self.skin.print(work.looks.alert(str(error)))
            return
        if said is not None:
            await work.say(said)

    async def _do_command(self, work: Work, text: str, name: str, rest: str) -> None:
        from handrail.surfaces.terminal.commands import carry_out

        self._echo(text)
        try:
            doing = carry_out(work, name, rest, self._opening.model_of)
            lines = await (doing if name in slash.WHILE_WORKING else self._until_stopped(work, doing))
        except HandrailError as error:
            self.skin.print(work.looks.alert(str(error)))
        else:
            self.skin.print([part for line in lines or () for part in wrapped(line, self.skin.columns)])

    def _echo(self, text: str) -> None:
        if not self.skin.echoes:
            return
        lines = printable(text.expandtabs(4), keep_lines=True).split("\n")
        if len(lines) > MOST_ECHOED:
            lines = [*lines[:MOST_ECHOED], f"… {len(lines) - MOST_ECHOED:,} more lines"]
        first, *rest = lines
        shown = [f"> {first}", *(f"  {line}" for line in rest)]
        self.skin.print(["", *(bold(line, colour=self.skin.colour) for line in shown)])

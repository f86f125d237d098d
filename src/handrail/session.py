"""Builds a session from its parts: the only place that knows them all.

async with Session.open("path/to/workspace") as session:
    response = await client.messages.create(tools=session.menu(model).anthropic(), …)
    turn = await session.run(response)          # decodes, governs, carries out, encodes
    messages += turn.messages
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from handrail.blocking import BlockingSession
from handrail.catalog import Menu, Registry
from handrail.catalog.registry import BUILT_IN
from handrail.contract.basics import ApprovalId, CallId, Instant, JobId, SessionId
from handrail.contract.calls import AwaitingApproval, CallRequest, Canceller
from handrail.contract.confirmation import Answer
from handrail.contract.context import Workspace
from handrail.contract.events import Event
from handrail.contract.jobs import Job
from handrail.contract.provider import Prompt, SourceStatus
from handrail.contract.results import ToolResult
from handrail.contract.tool import Tool
from handrail.errors import UsageError
from handrail.policy import Mode, Rule
from handrail.policy.modes import mode_of
from handrail.providers.configured import configured_providers
from handrail.providers.given import GivenTools
from handrail.runtime.askers import OnAsk, asker_for
from handrail.runtime.books import Books, TakeOver, WantedSession, open_books
from handrail.runtime.bus import Bus, Listener
from handrail.runtime.finding import SessionTools
from handrail.runtime.intake import ToolFinder
from handrail.runtime.judge import Judge
from handrail.runtime.live import LiveCall
from handrail.runtime.loop_thread import LoopThread
from handrail.runtime.openings import HowOpened
from handrail.runtime.parts import Parts, bounded
from handrail.runtime.recovery import Left
from handrail.runtime.resolver import Resolver
from handrail.runtime.shell_state import SessionShell
from handrail.runtime.shelves import Shelves
from handrail.runtime.skills import SessionSkills
from handrail.runtime.spilling import spill_folder
from handrail.runtime.turns import Turn
from handrail.runtime.watching import watch
from handrail.runtime.works import Works, put_together
from handrail.sandbox.finishing import to_the_end
from handrail.settings.in_code import SaidInCode
from handrail.settings.keys import ADD_DIRS, MODE, MODEL, PASS_ENV
from handrail.settings.load import Settings, no_settings
from handrail.settings.places import folders, state_folder
from handrail.tools import builtin_tools
from handrail.wire import Wire


class Session:
    """Tool calls governed in one workspace. Open it with `Session.open`, or `Session.open_sync`."""

    def __init__(self, tools: SessionTools, works: Works, left: Left | None, id: SessionId) -> None:
        self.id = id
        """Names the session in its journal, and to `open`, where it is to be taken up again."""
        self._left = left
        self._registry = tools.registry
        self._toolbox = tools.box
        self._skills = tools.skills
        self._desk = works.desk
        self._bus = works.bus
        self._scheduler = works.scheduler
        self._turns = works.turns
        self._jobs = works.jobs
        self._shelves = works.shelves
        self._plan_mode = works.plan_mode
        self.support = works.support
        """For `open_agent`."""
        self._accepts = True
        self._closed = asyncio.Event()
        """Set last, so that whoever watches sees how the calls ended."""
        self.before_tool = works.hooks.before_tool
        """`@session.before_tool` registers a hook: see `contract.hooks` for what it gets and may say."""
        self.after_tool = works.hooks.after_tool
        self.on_failure = works.hooks.on_failure
        self.on_approval_asked = works.hooks.on_approval_asked
        self.on_approval_answered = works.hooks.on_approval_answered

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        workspace: str | Path,
        *,
        mode: Mode | str | None = None,
        rules: Sequence[Rule] = (),
        model: str = "",
        added: Sequence[str | Path] = (),
        session: str | TakeOver = "",
        settings: Settings | None = None,
        parts: Parts | None = None,
    ) -> AsyncIterator[Session]:
        """A session in the folder `workspace`, closed when the block ends. `model` names the model that
        answers, so that messages use the names its family knows.

        `settings`, from `load_settings`, say what is not given here; rules and folders add up. Without them no
        file of settings is read. `session` is the id of one that was left, by a crash or with open questions: see
        `take_up`. `TakeOver(id)` takes it from a process that lives.

        Raises UsageError when a folder, the mode or a rule can't be used, JournalError when the journal
        can't be opened, or another process holds the session.
        """
        root = _folder(workspace)
        settings = settings or no_settings(root)
        settings.check_workspace(root)
        parts = bounded(parts or Parts(), settings)
        said = SaidInCode(mode, tuple(rules), model, tuple(map(_folder, added)))
        policy = said.policy(settings)
        place = Workspace(root, (*(_folder(path) for path in settings[ADD_DIRS]), *said.added))
        wanted = WantedSession(session, HowOpened(said.kept(settings), len(said.rules)))
        state = await asyncio.to_thread(state_folder) if parts.journal is None else None
        async with open_books(parts.journal, state, place.root, parts.clock, wanted) as books:
            spilled = None if state is None else spill_folder(state, books.session)
            shell = SessionShell(place, settings[PASS_ENV])
            resolver = Resolver(place, Path.home(), state, spilled, _own_files(settings), shell)
            judge = Judge(resolver, policy)
            skills = SessionSkills.of(settings, judge, resolver)
            speaks = model or settings[MODEL]
            tools = SessionTools.of(Shelves(Registry(), Bus()), judge, skills, speaks, parts.window)
            works = put_together(tools, shell, judge, books, parts, spilled, settings)
            await works.shelves.fill(GivenTools(BUILT_IN, builtin_tools() if parts.tools is None else parts.tools))
            providers = parts.providers
            if providers is None:
                providers = configured_providers(settings, place, parts.launcher, state, parts.sampler, tools.window)
            if mode is None and not settings.said_now(MODE):
                works.plan_mode.go_on()
            opened = cls(tools, works, _left(books, tools.find, works, parts), books.session)
            # Calls end before the providers that carry them out.
            async with works.shelves.filled(providers):
                try:
                    async with books.following(works.desk, works.grants, works.bus.notice):
                        yield opened
                finally:
                    opened._accepts = False
                    try:
                        await to_the_end(works.close())
                    finally:
                        opened._closed.set()

    def add(self, tool: Tool[Any], provider: str = "session") -> None:
        """Raises ToolDefinitionError for what is no tool, or has a name that is taken or can't be used."""
        self._check_open()
        self._registry.add(tool, provider)

    def knows(self, name: str) -> bool:
        """Whether a tool has this name, as its own, as an alias or as a family's."""
        return self._registry.knows(name)

    def menu(self, model: str = "") -> Menu:
        """The tools that `model` should see now, and why others are hidden."""
        return self._toolbox.menu(model)

    def sources(self) -> tuple[SourceStatus, ...]:
        """How it stands with the servers, folders and commands that tools come from."""
        return self._shelves.sources()

    def prompts(self) -> tuple[tuple[str, Prompt], ...]:
        """The texts that sources have for people to send, each with the name of its provider."""
        return self._shelves.prompts()

    async def prompted(self, source: str) -> None:
        """Waits while a source, by its name among `sources`, is starting: then `prompts` has those of it. Raises
        ToolFailed where it does not start."""
        await self._shelves.prompted(source)

    async def refresh(self) -> None:
        """Looks again at where tools come from: the next menu has what changed. `run` ends with it."""
        await self._shelves.refresh()

    @property
    def mode(self) -> Mode:
        return self._plan_mode.mode

    def change_mode(self, mode: Mode | str) -> None:
        """Only for a person's own choice: a mode decides what runs unasked. It holds for every call that has not
        started yet. Raises UsageError for what is no mode.
        """
        self._check_open()
        self._plan_mode.go_to(mode_of(mode))

    async def run(
        self, response: object, wire: Wire | None = None, *, on_ask: OnAsk | None = None, turn: str = ""
    ) -> Turn:
        """Carries out a model's response: an official SDK's response object or stream, a dict, a list of
        stream events, or what `wire.read` gave. Of a stream, each call starts as soon as it is complete.

        Returns when every call has its result, or waits for somebody outside. `on_ask` says what happens
        when a call needs a person; None leaves that to the session's asker. `turn` is an id for it, so that it
        can be cancelled from elsewhere. Cancelling the wait cancels the calls. A stream that raises ModelError has
        broken off: the turn has what it had asked for until then, and nothing that was half said. Raises WireError
        for what can't be read, UsageError once the session is closed.

        Give it every response, one without calls too: with that the model's turn ends, and what a skill allowed.
        """
        self._check_open()
        carried_out = await self._turns.run(response, wire, None if on_ask is None else asker_for(on_ask), turn)
        if carried_out.done:
            self._skills.end_turn()
        await self._shelves.refresh()
        return carried_out

    async def resume(self, turn: Turn | str, answers: Mapping[ApprovalId, Answer] | None = None) -> Turn:
        """Gives answers to a parked turn's questions, and what became of it then. `turn` may be its id.

        Questions that are still open leave the turn parked. Raises UsageError for a turn that is not
        parked, and for an answer to a question that is not open.
        """
        self._check_open()
        resumed = await self._turns.resume(turn if isinstance(turn, str) else turn.id, answers or {})
        self.support.agents.resumed(resumed)
        return resumed

    @property
    def has_left(self) -> bool:
        """Opened by its id, and not taken up yet."""
        return self._left is not None

    async def take_up(self, *, on_ask: OnAsk | None = None) -> tuple[Turn, ...]:
        """Goes on where the session was left, once its tools are there: nothing of it starts before.

        Gives what became of each unfinished turn, and where there is none of the last one, with its messages; a
        turn that waits for somebody stays parked. Results that were journaled are not computed again, and what had
        started and could have changed something is not run again. Raises UsageError for a session that was not
        opened by its id, and the second time.
        """
        self._check_open()
        if self._left is None:
            raise UsageError("there is nothing to take up: open the session by its id, and take it up once")
        left, self._left = self._left, None
        taken = await left.take_up(None if on_ask is None else asker_for(on_ask))
        self._turns.take_up(taken)
        return tuple([await self._turns.resume(turn.id, {}) for turn in taken])

    def submit(self, request: CallRequest, *, on_ask: OnAsk | None = None) -> LiveCall:
        """Puts one call on its way at once; its `settled` future gives the outcome."""
        self._check_open()
        return self._scheduler.submit(request, asker=None if on_ask is None else asker_for(on_ask))

    def _check_open(self) -> None:
        if not self._accepts:
            raise UsageError("this session is closed; open another")

    async def cancel(self, call: CallId, reason: str = "", *, by_person: bool = False) -> bool:
        """Stops a call and waits until it is settled. False when there is no such open call. `by_person`: the model
        is told to ask them before it makes the call again."""
        return await self._scheduler.cancel(call, _canceller(reason, by_person=by_person))

    async def cancel_turn(self, turn: Turn | str, reason: str = "", *, by_person: bool = False) -> bool:
        """Stops all calls of a turn, running, waiting or parked, and waits until each has its result.

        False when no such turn is open. A parked one is resumed for its messages.
        """
        id = turn if isinstance(turn, str) else turn.id
        return await self._turns.cancel(id, _canceller(reason, by_person=by_person))

    async def cancel_all(self, reason: str = "", *, by_person: bool = False) -> None:
        """Stops every open call, as an interrupt does; background jobs go on, and new calls are taken."""
        self._skills.end_turn()
        await self._scheduler.cancel_all(_canceller(reason, by_person=by_person))

    def jobs(self) -> tuple[Job, ...]:
        """The background jobs that run."""
        return self._jobs.running()

    async def stop_job(self, job: JobId) -> bool:
        """Cancels a background job, and waits until it has ended. False when there is no such job."""
        return await self._jobs.stop(job)

    async def end(self, by: Canceller) -> None:
        """Cancels all open calls, and every later one before it starts."""
        await self._scheduler.end(by)

    def deliver(self, call: CallId, result: ToolResult) -> bool:
        """The result of a call that the client held. False when it is not, or no longer, held."""
        return self._scheduler.deliver(call, result)

    def pending(self) -> tuple[AwaitingApproval, ...]:
        """The open questions, the oldest first."""
        return self._desk.open()

    def answer(self, approval: ApprovalId, answer: Answer, surface: str) -> bool:
        """True for the first answer to an open question, else False."""
        return self._desk.answer(approval, answer, surface)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Calls `listener` with every event, on the session's loop. Returns what ends that."""
        return self._bus.subscribe(listener)

    def events(self) -> AsyncIterator[Event]:
        """Every event from now on, until the session is closed."""
        return watch(self._bus, self._closed)

    @classmethod
    @contextmanager
    def open_sync(cls, workspace: str | Path, **options: Any) -> Iterator[BlockingSession]:
        """The same for code without `await`: scripts, and notebooks whose loop runs already.

        Takes what `open` takes. The session lives on a loop in a thread of its own.
        """
        thread = LoopThread()
        try:
            manager = cls.open(workspace, **options)
            session = thread.run(manager.__aenter__())
            try:
                yield BlockingSession(session, thread)
            finally:
                thread.run(manager.__aexit__(None, None, None))
        finally:
            thread.close()


def _canceller(reason: str, *, by_person: bool) -> Canceller:
    return Canceller("the person" if by_person else "the caller", reason, is_person=by_person)


def _left(books: Books, find: ToolFinder, works: Works, parts: Parts) -> Left | None:
    if books.taken is None or books.recall is None:
        return None
    works.scheduler.reserve(books.taken.ids)
    works.turns.start_behind(books.taken.place)
    return Left(books.recall, works.scheduler, find, lambda: Instant(parts.clock()))


def _own_files(settings: Settings) -> tuple[Path, ...]:
    where = folders(os.environ)
    return (where.system, where.user, *settings.files)


def _folder(path: str | Path) -> Path:
    folder = Path(path).expanduser().absolute()
    if not folder.is_dir():
        raise UsageError(f"{path} is not a folder; name one that exists")
    return folder

"""Builds a session from its parts: the only place that knows them all.

async with Session.open("path/to/workspace") as session:
    response = await client.messages.create(tools=session.menu(model).anthropic(), …)
    turn = await session.run(response)          # decodes, governs, carries out, encodes
    messages += turn.messages
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from handrail.catalog import Menu, Registry, menu_for, this_machine
from handrail.catalog.faces import faces_of
from handrail.catalog.shell_forms import in_own_words
from handrail.contract.basics import ApprovalId, CallId, Instant, Json, JsonObject, SessionId
from handrail.contract.calls import Approved, AwaitingApproval, CallForm, CallRequest, Canceller
from handrail.contract.confirmation import Answer
from handrail.contract.context import Environment, Workspace
from handrail.contract.events import Event
from handrail.contract.launching import Launcher
from handrail.contract.ports import Asker, Checkpoints, Journal
from handrail.contract.results import ToolResult
from handrail.contract.tool import Tool
from handrail.errors import UsageError
from handrail.policy import Mode, Policy, Rule, hidden_reason
from handrail.runtime.approvals import Desk
from handrail.runtime.askers import Nobody, OnAsk, asker_for
from handrail.runtime.bus import Bus, Listener
from handrail.runtime.consent import Consent
from handrail.runtime.context import Surroundings
from handrail.runtime.executor import Executor, Records
from handrail.runtime.hosted import HostedServerCall
from handrail.runtime.intake import Intake, ToolFinder
from handrail.runtime.journal import SqliteJournal
from handrail.runtime.judge import Judge
from handrail.runtime.live import LiveCall
from handrail.runtime.loop_thread import LoopThread
from handrail.runtime.order import Order
from handrail.runtime.resolver import Resolver
from handrail.runtime.scheduler import Scheduler
from handrail.runtime.turns import Turn, turn_of
from handrail.runtime.watching import watch
from handrail.sandbox.none import PlainLauncher
from handrail.settings.places import journal_file, state_folder
from handrail.tools import builtin_tools
from handrail.wire import Response, Wire, decode
from handrail.wire.objects import as_json

T = TypeVar("T")

MOST_AT_ONCE = 10
"""Leaf calls that run together; Claude Code's default too."""


class NoCheckpoints:
    """Keeps nothing: there is no undo yet."""

    async def keep(self, call: Approved) -> None:
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a session is made of, each with a good default."""

    tools: Sequence[Tool[Any]] | None = None
    """None: the built-in ones."""
    asker: Asker = field(default_factory=Nobody)
    journal: Journal | None = None
    """None: one SQLite file for the workspace, in the state folder."""
    launcher: Launcher = field(default_factory=PlainLauncher)
    checkpoints: Checkpoints = field(default_factory=NoCheckpoints)
    clock: Callable[[], float] = time.time
    at_once: int = MOST_AT_ONCE


@dataclass(frozen=True, slots=True)
class _OpenTurn:
    response: Response
    calls: Sequence[LiveCall]


class Session:
    """Tool calls governed in one workspace. Open it with `Session.open`, or `Session.open_sync`."""

    def __init__(
        self, registry: Registry, judge: Judge, desk: Desk, bus: Bus, scheduler: Scheduler, environment: Environment
    ) -> None:
        self._registry = registry
        self._judge = judge
        self._desk = desk
        self._bus = bus
        self._scheduler = scheduler
        self._environment = environment
        self._open_turns: dict[str, _OpenTurn] = {}
        self._turns = 0
        self._accepts = True
        self._closed = asyncio.Event()
        """Set last, so that whoever watches sees how the calls ended."""

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        workspace: str | Path,
        *,
        mode: Mode | str = Mode.DEFAULT,
        rules: Sequence[Rule] = (),
        model: str = "",
        added: Sequence[str | Path] = (),
        parts: Parts | None = None,
    ) -> AsyncIterator[Session]:
        """A session in the folder `workspace`, closed when the block ends. `model` names the model that
        answers, so that messages use the names its family knows.

        Raises UsageError when a folder, the mode or a rule can't be used, JournalError when the journal
        can't be opened.
        """
        parts = parts or Parts()
        policy = _policy(mode, rules)
        place = Workspace(_folder(workspace), tuple(_folder(path) for path in added))
        state, journal = None, parts.journal
        if journal is None:
            state = await asyncio.to_thread(state_folder)
            journal = await _journal(state, place.root, parts.clock)
        registry = Registry(builtin_tools() if parts.tools is None else parts.tools)
        judge = Judge(Resolver(place, Path.home(), state), policy)
        session = cls._of(registry, _finder(registry, model), place, judge, journal, parts)
        try:
            yield session
        finally:
            session._accepts = False
            await session._scheduler.close()
            session._closed.set()
            await journal.close()

    @classmethod
    def _of(
        cls, registry: Registry, find: ToolFinder, place: Workspace, judge: Judge, journal: Journal, parts: Parts
    ) -> Session:
        records = Records(journal, parts.checkpoints, parts.clock)
        desk, order, bus = Desk(), Order(parts.at_once), Bus()
        intake = Intake(find, judge, desk, order, place, records.now)
        consent = Consent(desk, order, records.now)
        executor = Executor(intake, consent, judge, order, records, Surroundings(place, parts.launcher, bus))
        return cls(registry, judge, desk, bus, Scheduler(executor, order, parts.asker), this_machine())

    def add(self, tool: Tool[Any], provider: str = "session") -> None:
        """Raises ToolDefinitionError for what is no tool, or has a name that is taken or can't be used."""
        self._check_open()
        self._registry.add(tool, provider)

    def knows(self, name: str) -> bool:
        """Whether a tool has this name, as its own, as an alias or as a family's."""
        return self._registry.knows(name)

    def menu(self, model: str = "") -> Menu:
        """The tools that `model` should see now, and why others are hidden."""
        policy = self._judge.policy
        return menu_for(
            self._registry, model, self._environment, lambda tool: hidden_reason(tool, policy, faces_of(tool.name))
        )

    async def run(self, response: object, wire: Wire | None = None, *, on_ask: OnAsk | None = None) -> Turn:
        """Carries out a model's response: an official SDK's response object or stream, a dict, a list of
        stream events, or what `wire.read` gave.

        Returns when every call has its result, or waits for somebody outside. `on_ask` says what happens
        when a call needs a person; None leaves that to the session's asker. Cancelling the wait cancels
        the calls. Raises WireError for what can't be read, UsageError once the session is closed.
        """
        self._check_open()
        decoded = response if isinstance(response, Response) else decode(await _collected(response), wire)
        asker = None if on_ask is None else asker_for(on_ask)
        calls = [self._scheduler.submit(request, asker=asker) for request in decoded.calls]
        self._turns += 1
        return await self._carried_out(f"turn-{self._turns}", _OpenTurn(decoded, calls))

    async def resume(self, turn: Turn | str, answers: Mapping[ApprovalId, Answer] | None = None) -> Turn:
        """Gives answers to a parked turn's questions, and what became of it then. `turn` may be its id.

        Questions that are still open leave the turn parked. Raises UsageError for a turn that is not
        parked, and for an answer to a question that is not open.
        """
        self._check_open()
        id = turn if isinstance(turn, str) else turn.id
        parked = self._open_turns.get(id)
        if parked is None:
            raise UsageError(f"there is no parked turn {id!r} in this session")
        for approval, answer in (answers or {}).items():
            if not self._desk.answer(approval, answer, "resume"):
                raise UsageError(f"the question {approval!r} is not open: it is unknown, or was answered before")
        return await self._carried_out(id, parked)

    async def _carried_out(self, id: str, turn: _OpenTurn) -> Turn:
        try:
            for call in turn.calls:
                await call.rest()
        except asyncio.CancelledError:
            await self._scheduler.stop(turn.calls, Canceller("the caller"))
            raise
        result = turn_of(id, turn.response, turn.calls)
        if result.waiting:
            self._open_turns[id] = turn
        else:
            self._open_turns.pop(id, None)
        return result

    def submit(self, request: CallRequest, *, on_ask: OnAsk | None = None) -> LiveCall:
        """Puts one call on its way at once; its `settled` future gives the outcome."""
        self._check_open()
        return self._scheduler.submit(request, asker=None if on_ask is None else asker_for(on_ask))

    def _check_open(self) -> None:
        if not self._accepts:
            raise UsageError("this session is closed; open another")

    async def cancel(self, call: CallId, reason: str = "") -> bool:
        """Stops a call and waits until it is settled. False when there is no such open call."""
        return await self._scheduler.cancel(call, Canceller("the caller", reason))

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


class BlockingSession:
    """A session for code that doesn't wait; every method blocks until it is done. Usable from any thread."""

    def __init__(self, session: Session, thread: LoopThread) -> None:
        self._session = session
        self._thread = thread

    def add(self, tool: Tool[Any], provider: str = "session") -> None:
        """As `Session.add`."""
        self._on_loop(lambda: self._session.add(tool, provider))

    def menu(self, model: str = "") -> Menu:
        """As `Session.menu`."""
        return self._on_loop(lambda: self._session.menu(model))

    def run(self, response: object, wire: Wire | None = None, *, on_ask: OnAsk | None = None) -> Turn:
        """As `Session.run`. Ctrl-C cancels the calls and waits until they are settled."""
        return self._thread.run(self._session.run(response, wire, on_ask=on_ask))

    def resume(self, turn: Turn | str, answers: Mapping[ApprovalId, Answer] | None = None) -> Turn:
        """As `Session.resume`."""
        return self._thread.run(self._session.resume(turn, answers))

    def pending(self) -> tuple[AwaitingApproval, ...]:
        """As `Session.pending`."""
        return self._on_loop(self._session.pending)

    def answer(self, approval: ApprovalId, answer: Answer, surface: str) -> bool:
        """As `Session.answer`."""
        return self._on_loop(lambda: self._session.answer(approval, answer, surface))

    def deliver(self, call: CallId, result: ToolResult) -> bool:
        """As `Session.deliver`."""
        return self._on_loop(lambda: self._session.deliver(call, result))

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """As `Session.subscribe`; `listener` is called on the session's own thread."""
        unsubscribe = self._on_loop(lambda: self._session.subscribe(listener))
        return lambda: self._on_loop(unsubscribe)

    def _on_loop(self, work: Callable[[], T]) -> T:
        async def on_loop() -> T:
            return work()

        return self._thread.run(on_loop())


async def _collected(response: object) -> Json:
    """The JSON of a response; of a stream, all its events."""
    if isinstance(response, AsyncIterable):
        return [as_json(event) async for event in response]
    if isinstance(response, Iterator):
        return await asyncio.to_thread(lambda: [as_json(event) for event in response])
    return as_json(response)


def _policy(mode: Mode | str, rules: Sequence[Rule]) -> Policy:
    if mode not in list(Mode):
        raise UsageError(f"there is no mode {mode!r}; the modes are {', '.join(Mode)}")
    if not all(isinstance(rule, Rule) for rule in rules):
        raise UsageError("rules are made with load_rules or rules_from; got something else")
    return Policy(Mode(mode), tuple(rules))


def _finder(registry: Registry, model: str) -> ToolFinder:
    def find(request: CallRequest, arguments: JsonObject) -> tuple[Tool[Any], JsonObject]:
        if request.form is CallForm.MCP_APPROVAL:
            return HostedServerCall(request.server, request.name), arguments
        return registry.resolve(request.name, model), in_own_words(request.form, arguments)

    return find


async def _journal(state: Path, workspace: Path, clock: Callable[[], float]) -> Journal:
    session = SessionId(f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(3)}")
    path = journal_file(state, workspace)
    return await SqliteJournal.open(path, session, workspace=workspace, started=Instant(clock()))


def _folder(path: str | Path) -> Path:
    folder = Path(path).expanduser().absolute()
    if not folder.is_dir():
        raise UsageError(f"{path} is not a folder; name one that exists")
    return folder

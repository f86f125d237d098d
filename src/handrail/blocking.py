"""A session for code that doesn't wait: every method blocks until it is done. Usable from any thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from handrail.catalog import Menu
from handrail.contract.basics import ApprovalId, CallId
from handrail.contract.calls import AwaitingApproval
from handrail.contract.confirmation import Answer
from handrail.contract.results import ToolResult
from handrail.contract.tool import Tool
from handrail.runtime.askers import OnAsk
from handrail.runtime.bus import Listener
from handrail.runtime.loop_thread import LoopThread
from handrail.runtime.turns import Turn
from handrail.wire import Wire

if TYPE_CHECKING:
    from handrail.session import Session

T = TypeVar("T")


class BlockingSession:
    """What `Session.open_sync` gives. Hooks and listeners are called on the session's own thread."""

    def __init__(self, session: Session, thread: LoopThread) -> None:
        self._session = session
        self._thread = thread
        self.before_tool = session.before_tool
        """`@session.before_tool` registers a hook, as on `Session`."""
        self.after_tool = session.after_tool
        self.on_failure = session.on_failure
        self.on_approval_asked = session.on_approval_asked
        self.on_approval_answered = session.on_approval_answered

    def add(self, tool: Tool[Any], provider: str = "session") -> None:
        """As `Session.add`."""
        self._on_loop(lambda: self._session.add(tool, provider))

    def menu(self, model: str = "") -> Menu:
        """As `Session.menu`."""
        return self._on_loop(lambda: self._session.menu(model))

    def run(self, response: object, wire: Wire | None = None, *, on_ask: OnAsk | None = None, turn: str = "") -> Turn:
        """As `Session.run`. Ctrl-C cancels the calls and waits until they are settled."""
        return self._thread.run(self._session.run(response, wire, on_ask=on_ask, turn=turn))

    def resume(self, turn: Turn | str, answers: Mapping[ApprovalId, Answer] | None = None) -> Turn:
        """As `Session.resume`."""
        return self._thread.run(self._session.resume(turn, answers))

    def cancel(self, call: CallId, reason: str = "", *, by_person: bool = False) -> bool:
        """As `Session.cancel`."""
        return self._thread.run(self._session.cancel(call, reason, by_person=by_person))

    def cancel_turn(self, turn: Turn | str, reason: str = "", *, by_person: bool = False) -> bool:
        """As `Session.cancel_turn`."""
        return self._thread.run(self._session.cancel_turn(turn, reason, by_person=by_person))

    def cancel_all(self, reason: str = "", *, by_person: bool = False) -> None:
        """As `Session.cancel_all`."""
        self._thread.run(self._session.cancel_all(reason, by_person=by_person))

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
        """As `Session.subscribe`."""
        unsubscribe = self._on_loop(lambda: self._session.subscribe(listener))
        return lambda: self._on_loop(unsubscribe)

    def _on_loop(self, work: Callable[[], T]) -> T:
        async def on_loop() -> T:
            return work()

        return self._thread.run(on_loop())

"""What becomes of the calls of a session that is taken up again, after a crash or after it was left.

    Pending, AwaitingApproval, Approved   goes on from there; what was asked or allowed is looked at anew
    Executing, held by the client         goes on waiting for it
    Executing, exactly read-only          runs again, as the next attempt
    Executing, anything else              Interrupted: nobody knows how it ended, and it is not run again
    settled                               keeps its journaled result
    what it was to do is no longer kept   Interrupted
    in no turn that is kept               Cancelled, or Interrupted where it may have done something: the stream
                                          that asked for it broke off, and the model is asked anew

A call that made calls of its own is not run again: it would make them twice. It is interrupted, and its open
children end with it. The one exception: where all it made were questions to a person, it asks the same ones again,
and they stand where they stood.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator

from handrail.contract.basics import CallId, Instant
from handrail.contract.calls import (
    Approved,
    AwaitingApproval,
    CallForm,
    CallState,
    Cancelled,
    Canceller,
    Executing,
    Interrupted,
    ObjectArguments,
    OpenState,
    Pending,
    renumbered,
)
from handrail.contract.decision import FromPerson
from handrail.contract.ports import Asker
from handrail.contract.tool import Invocation
from handrail.contract.values import value
from handrail.runtime import wording
from handrail.runtime.collecting import no_collection
from handrail.runtime.guard import Returned, guarded_call
from handrail.runtime.intake import ToolFinder
from handrail.runtime.live import AskedBefore, LiveCall
from handrail.runtime.recalled import RecalledCall, RecalledSession
from handrail.runtime.recalled_states import open_state, settled_state
from handrail.runtime.scheduler import Scheduler
from handrail.runtime.turn_rows import StoredTurn
from handrail.wire.response import Response

RESTARTED = "the program ended while it ran"
_WANTED_NO_MORE = Canceller("the restart", "what came of it would reach nobody")


@value
class TakenTurn:
    """A turn that can be finished: its response, and its calls in order."""

    id: str
    response: Response
    calls: tuple[LiveCall, ...]


@value
class Left:
    """What an earlier process left of a session, to be taken up when the session's tools are there."""

    recall: Callable[[], Awaitable[RecalledSession]]
    scheduler: Scheduler
    find: ToolFinder
    now: Callable[[], Instant]

    async def take_up(self, asker: Asker | None) -> tuple[TakenTurn, ...]:
        """`asker` is asked about the calls; None: whom the session asks. Raises JournalError."""
        recovery = Recovery(await self.recall(), self, asker)
        with no_collection():  # ten thousand calls may wait, and each stays
            return recovery.take_up()


class Recovery:
    """Takes up one session's calls."""

    def __init__(self, recalled: RecalledSession, left: Left, asker: Asker | None) -> None:
        self._recalled = recalled
        self._scheduler = left.scheduler
        self._find = left.find
        self._now = left.now
        self._asker = asker
        self._taken: dict[CallId, LiveCall] = {}
        self._ended: set[CallId] = set()
        """Calls whose children end with them."""
        self._children: dict[CallId, list[CallId]] = {}
        for id, trail in recalled.calls.items():
            if trail.parent is not None:
                self._children.setdefault(trail.parent, []).append(id)

    def take_up(self) -> tuple[TakenTurn, ...]:
        """Puts every open call on its way again, in the order of the requests, and gives the turns to finish."""
        turns = list(self._turns_to_finish())
        wanted = {id for turn, _ in turns for id in turn.calls}
        for id, trail in self._recalled.calls.items():
            if trail.is_open or id in wanted or (trail.parent in self._taken and self._is_question(id)):
                self._taken[id] = self._taken_up(trail.recalled(id), in_turn=id in wanted)
        return tuple(self._taken_turn(turn, response) for turn, response in turns)

    def _turns_to_finish(self) -> Iterator[tuple[StoredTurn, Response]]:
        """Those with an open call; where there is none the last one, whose messages may not have been printed."""
        kept = [turn for turn in self._recalled.turns if turn.content is not None]
        unfinished = [turn for turn in kept if any(map(self._is_open, turn.calls))]
        for turn in unfinished or kept[-1:]:
            response = turn.response()
            if response is not None:
                yield turn, response

    def _is_open(self, id: CallId) -> bool:
        """A call that is in no event was not even received."""
        trail = self._recalled.calls.get(id)
        return trail is None or trail.is_open

    def _is_question(self, id: CallId) -> bool:
        """A question that may have its reply already, and that its call will ask again."""
        return self._recalled.calls[id].recalled(id).request.form is CallForm.QUESTION

    def _taken_turn(self, turn: StoredTurn, response: Response) -> TakenTurn:
        calls = [
            self._taken.get(id) or self._scheduler.submit(renumbered(request, id), asker=self._asker)
            for id, request in zip(turn.calls, response.calls, strict=True)
        ]
        return TakenTurn(turn.id, response, tuple(calls))

    def _taken_up(self, call: RecalledCall, *, in_turn: bool) -> LiveCall:
        invocation = self._bound(call)
        parent = self._taken.get(call.request.parent) if call.request.parent is not None else None
        if not call.is_open:
            return self._scheduler.take_up(settled_state(call, invocation), parent)
        state = open_state(call, invocation)
        following = self._following(call, state, in_turn=in_turn)
        if following is not None and not isinstance(following, Approved):
            self._ended.add(call.request.id)
        live = self._scheduler.take_up(state, parent, following, self._asker)
        live.edited = call.edited
        live.asked_before = AskedBefore()
        if call.shown is not None:
            live.asked_before = AskedBefore(call.shown.decision, call.shown.confirmation)
        return live

    def _following(self, call: RecalledCall, state: OpenState, *, in_turn: bool) -> CallState | None:
        """The state that it enters because of the restart; None where it goes on from where it stood."""
        ran = call.state is Executing
        if call.is_lost or (ran and not isinstance(state, Executing)):
            fault = wording.lost(call.request.name) if not ran else wording.interrupted(call.request.name, RESTARTED)
            return Interrupted.lost(call.request, call.requested_at, *fault, self._now())
        if call.request.parent is not None and self._has_ended(call.request.parent):
            by = Canceller(f"the call {call.request.parent} that made it", "which was interrupted by a restart")
            return self._interrupted(state) if isinstance(state, Executing) else self._cancelled(state, by)
        if not in_turn and call.request.parent is None:
            return self._given_up(state)
        match state:
            case Executing() if state.invocation.tool.client_side:
                return None
            case Executing():
                return state.retry(self._now()) if self._may_retry(state) else self._interrupted(state)
            case Approved() if call.shown is None and isinstance(state.decision.source, FromPerson):
                return state.reconsider()
            case _:
                return None

    def _given_up(self, state: OpenState) -> Cancelled | Interrupted:
        """Of what had started, only that is known how far it went which can't have changed anything here."""
        if not isinstance(state, Executing):
            return self._cancelled(state, _WANTED_NO_MORE)
        if state.invocation.tool.client_side or self._may_retry(state):
            return state.cancel(*wording.cancelled(_WANTED_NO_MORE, started=True), self._now())
        return self._interrupted(state)

    def _has_ended(self, parent: CallId) -> bool:
        return parent in self._ended or parent not in self._taken or not self._recalled.calls[parent].is_open

    def _may_retry(self, state: Executing) -> bool:
        """Exactly read-only, and all calls it has made, if any, were questions."""
        made = self._children.get(state.request.id, ())
        return state.effects.certainty == "exact" and state.effects.read_only and all(map(self._is_question, made))

    def _interrupted(self, state: Executing) -> Interrupted:
        return state.interrupt(*wording.interrupted(state.invocation.tool.name, RESTARTED), self._now())

    def _cancelled(self, state: Pending | AwaitingApproval | Approved, by: Canceller) -> Cancelled:
        return state.cancel(*wording.cancelled(by, started=False), self._now())

    def _bound(self, call: RecalledCall) -> Invocation | None:
        """None where there is no such tool any more, or it takes other arguments."""
        arguments = call.arguments
        if call.is_lost or not isinstance(arguments, ObjectArguments):
            return None

        def bind() -> Invocation:
            return self._find(call.request).bind(call.request.form, arguments.value, as_sent=call.is_as_sent)

        bound = guarded_call(bind)
        return bound.value if isinstance(bound, Returned) else None

"""From a question to an answer: a person's, at whatever surface, or that there is nobody."""

from __future__ import annotations

from collections.abc import Callable

from handrail.contract.basics import Instant
from handrail.contract.calls import Approved, AwaitingApproval, Cancelled, Canceller, Pending, Rejected
from handrail.contract.confirmation import Always, CancelCall, EditArguments, Once, Reject
from handrail.contract.decision import Decision, FromPerson, Outcome
from handrail.contract.effects import Effects
from handrail.contract.ports import Unanswered
from handrail.runtime import wording
from handrail.runtime.approvals import Answered, Desk, NoAnswer
from handrail.runtime.live import LiveCall
from handrail.runtime.order import Order


class Consent:
    """What happens to a call that awaits approval."""

    def __init__(self, desk: Desk, order: Order, now: Callable[[], Instant]) -> None:
        self._desk = desk
        self._order = order
        self._now = now

    async def seek(self, live: LiveCall, call: AwaitingApproval) -> Approved | Pending | Rejected | Cancelled:
        """Waits for the first answer. A question left open makes the call rest, and those it holds back."""

        def rest(resting: bool) -> None:
            (self._order.rest if resting else self._order.wake)(live.ticket)

        answered = await self._desk.ask(call, live.asker, rest)
        if isinstance(answered, NoAnswer):
            return self._denied(call, wording.asker_failed(call.decision, answered.why))
        if isinstance(answered, Unanswered):
            reason = wording.person_needed if call.decision.needs_person else wording.nobody_to_ask
            return self._denied(call, reason(call.decision))
        effects = live.verdict.facts.effects if live.verdict else Effects.unknown()
        live.edited = live.edited or isinstance(answered.answer, EditArguments)
        return self._answered(call, answered, effects)

    def _denied(self, call: AwaitingApproval, reason: str) -> Rejected:
        decision = Decision(Outcome.DENY, call.decision.source, reason, call.decision.part)
        fault, result = wording.denied(call.invocation.tool.name, decision)
        return call.reject(decision, fault, result, self._now())

    def _answered(
        self, call: AwaitingApproval, answered: Answered, effects: Effects
    ) -> Approved | Pending | Rejected | Cancelled:
        source = FromPerson(answered.surface)
        asked = call.decision
        match answered.answer:
            case Once() | Always():
                said_yes = Decision(
                    Outcome.ALLOW, source, f"Approved at {answered.surface}. {asked.reason}", asked.part
                )
                return call.approve(said_yes, effects, self._now())
            case EditArguments(arguments):
                return call.edit(arguments)
            case Reject(feedback):
                said_no = Decision(Outcome.DENY, source, feedback or f"A person said no at {answered.surface}.")
                fault, result = wording.rejected(call.invocation.tool.name, feedback)
                return call.reject(said_no, fault, result, self._now())
            case CancelCall():
                canceller = Canceller(f"a person at {answered.surface}")
                fault, result = wording.cancelled(canceller, started=False)
                return call.cancel(fault, result, self._now())

"""From a question to an answer: a person's, at whatever surface, or that there is nobody."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from handrail.contract.basics import ApprovalId, Instant
from handrail.contract.calls import Approved, AwaitingApproval, Cancelled, Canceller, Pending, Rejected
from handrail.contract.confirmation import Always, CancelCall, EditArguments, Once, Reject, Reply
from handrail.contract.decision import Decision, FromPerson, Outcome
from handrail.contract.effects import Effects
from handrail.contract.ports import Asker, Journal, Unanswered
from handrail.policy import decide
from handrail.policy.grants import once_granted
from handrail.runtime import wording
from handrail.runtime.answers import Given
from handrail.runtime.approvals import Desk, NoAnswer
from handrail.runtime.grants import Grants
from handrail.runtime.hook_outcome import decided_with
from handrail.runtime.judge import Judge
from handrail.runtime.live import LiveCall
from handrail.runtime.once import OnceQuestions, is_asked_once
from handrail.runtime.order import Order
from handrail.runtime.questions import with_reply


class Consent:
    """What happens to a call that awaits approval."""

    def __init__(
        self, desk: Desk, order: Order, judge: Judge, grants: Grants, journal: Journal, now: Callable[[], Instant]
    ) -> None:
        self._desk = desk
        self._order = order
        self._judge = judge
        self._grants = grants
        self._journal = journal
        self._now = now
        self._once = OnceQuestions(desk.is_open)
        self._waiting: dict[ApprovalId, LiveCall] = {}
        judge.subscribe(self._look_again)

    def binds(self, call: AwaitingApproval) -> bool:
        """Whether it has its answer, which holds though something else would be asked now, or nothing at all."""
        return self._desk.binds(call)

    async def seek(self, live: LiveCall, call: AwaitingApproval) -> Approved | Pending | Rejected | Cancelled:
        """Waits for the first answer. A question left open makes the call rest, and those it holds back."""
        self._waiting[call.approval] = live
        try:
            if not is_asked_once(call, live.verdict):
                return await self._sought(live, call, live.asker)
            with self._once.asking(call, live.asker) as asker:
                return await self._sought(live, call, asker)
        finally:
            del self._waiting[call.approval]

    async def _sought(
        self, live: LiveCall, call: AwaitingApproval, asker: Asker
    ) -> Approved | Pending | Rejected | Cancelled:
        def rest(resting: bool) -> None:
            (self._order.rest if resting else self._order.wake)(live.ticket)
            if resting:
                self._once.rest(call)

        given = await self._desk.ask(call, asker, rest, lambda: self._journal.durable(live.sequence))
        match given:
            case None:
                return call.edit(call.invocation.arguments)
            case NoAnswer(why):
                return self._denied(call, wording.asker_failed(call.decision, why))
            case Unanswered():
                reason = wording.person_needed if call.decision.needs_person else wording.nobody_to_ask
                return self._denied(call, reason(call.decision))
            case Given():
                await self._remember(live, call, given)
                return self._answered(live, call, given)

    async def _remember(self, live: LiveCall, call: AwaitingApproval, given: Given) -> None:
        """A yes for good becomes a grant, and those who wait for what it grants are decided anew; a no to what is
        asked once is one to all that wait with the same question."""
        once = is_asked_once(call, live.verdict)
        match given.answer:
            case Always(grant):
                await self._grants.add(grant, call.approval)
            case Once() if once:
                await self._grants.add(once_granted(call.invocation.tool.name), call.approval)
            case Reject() if once:
                for other in self._once.others(call):
                    self._desk.take(other.approval, given)
                return
            case _:
                return
        if live.verdict is not None:  # this call has its yes, and needs no grant
            live.verdict = replace(live.verdict, policy=self._judge.policy)

    def _look_again(self) -> None:
        """Another policy is in force: whoever would not be asked about any more need not wait for an answer."""
        for approval, live in tuple(self._waiting.items()):
            if live.verdict is None:
                continue
            facts = live.verdict.facts
            decision = decide(facts, self._judge.policy)
            if live.hooked is not None:
                decision = decided_with(live.hooked, decision, facts)
            if decision.outcome is not Outcome.ASK:
                self._desk.withdraw(approval)

    def _denied(self, call: AwaitingApproval, reason: str) -> Rejected:
        decision = Decision(Outcome.DENY, call.decision.source, reason, call.decision.part)
        fault, result = wording.denied(call.invocation.tool.name, decision)
        return call.reject(decision, fault, result, self._now())

    def _answered(
        self, live: LiveCall, call: AwaitingApproval, given: Given
    ) -> Approved | Pending | Rejected | Cancelled:
        surface, asked, tool = given.by.surface, call.decision, call.invocation.tool.name
        yes = Decision(Outcome.ALLOW, FromPerson(surface), f"Approved at {surface}. {asked.reason}", asked.part)
        effects = live.verdict.facts.effects if live.verdict else Effects.unknown()
        match given.answer:
            case Once() | Always():
                return call.approve(yes, effects, self._now())
            case Reply(reply):
                yes = replace(yes, reason=f"Answered at {surface}.")
                return call.replied(with_reply(call.invocation, reply)).approve(yes, effects, self._now())
            case EditArguments(arguments):
                live.edited = True
                return call.edit(arguments)
            case Reject(feedback):
                no = Decision(Outcome.DENY, FromPerson(surface), feedback or f"A person said no at {surface}.")
                return call.reject(no, *wording.rejected(tool, feedback), self._now())
            case CancelCall():
                by = Canceller(f"a person at {surface}", is_person=True)
                return call.cancel(*wording.cancelled(by, started=False), self._now())
            case None:
                expired = Decision(Outcome.DENY, asked.source, f"{asked.reason} Nobody answered in time.", asked.part)
                return call.reject(expired, *wording.expired(tool), self._now())

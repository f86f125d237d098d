"""Facts first, then a pure decision; and both again just before execution."""

from __future__ import annotations

from handrail.contract.confirmation import Confirmation
from handrail.contract.decision import Decision
from handrail.contract.tool import Invocation
from handrail.contract.values import value
from handrail.policy import Facts, Policy, decide
from handrail.runtime.guard import Ending
from handrail.runtime.resolver import Resolver


@value
class Verdict:
    """A decision with all that it rests on. If any of that changes, it is void."""

    facts: Facts
    policy: Policy
    decision: Decision
    looked_up: bool
    """Facts came from the file system, so they may differ at the next look."""
    preview: Ending[Confirmation] | None = None
    """What a person was shown, where one was asked."""


class Judge:
    """Decides about calls under the policy in force, which a person may change at any time."""

    def __init__(self, resolver: Resolver, policy: Policy) -> None:
        self._resolver = resolver
        self.policy = policy
        self._last: dict[str, Verdict] = {}
        """By a tool's name, without a look at the file system: many of its calls have the very same facts."""

    async def judge(self, invocation: Invocation) -> Verdict:
        facts = self._resolver.facts_now(invocation)
        if facts is None:
            facts = await self._resolver.facts(invocation)
            return Verdict(facts, self.policy, decide(facts, self.policy), looked_up=True)
        last = self._last.get(facts.tool)
        if last is None or last.facts is not facts or last.policy is not self.policy:
            last = Verdict(facts, self.policy, decide(facts, self.policy), looked_up=False)
            self._last[facts.tool] = last
        return last

    async def still_holds(self, verdict: Verdict, invocation: Invocation) -> bool:
        """Looks again: the same facts, under the same policy?"""
        if verdict.policy is not self.policy:
            return False
        if not verdict.looked_up:
            return True
        return await self._resolver.facts(invocation) == verdict.facts

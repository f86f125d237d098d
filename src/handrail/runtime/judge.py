"""Facts first, then a pure decision; and both again just before execution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from handrail.contract.confirmation import Confirmation
from handrail.contract.decision import Decision, Outcome
from handrail.contract.tool import Invocation
from handrail.contract.values import value
from handrail.policy import Facts, Policy, decide
from handrail.policy.facts import MAIN_AGENT, Caller
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
        self._changed: list[Callable[[], None]] = []

    def subscribe(self, changed: Callable[[], None]) -> None:
        """Calls `changed` whenever another policy is in force."""
        self._changed.append(changed)

    def change(self, policy: Policy) -> None:
        """Puts a policy in force: what was decided under another one is looked at again before it starts."""
        self.policy = policy
        for changed in self._changed:
            changed()

    async def judge(self, invocation: Invocation, caller: Caller = MAIN_AGENT) -> Verdict:
        policy = self.policy
        facts = self._resolver.facts_now(invocation, caller, policy.declared)
        if facts is None:
            facts = await self._resolver.facts(invocation, caller, policy.declared)
            return Verdict(facts, policy, decide(facts, policy), looked_up=True)
        last = self._last.get(facts.tool)
        if last is None or last.facts is not facts or last.policy is not policy:
            last = Verdict(facts, policy, decide(facts, policy), looked_up=False)
            self._last[facts.tool] = last
        if facts.arguments is None and (policy.reads_arguments or last.decision.outcome is Outcome.ASK):
            facts = replace(facts, arguments=invocation.arguments)
            return Verdict(facts, policy, decide(facts, policy), looked_up=False)
        return last

    async def still_holds(self, verdict: Verdict, invocation: Invocation) -> bool:
        """Looks again: the same facts, and the policy in force says the same of them?"""
        before, now = verdict.policy, self.policy
        if before is not now and decide(verdict.facts, before) != decide(verdict.facts, now):
            return False
        if not verdict.looked_up:
            return True
        return await self._resolver.facts(invocation, verdict.facts.caller, self.policy.declared) == verdict.facts

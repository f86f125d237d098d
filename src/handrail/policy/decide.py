"""The decision about one call: pure, and always the first of five steps that answers.

1. denials: a check, a deny rule, the tool's opinion, the mode (unless an allow rule names that mode)
2. asks that no allow rule lifts: protected paths, ask rules, the tool's opinion, `needs_approval="always"`
3. allow rules
4. `needs_approval`
5. the mode

A question of steps 2, 4 and 5 that a grant answers is passed over: see `policy.questions`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from handrail.contract.decision import Decision, FromCheck, FromGrant, FromTool
from handrail.contract.effects import Effects
from handrail.contract.values import value
from handrail.policy import checks
from handrail.policy.coverage import Coverage, coverage
from handrail.policy.facts import Facts, ShellPart
from handrail.policy.grants import Grant
from handrail.policy.modes import ALLOW, ASK, DENY, STRICTNESS
from handrail.policy.patterns import Match
from handrail.policy.pieces import alone, parts_of
from handrail.policy.policy import Policy
from handrail.policy.questions import questions
from handrail.policy.reasons import by_rule
from handrail.policy.wording import sentence


def decide(facts: Facts, policy: Policy) -> Decision:
    """Allow, ask or deny, with the rule, check, grant, mode or tool that says so, and why. Never raises."""
    policy = policy.within(facts.caller.mode)
    call = coverage(facts, policy)
    denial = next(_denials(call, policy), None)
    if denial is not None:
        return denial
    answered: list[Grant] = []
    for question in questions(call, policy):
        granted = question.granted(policy)
        if not granted:
            return question.decision
        answered += granted
    return _allowed(call, answered)


@value
class PartVerdict:
    """One part of a command, and what would be decided about it alone."""

    part: ShellPart
    decision: Decision


def part_verdicts(facts: Facts, policy: Policy) -> tuple[PartVerdict, ...]:
    """Each part of a command with its own verdict, to explain a decision by; none for a call without a command."""
    return tuple(PartVerdict(part, decide(alone(facts, part), policy)) for part in parts_of(facts))


def may_preview(facts: Facts, policy: Policy) -> bool:
    """True when all paths of a call may be read unasked, so that what it would do to them may be looked at."""
    paths = tuple(replace(path, access="read") for path in facts.paths)
    if facts.shell is not None or facts.effects.certainty == "unknown" or facts.effects.connects:
        return False
    reads = frozenset(path.effect for path in paths)
    reading = replace(facts, effects=Effects(reads=reads), paths=paths, approval=None, opinion=None)
    return decide(reading, policy).outcome is ALLOW


def allows_server(facts: Facts, policy: Policy, beginning: str) -> bool:
    """True when a rule allows the call by naming its server: by `beginning`, that of the names of all its tools, or
    as `server`.

    A rule for every tool does not speak of a server that a provider runs.
    """
    policy = policy.within(facts.caller.mode)
    return any(
        (rule.names_within(beginning, facts.names) or any(glob.text == facts.server for glob in rule.when.servers))
        and rule.when.cover(facts)
        and rule.covers(facts)
        for rule in policy.allows.that_may_cover(facts)
    )


def _denials(call: Coverage, policy: Policy) -> Iterator[Decision]:
    facts = call.facts
    if not facts.caller.may_call(facts.names):
        yield Decision(DENY, FromCheck("reach"), f"The agent {facts.caller.subagent} has no tool {facts.tool}.")
    yield from checks.denials(facts)
    for rule in policy.denies.that_hold(facts):
        hit = rule.reach(facts)
        if hit is not None and hit.match is Match.YES:
            yield by_rule(hit.rule, hit.part)
    if facts.opinion is not None and facts.opinion.outcome == "deny":
        yield Decision(DENY, FromTool(), sentence(f"{facts.tool} itself refuses: {facts.opinion.reason}"))
    if call.denied is not None:
        yield call.denied.by_mode


def _allowed(call: Coverage, answered: list[Grant]) -> Decision:
    """By the rule that was needed first, else by the grant, else by the tool or the mode."""
    first = call.allowing
    if first is not None and first.rule is not None and not call.uncovered:
        return by_rule(first.rule, "")
    if answered:
        return Decision(ALLOW, FromGrant(answered[0].id), sentence(f"Granted before: {answered[0].option.label}"))
    strictest = max((each.by_mode for each in call.judged), key=lambda decision: STRICTNESS[decision.outcome])
    if strictest.outcome is ASK:
        return Decision(ALLOW, FromTool(), f"{call.facts.tool} says that it needs no approval.")
    return strictest

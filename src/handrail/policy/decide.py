"""The decision about one call: pure, and always the first of five steps that answers.

1. denials: a check, a deny rule, the tool's opinion, the mode (unless an allow rule names that mode)
2. asks that no allow rule lifts: protected paths, ask rules, the tool's opinion, `needs_approval="always"`
3. allow rules
4. `needs_approval`
5. the mode
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from handrail.contract.decision import Decision, FromRule, FromTool
from handrail.contract.effects import Effects
from handrail.policy import checks
from handrail.policy.columns import mode_decision
from handrail.policy.facts import Facts
from handrail.policy.modes import ALLOW, ASK, DENY
from handrail.policy.patterns import Match
from handrail.policy.rules import Hit, Policy, Rule
from handrail.policy.wording import shortened


def decide(facts: Facts, policy: Policy) -> Decision:
    """Allow, ask or deny, with the rule, check, mode or tool that says so, and why. Never raises."""
    mode = mode_decision(facts, policy)
    allow = next((rule for rule in policy.allows if rule.covers(facts)), None) if policy.allows else None
    hits = [hit for rule in policy.denies + policy.asks if (hit := rule.reach(facts))] if policy.rules else []
    return (
        next(_denials(facts, policy, hits, mode), None)
        or next(_asks(facts, policy, hits), None)
        or (_by_rule(Hit(allow, Match.YES)) if allow else None)
        or _by_need(facts, mode)
        or mode
    )


def may_preview(facts: Facts, policy: Policy) -> bool:
    """True when all paths of a call may be read unasked, so that what it would do to them may be looked at."""
    paths = tuple(replace(path, access="read") for path in facts.paths)
    if facts.shell is not None or facts.effects.certainty == "unknown" or facts.effects.connects:
        return False
    reads = frozenset(path.effect for path in paths)
    reading = replace(facts, effects=Effects(reads=reads), paths=paths, approval=None, opinion=None)
    return decide(reading, policy).outcome is ALLOW


def allows_server(facts: Facts, policy: Policy, beginning: str) -> bool:
    """True when a rule allows the call by naming its server: `beginning` is that of the names of all its tools.

    A rule for every tool does not speak of a server that a provider runs.
    """
    return any(rule.names_within(beginning, facts.names) and rule.covers(facts) for rule in policy.allows)


def _denials(facts: Facts, policy: Policy, hits: list[Hit], mode: Decision) -> Iterator[Decision]:
    yield from checks.denials(facts)
    for hit in hits:
        if hit.rule.outcome is DENY and hit.match is Match.YES:
            yield _by_rule(hit)
    if facts.opinion is not None and facts.opinion.outcome == "deny":
        yield Decision(DENY, FromTool(), _sentence(f"{facts.tool} itself refuses: {facts.opinion.reason}"))
    if mode.outcome is DENY and not any(policy.mode in rule.modes and rule.covers(facts) for rule in policy.allows):
        yield mode


def _asks(facts: Facts, policy: Policy, hits: list[Hit]) -> Iterator[Decision]:
    yield from checks.asks(facts)
    for hit in hits:
        yield _by_rule(hit) if hit.match is Match.YES else _not_ruled_out(hit, facts)
    if facts.opinion is not None and facts.opinion.outcome == "ask":
        yield Decision(ASK, FromTool(), _sentence(f"{facts.tool} itself asks: {facts.opinion.reason}"))
    if facts.approval == "always" and not any(
        rule.names_exactly(facts.names) and rule.covers(facts) for rule in policy.allows
    ):
        yield Decision(ASK, FromTool(), f"{facts.tool} is approved every time, unless an allow rule names it.")


def _by_need(facts: Facts, mode: Decision) -> Decision | None:
    """What `needs_approval` says; None where it says nothing."""
    match facts.approval:
        case "ask":
            return Decision(ASK, FromTool(), f"{facts.tool} says that this call needs approval.")
        case "once":
            return Decision(ASK, FromTool(), f"{facts.tool} needs to be approved once.")
        case "never" if mode.outcome is ASK:
            return Decision(ALLOW, FromTool(), f"{facts.tool} says that it needs no approval.")
    return None


def _by_rule(hit: Hit) -> Decision:
    rule = hit.rule
    did = {ALLOW: "Allowed", ASK: "Asked about", DENY: "Denied"}[rule.outcome]
    about = f": {rule.reason}" if rule.reason else f" for {shortened(hit.part)}" if hit.part else ""
    return Decision(
        rule.outcome, FromRule(rule.ref), _sentence(f"{did} by the rule at {_place(rule)}{about}"), hit.part
    )


def _not_ruled_out(hit: Hit, facts: Facts) -> Decision:
    """A rule that may hold is asked about in every mode; where it denies, only a person may say yes."""
    if not hit.rule.commands and facts.shell is not None and hit.part == facts.shell.unnamed:
        why = f"which paths `{shortened(hit.part)}` touches can't be known beforehand; name them"
    elif not hit.rule.commands:
        why = f"what lies below {shortened(hit.part)} is not looked through; name the files or folders you need"
    else:
        why = (facts.shell.opaque if facts.shell else "") or f"`{shortened(hit.part)}` can't be wholly known"
    verb = {ASK: "asks about", DENY: "denies"}[hit.rule.outcome]
    reason = f"It may do what the rule at {_place(hit.rule)} {verb} ({hit.rule.ref.text}): {why}."
    return Decision(ASK, FromRule(hit.rule.ref), reason, hit.part, needs_person=hit.rule.outcome is DENY)


def _place(rule: Rule) -> str:
    return f"{rule.ref.source}:{rule.ref.line}"


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else text + "."

"""Decisions that rules make, with the reason: the rule, where it stands, and what it holds for."""

from __future__ import annotations

from handrail.contract.decision import Decision, FromRule
from handrail.policy.facts import Facts
from handrail.policy.modes import ALLOW, ASK, DENY
from handrail.policy.rules import Hit, Rule
from handrail.policy.wording import sentence, shortened


def place(rule: Rule) -> str:
    return f"{rule.ref.source}:{rule.ref.line}"


def by_rule(rule: Rule, part: str) -> Decision:
    """What a rule decides about a call that it holds for."""
    did = {ALLOW: "Allowed", ASK: "Asked about", DENY: "Denied"}[rule.outcome]
    about = f": {rule.reason}" if rule.reason else f" for {shortened(part)}" if part else ""
    return Decision(rule.outcome, FromRule(rule.ref), sentence(f"{did} by the rule at {place(rule)}{about}"), part)


def not_ruled_out(hit: Hit, facts: Facts) -> Decision:
    """A rule that may hold is asked about in every mode; where it denies, only a person may say yes."""
    verb = {ASK: "asks about", DENY: "denies"}[hit.rule.outcome]
    reason = f"It may do what the rule at {place(hit.rule)} {verb} ({hit.rule.ref.text}): {_doubt(hit, facts)}."
    return Decision(ASK, FromRule(hit.rule.ref), reason, hit.part, needs_person=hit.rule.outcome is DENY)


def _doubt(hit: Hit, facts: Facts) -> str:
    shell = facts.shell
    if hit.rule.commands or not hit.part:
        opaque = shell.opaque if shell is not None else ""
        return opaque or (
            f"`{shortened(hit.part)}` can't be wholly known" if hit.part else "what it touches is not known"
        )
    if shell is not None and hit.part == shell.unnamed:
        return f"which paths `{shortened(hit.part)}` touches can't be known beforehand; name them"
    if hit.rule.paths:
        return f"what lies below {shortened(hit.part)} is not looked through; name the files or folders you need"
    return f"which hosts {shortened(hit.part)} reaches can't be known beforehand; name them"

"""The rules of one source together, and how the sets of several sources add up. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from handrail.contract.decision import Outcome, RuleRef
from handrail.contract.values import value
from handrail.policy.declared import Declaration
from handrail.policy.rules import Rule, RuleScope


@value
class RuleSet:
    """What one policy file says, or the files of several scopes together."""

    rules: tuple[Rule, ...] = ()
    declared: tuple[Declaration, ...] = ()
    """Effects of tools that declare none."""
    bypass_forbidden_by: str = ""
    """The system's file that forbids mode `bypass`."""
    lower_allows_forbidden_by: str = ""
    """The system's file by which allow rules of lower scopes hold for nothing."""
    problems: tuple[str, ...] = ()
    """For people, each starting `SOURCE:LINE:`: what is wrong, and what holds all the same."""

    @property
    def loosening(self) -> tuple[RuleRef, ...]:
        """What in it lets more through than would be without it: allow rules, and declared effects."""
        allows = tuple(rule.ref for rule in self.rules if rule.outcome is Outcome.ALLOW)
        return allows + tuple(declaration.ref for declaration in self.declared)


def tightening_only(rules: RuleSet) -> RuleSet:
    """What holds of a set that nobody trusted: its deny and ask rules, whose answers nobody remembers."""
    kept = tuple(replace(rule, grantable=False) for rule in rules.rules if rule.outcome is not Outcome.ALLOW)
    return replace(rules, rules=kept, declared=())


def together(sets: Iterable[RuleSet]) -> RuleSet:
    """All sets at once. Where the system forbids allow rules of lower scopes, those are left out, and reported.

    So are their declared effects, which let calls through as well.
    """
    sets = tuple(sets)
    rules = tuple(rule for each in sets for rule in each.rules)
    problems = [problem for each in sets for problem in each.problems]
    by = next((each.lower_allows_forbidden_by for each in sets if each.lower_allows_forbidden_by), "")
    declared = tuple(
        declaration for each in sets for declaration in each.declared if not by or each.lower_allows_forbidden_by
    )
    if by:
        lower = [rule for rule in rules if rule.outcome is Outcome.ALLOW and rule.scope is not RuleScope.SYSTEM]
        problems += [
            f"{rule.ref.source}:{rule.ref.line}: this allow rule holds for nothing: {by} forbids those of lower scopes"
            for rule in lower
        ]
        rules = tuple(rule for rule in rules if rule not in lower)
    bypass = next((each.bypass_forbidden_by for each in sets if each.bypass_forbidden_by), "")
    return RuleSet(rules, declared, bypass, by, tuple(problems))


def denying_everything(source: str, line: int, problem: str, scope: RuleScope) -> RuleSet:
    """What holds in place of a file that can't be read: it denies rather than allows what that could have denied."""
    reason = f"{source}:{line}: {problem}; what it denies can't be known, so nothing is allowed until it is repaired"
    rule = Rule(RuleRef(source, line, problem), Outcome.DENY, reason=reason, scope=scope)
    return RuleSet((rule,), problems=(reason,))

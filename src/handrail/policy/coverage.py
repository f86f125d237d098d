"""Which allow rule covers each piece of a call, and what the mode alone says of it. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from handrail.contract.decision import Decision
from handrail.contract.values import value
from handrail.policy.columns import mode_decision, runs_freely
from handrail.policy.facts import Facts
from handrail.policy.modes import ALLOW, DENY
from handrail.policy.pieces import Piece, of_path, pieces
from handrail.policy.policy import Policy
from handrail.policy.rules import Rule

NEEDS = ("ask", "once", "always")
"""What a tool may say of its approval that the mode's leave does not answer."""


@value
class Judged:
    """A piece, what the mode says of it alone, and the first allow rule that covers it."""

    piece: Piece
    by_mode: Decision
    rule: Rule | None
    is_lifted: bool
    """An allow rule that names the mode lifts the mode's deny."""


@value
class Coverage:
    """All pieces of a call, judged."""

    facts: Facts
    judged: tuple[Judged, ...]

    @property
    def denied(self) -> Judged | None:
        """The first piece that the mode denies."""
        return next((each for each in self.judged if each.by_mode.outcome is DENY and not each.is_lifted), None)

    @property
    def uncovered(self) -> tuple[Judged, ...]:
        """The pieces that need a yes and have none from a rule."""
        return tuple(each for each in self.judged if each.rule is None and self._needs(each))

    @property
    def allowing(self) -> Judged | None:
        """The first piece that needed a rule and has one; of pieces that needed none, the first that has one."""
        covered = [each for each in self.judged if each.rule is not None]
        return next((each for each in covered if self._needs(each)), covered[0] if covered else None)

    def _needs(self, each: Judged) -> bool:
        return each.by_mode.outcome is not ALLOW or self.facts.approval in NEEDS


def coverage(facts: Facts, policy: Policy) -> Coverage:
    rules = [rule for rule in policy.allows.that_may_cover(facts) if rule.when.cover(facts)]
    taken = pieces(facts)
    apart = len(taken) > 1 and facts.shell is None
    whole = next((rule for rule in rules if rule.covers(facts)), None) if apart else None
    naming = [rule for rule in rules if policy.mode in rule.modes or policy.decides_as in rule.modes]
    return Coverage(facts, tuple(_judged(piece, policy, rules, naming, whole) for piece in taken))


def _judged(piece: Piece, policy: Policy, rules: Sequence[Rule], naming: Sequence[Rule], whole: Rule | None) -> Judged:
    by_mode = mode_decision(piece.facts, policy)
    if not rules:
        return Judged(piece, by_mode, None, is_lifted=False)
    rule = _covering(piece.facts, policy, rules) or whole
    lifted = by_mode.outcome is DENY and (whole in naming or _covering(piece.facts, policy, naming) is not None)
    return Judged(piece, by_mode, rule, lifted)


def _covering(piece: Facts, policy: Policy, rules: Sequence[Rule]) -> Rule | None:
    """The first rule that covers a piece; of a command that may run, those that cover its paths will do."""
    rule = next((rule for rule in rules if rule.covers(piece)), None)
    if rule is not None or piece.shell is None or not piece.paths or piece.effects.connects:
        return rule
    return _covering_paths(piece, policy, rules) if rules and runs_freely(piece.shell, policy) else None


def _covering_paths(piece: Facts, policy: Policy, rules: Sequence[Rule]) -> Rule | None:
    first: Rule | None = None
    for path in (path for path in piece.paths if path.access != "mention"):
        one = of_path(piece, path).facts
        rule = next((rule for rule in rules if rule.covers(one)), None)
        if rule is None and mode_decision(one, policy).outcome is not ALLOW:
            return None
        first = first or rule
    return first

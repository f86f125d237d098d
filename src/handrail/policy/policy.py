"""What a decision is made under: the mode, the rules, what was granted."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from handrail.contract.decision import Outcome
from handrail.policy.declared import Declaration
from handrail.policy.grants import Grant
from handrail.policy.index import RuleIndex
from handrail.policy.modes import LOOSENESS, Mode
from handrail.policy.rules import Rule


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules and the mode that a decision is made under, and what people said yes to for good."""

    mode: Mode = Mode.DEFAULT
    rules: tuple[Rule, ...] = ()
    sandbox_holds: bool = False
    """A sandbox backend has proved itself; until then `sandboxed` decides as `default`."""
    grants: tuple[Grant, ...] = ()
    declared: tuple[Declaration, ...] = ()
    """Effects of tools that declare none."""
    bypass_forbidden_by: str = ""
    """The file that forbids mode `bypass`, which decides as `default` then."""
    plan_file: str = ""
    """An absolute path with its links resolved: the one file that plan mode lets be written."""
    denies: RuleIndex = field(init=False, repr=False, compare=False)
    asks: RuleIndex = field(init=False, repr=False, compare=False)
    allows: RuleIndex = field(init=False, repr=False, compare=False)
    """The rules in force in this mode, by what they say."""
    reads_arguments: bool = field(init=False, repr=False, compare=False)
    """A rule or grant looks at arguments: they must be among the facts then."""

    _bound: dict[Mode, Policy] = field(init=False, repr=False, compare=False, default_factory=dict)
    """By mode, what `within` gave before: it is asked for with each call of a subagent."""

    def __post_init__(self) -> None:
        for name, outcome in (("denies", Outcome.DENY), ("asks", Outcome.ASK), ("allows", Outcome.ALLOW)):
            in_force = (rule for rule in self.rules if rule.outcome is outcome and self._in_force(rule))
            object.__setattr__(self, name, RuleIndex(tuple(in_force)))
        by_rules = any(rule.when.arguments for rule in self.rules)
        by_grants = any(grant.option.arguments is not None for grant in self.grants)
        object.__setattr__(self, "reads_arguments", by_rules or by_grants)

    @property
    def decides_as(self) -> Mode:
        """The mode whose row decides, and whose rules hold."""
        without_sandbox = self.mode is Mode.SANDBOXED and not self.sandbox_holds
        forbidden = self.mode is Mode.BYPASS and bool(self.bypass_forbidden_by)
        return Mode.DEFAULT if without_sandbox or forbidden else self.mode

    def within(self, mode: Mode | None) -> Policy:
        """The same policy in a mode that is no looser than this one; None sets no bound."""
        if mode is None or LOOSENESS[self.mode] <= LOOSENESS[mode]:
            return self
        if mode not in self._bound:
            self._bound[mode] = replace(self, mode=mode)
        return self._bound[mode]

    def _in_force(self, rule: Rule) -> bool:
        """What tightens holds also where it names the mode that was asked for and does not decide."""
        modes = {self.decides_as} if rule.outcome is Outcome.ALLOW else {self.decides_as, self.mode}
        return not rule.modes or not modes.isdisjoint(rule.modes)

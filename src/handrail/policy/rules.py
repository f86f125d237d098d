"""Rules: what one says, and which calls it holds for. Pure; where rules come from is `rule_file`."""

from __future__ import annotations

from dataclasses import dataclass, field

from handrail.contract.decision import Outcome, RuleRef
from handrail.policy.facts import Facts, ShellFacts
from handrail.policy.modes import Mode
from handrail.policy.patterns import CommandPattern, Match, PathPattern, ToolPattern


@dataclass(frozen=True, slots=True)
class Hit:
    """A rule that holds for a call, or may hold."""

    rule: Rule
    match: Match
    part: str = ""
    """The command or path that it holds for, where it speaks of those."""


@dataclass(frozen=True, slots=True)
class Rule:
    """All conditions that are given must hold; of several patterns for one condition, one is enough."""

    ref: RuleRef
    outcome: Outcome
    reason: str = ""
    tools: tuple[ToolPattern, ...] = ()
    commands: tuple[CommandPattern, ...] = ()
    paths: tuple[PathPattern, ...] = ()
    modes: frozenset[Mode] = frozenset()
    """Empty: in every mode."""

    def names_exactly(self, names: tuple[str, ...]) -> bool:
        """True when the rule names this tool itself, and not by a glob."""
        return any(pattern.is_exact and pattern.matches(names) for pattern in self.tools)

    def names_within(self, beginning: str, names: tuple[str, ...]) -> bool:
        """True when the rule names this tool, and only tools whose names begin so."""
        return any(pattern.text.startswith(beginning) and pattern.matches(names) for pattern in self.tools)

    def names(self, names: tuple[str, ...]) -> bool:
        return not self.tools or any(pattern.matches(names) for pattern in self.tools)

    @property
    def is_whole(self) -> bool:
        """True when it holds for every call of its tools."""
        return not self.commands and not self.paths

    def covers(self, facts: Facts) -> bool:
        """For allow: it holds for the whole of the call, and speaks of all that the call does."""
        if not self.names(facts.names):
            return False
        if self.is_whole:
            return True
        if facts.effects.connects:
            return False
        if self.commands:
            if facts.shell is None or not self._covers_command(facts.shell):
                return False
        elif facts.shell is not None or facts.effects.certainty == "unknown":
            return False
        return not self.paths or self._covers_paths(facts)

    def _covers_command(self, shell: ShellFacts) -> bool:
        return (
            shell.single is not None
            and not shell.opaque
            and any(pattern.covers(shell.single.words) for pattern in self.commands)
        )

    def _covers_paths(self, facts: Facts) -> bool:
        """Every spelling of every path: a link, and what it leads to."""
        return bool(facts.paths) and all(
            any(pattern.covers(spelling, path.is_tree, facts.places) for pattern in self.paths)
            for path in facts.paths
            for spelling in path.spellings
        )

    def reach(self, facts: Facts) -> Hit | None:
        """For ask and deny: it holds for any part of the call, or may hold for a part that can't be known."""
        if not self.names(facts.names):
            return None
        match, part = Match.YES, ""
        if self.commands:
            match, part = self._reach_commands(facts.shell) if facts.shell else (Match.NO, "")
        if self.paths and match is not Match.NO:
            reached, path = self._reach_paths(facts)
            match, part = min(match, reached), part or path
        return Hit(self, match, part) if match is not Match.NO else None

    def _reach_paths(self, facts: Facts) -> tuple[Match, str]:
        unnamed = facts.shell.unnamed if facts.shell else ""
        best, part = (Match.MAYBE, unnamed) if unnamed else (Match.NO, "")
        for path in facts.paths:
            match = max(pattern.reaches(path, facts.places) for pattern in self.paths)
            if match > best:
                best, part = match, facts.places.shown(path.named)
        return best, part

    def _reach_commands(self, shell: ShellFacts) -> tuple[Match, str]:
        best, part = (Match.MAYBE, shell.text) if shell.opaque else (Match.NO, "")
        for command in shell.commands:
            match = max(pattern.reaches(command) for pattern in self.commands)
            if match > best:
                best, part = match, command.text
        return best, part


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules and the mode that a decision is made under."""

    mode: Mode = Mode.DEFAULT
    rules: tuple[Rule, ...] = ()
    sandbox_holds: bool = False
    """A sandbox backend has proved itself; until then `sandboxed` decides as `default`."""
    denies: tuple[Rule, ...] = field(init=False, repr=False, compare=False)
    asks: tuple[Rule, ...] = field(init=False, repr=False, compare=False)
    allows: tuple[Rule, ...] = field(init=False, repr=False, compare=False)
    """The rules in force in this mode, by what they say."""

    def __post_init__(self) -> None:
        in_force = [rule for rule in self.rules if not rule.modes or self.mode in rule.modes]
        for name, outcome in (("denies", Outcome.DENY), ("asks", Outcome.ASK), ("allows", Outcome.ALLOW)):
            object.__setattr__(self, name, tuple(rule for rule in in_force if rule.outcome is outcome))

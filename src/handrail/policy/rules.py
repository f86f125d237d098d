"""Rules: what one says, and which calls it holds for. Pure; where rules come from is `rule_file`."""

from __future__ import annotations

import re
from enum import StrEnum

from handrail.contract.decision import Outcome, RuleRef
from handrail.contract.tool import Kind
from handrail.contract.values import value
from handrail.policy.argument_conditions import ArgumentCondition
from handrail.policy.facts import Facts, ShellPart
from handrail.policy.hosts import HostPattern, host_named, reached
from handrail.policy.modes import Mode
from handrail.policy.patterns import CommandPattern, Match, NameGlob, PathPattern, ToolPattern
from handrail.policy.touched import Effect, touched


class RuleScope(StrEnum):
    """Whose a rule is, from the widest on."""

    SYSTEM = "system"
    USER = "user"
    PROJECT = "project"
    """Came with the workspace."""
    LOCAL = "local"
    """Lies in the workspace, and is not shared."""
    COMMAND_LINE = "command-line"
    SESSION = "session"
    """Given in code."""
    SKILL = "skill"
    """What a trusted skill allows for the turn in which it was activated."""


_NO_HOST = re.compile(r"[^\w.-]+")
"""What stands around the name of a host in a word."""

LIFTS_ALWAYS = frozenset((RuleScope.SYSTEM, RuleScope.USER, RuleScope.COMMAND_LINE, RuleScope.SESSION))
"""Whose allow rules lift `needs_approval="always"`: those that a person wrote outside the workspace."""


@value
class Hit:
    """A rule that holds for a call, or may hold."""

    rule: Rule
    match: Match
    part: str = ""
    """The command, path or host that it holds for, where it speaks of those."""


@value
class CallConditions:
    """What a rule asks of the call as a whole. What is empty asks nothing."""

    tools: tuple[ToolPattern, ...] = ()
    kinds: frozenset[Kind] = frozenset()
    servers: tuple[NameGlob, ...] = ()
    subagents: tuple[NameGlob, ...] = ()
    annotations: tuple[tuple[str, bool], ...] = ()
    interactive: bool | None = None
    arguments: tuple[ArgumentCondition, ...] = ()
    effects: frozenset[Effect] = frozenset()

    def names(self, names: tuple[str, ...], server: str = "") -> bool:
        return not self.tools or any(pattern.matches(names, server) for pattern in self.tools)

    def fit_tool(self, names: tuple[str, ...], kind: Kind, server: str, hints: tuple[tuple[str, bool], ...]) -> bool:
        """True when nothing about the tool itself speaks against it."""
        return (
            self.names(names, server)
            and (not self.kinds or kind in self.kinds)
            and (not self.servers or any(pattern.matches(server) for pattern in self.servers))
            and (not self.annotations or all(hint in hints for hint in self.annotations))
        )

    def _fit_caller(self, facts: Facts, *subagents: str) -> bool:
        return self.interactive in (None, facts.caller.interactive) and (
            not self.subagents or any(pattern.matches(name) for pattern in self.subagents for name in subagents)
        )

    def _fit(self, facts: Facts, *above: str) -> bool:
        return self.fit_tool(facts.names, facts.kind, facts.server, facts.annotations) and self._fit_caller(
            facts, facts.caller.subagent, *above
        )

    def cover(self, facts: Facts) -> bool:
        """For allow: they hold for the whole of the call, all its effects and all elements of its arguments."""
        if not self._fit(facts):
            return False
        if self.arguments and (
            facts.arguments is None or not all(each.holds(facts.arguments, all_of_them=True) for each in self.arguments)
        ):
            return False
        return not self.effects or frozenset() < touched(facts) <= self.effects

    def reach(self, facts: Facts) -> Match:
        """For ask and deny: one effect and one element is enough, or that there may be one."""
        if not self._fit(facts, *facts.caller.above):
            return Match.NO
        return min(self._reach_arguments(facts), self._reach_effects(facts))

    def _reach_arguments(self, facts: Facts) -> Match:
        arguments = facts.arguments
        if arguments is None:
            return Match.MAYBE if self.arguments else Match.YES
        held = all(condition.holds(arguments, all_of_them=False) for condition in self.arguments)
        return Match.YES if held else Match.NO

    def _reach_effects(self, facts: Facts) -> Match:
        found = touched(facts) if self.effects else frozenset()
        if not self.effects or found & self.effects:
            return Match.YES
        return Match.MAYBE if Effect.UNKNOWN in found else Match.NO


@value
class Rule:
    """All conditions that are given must hold; of several patterns for one condition, one is enough."""

    ref: RuleRef
    outcome: Outcome
    when: CallConditions = CallConditions()
    commands: tuple[CommandPattern, ...] = ()
    paths: tuple[PathPattern, ...] = ()
    hosts: tuple[HostPattern, ...] = ()
    modes: frozenset[Mode] = frozenset()
    """Empty: in every mode."""
    reason: str = ""
    scope: RuleScope = RuleScope.SESSION
    grantable: bool = False
    """Of an ask: its answer may be remembered."""

    @property
    def id(self) -> str:
        """By its source and its text: it stays the same where lines are put in above it."""
        import hashlib  # only where something is granted

        digest = hashlib.sha256(f"{self.outcome}\0{self.ref.text}".encode()).hexdigest()
        return f"rule:{self.ref.source}#{digest[:12]}"

    @property
    def tools(self) -> tuple[ToolPattern, ...]:
        return self.when.tools

    def names(self, names: tuple[str, ...], server: str = "") -> bool:
        """Of a tool that comes from a server, its names and that server's."""
        return self.when.names(names, server)

    def names_exactly(self, names: tuple[str, ...]) -> bool:
        """True when the rule names this tool itself, and not by a glob."""
        return any(pattern.is_exact and pattern.matches(names) for pattern in self.tools)

    def names_within(self, beginning: str, names: tuple[str, ...]) -> bool:
        """True when the rule names this tool, and only tools whose names begin so."""
        return any(pattern.text.startswith(beginning) and pattern.matches(names) for pattern in self.tools)

    @property
    def is_whole(self) -> bool:
        """True when it speaks of calls as a whole, whatever they touch."""
        return not self.commands and not self.paths and not self.hosts

    def covers(self, piece: Facts) -> bool:
        """For allow: of a call for which `when` holds, it speaks of all that this piece does."""
        if self.is_whole:
            return True
        shell, part = piece.shell, None
        if shell is not None:
            part = shell.parts[0] if len(shell.parts) == 1 and not shell.opaque else None
            if part is None or part.opaque or not self._covers_words(part):
                return False
        elif self.commands or piece.effects.certainty == "unknown":
            return False
        return self._covers_paths(piece) and self._covers_hosts(piece, by_words=part is not None)

    def _covers_words(self, part: ShellPart) -> bool:
        """Without a command, a rule on paths or hosts covers what only reads."""
        if not self.commands:
            return not part.unread
        return bool(part.words) and any(pattern.covers(part.words) for pattern in self.commands)

    def _covers_paths(self, piece: Facts) -> bool:
        """Every spelling of every path: a link, and what it leads to. The words of a command speak for its paths."""
        if not self.paths:
            return bool(self.commands) or not piece.paths
        return bool(piece.paths) and all(
            any(pattern.covers(spelling, path.is_tree, piece.places) for pattern in self.paths)
            for path in piece.paths
            for spelling in path.spellings
        )

    def _covers_hosts(self, piece: Facts, *, by_words: bool) -> bool:
        hosts = piece.effects.connects
        if not self.hosts:
            return not hosts or (by_words and bool(self.commands))
        return bool(hosts) and all(any(p.covers(host_named(host)) for p in self.hosts) for host in hosts)

    def reach(self, facts: Facts) -> Hit | None:
        """For ask and deny: it holds for any part of the call, or may hold for a part that can't be known."""
        match, part = self.when.reach(facts), ""
        for reached_by in (self._reach_commands, self._reach_paths, self._reach_hosts):
            if match is Match.NO:
                return None
            found, where = reached_by(facts)
            match, part = min(match, found), part or where
        return Hit(self, match, part) if match is not Match.NO else None

    def _reach_commands(self, facts: Facts) -> tuple[Match, str]:
        if not self.commands:
            return Match.YES, ""
        shell = facts.shell
        if shell is None:
            return Match.NO, ""
        best, part = (Match.MAYBE, shell.text) if shell.opaque else (Match.NO, "")
        for command in shell.commands:
            match = max(pattern.reaches(command) for pattern in self.commands)
            if match > best:
                best, part = match, command.text
        return best, part

    def _reach_paths(self, facts: Facts) -> tuple[Match, str]:
        if not self.paths:
            return Match.YES, ""
        unnamed = facts.shell.unnamed if facts.shell else ""
        best, part = (Match.MAYBE, unnamed) if unnamed else (Match.NO, "")
        for path in facts.paths:
            match = max(pattern.reaches(path, facts.places) for pattern in self.paths)
            if match > best:
                best, part = match, facts.places.shown(path.named)
        return best, part

    def _reach_hosts(self, facts: Facts) -> tuple[Match, str]:
        if not self.hosts:
            return Match.YES, ""
        match, part = reached(self.hosts, hosts_of(facts))
        if match is Match.NO and facts.shell is not None and facts.shell.opaque:
            return Match.MAYBE, facts.shell.text
        if match is Match.NO:
            named, part = reached(self.hosts, hosts_in_words(facts))
            return min(named, Match.MAYBE), part
        return match, part


def hosts_in_words(facts: Facts) -> frozenset[str]:
    """What may be hosts in the words of commands that are not known to only read, as patterns for hosts name them."""
    unread = (part for part in facts.shell.parts if part.unread) if facts.shell is not None else ()
    words = (word.text for part in unread for word in part.words[1:])
    return frozenset(text.lower().strip(".") for word in words for text in _NO_HOST.split(word)) - {""}


def hosts_of(facts: Facts) -> frozenset[str]:
    """All hosts that a call names, those in its commands among them."""
    parts = facts.shell.parts if facts.shell is not None else ()
    return facts.effects.connects.union(*(part.connects for part in parts))

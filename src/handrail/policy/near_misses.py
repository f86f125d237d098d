"""Rules on commands that hold for less than they look like: `find` is that very command, and not `find . -name x`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from handrail.contract.decision import Outcome
from handrail.policy.facts import CommandFact, Facts
from handrail.policy.patterns import CommandPattern, Match
from handrail.policy.reasons import place
from handrail.policy.rules import Rule

_ADVICE = "holds for `{0}` alone; to hold for it with any further words, write `{0} *`"


def narrow_rules(rules: Iterable[Rule]) -> Iterator[str]:
    """A note about each deny or ask rule that names a program and no arguments, unless it also says what may follow."""
    for rule in rules:
        for pattern in rule.commands if rule.outcome is not Outcome.ALLOW else ():
            if len(pattern.words) == 1 and _is_exact(pattern) and not _goes_on(pattern, rule.commands):
                yield f'{place(rule)}: command = "{_text(pattern)}" {_ADVICE.format(_text(pattern))}'


def near_misses(facts: Facts, rules: Iterable[Rule]) -> Iterator[str]:
    """A note about each rule that would hold for a part of the call if its pattern ended in `*`, and doesn't."""
    commands = facts.shell.commands if facts.shell is not None else ()
    for rule in rules:
        if not rule.names(facts.names) or any(_holds(each, commands) for each in rule.commands):
            continue
        for pattern in rule.commands:
            if _is_exact(pattern) and _holds(CommandPattern(pattern.words, open_end=True), commands):
                yield f'{place(rule)}: command = "{_text(pattern)}" {_ADVICE.format(_text(pattern))}'


def _is_exact(pattern: CommandPattern) -> bool:
    return not pattern.open_end and not any("*" in word for word in pattern.words)


def _goes_on(pattern: CommandPattern, others: Iterable[CommandPattern]) -> bool:
    return any(len(o.words) > 1 or o.open_end for o in others if o.words[:1] == pattern.words)


def _holds(pattern: CommandPattern, commands: Iterable[CommandFact]) -> bool:
    return any(pattern.reaches(command) is Match.YES for command in commands)


def _text(pattern: CommandPattern) -> str:
    return " ".join(pattern.words)

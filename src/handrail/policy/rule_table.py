"""One `[[rule]]` table read into a rule. What is wrong is told with its line, and makes nothing hold more widely."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import TypeVar

from handrail.contract.decision import Outcome, RuleRef
from handrail.contract.tool import Kind
from handrail.contract.values import mutable
from handrail.policy.argument_conditions import ArgumentCondition, ArgumentTest, Equals, Regex, TextGlob
from handrail.policy.hosts import HostPattern
from handrail.policy.modes import Mode
from handrail.policy.patterns import BadPattern, CommandPattern, NameGlob, PathPattern, ToolPattern
from handrail.policy.rules import CallConditions, Rule, RuleScope
from handrail.policy.spelling import as_written, did_you_mean, nearest, shown, unknown
from handrail.policy.toml_lines import TableLines
from handrail.policy.touched import Effect

CONDITIONS = ("tool", "path", "command", "host", "kind", "server", "subagent", "effect", "args", "annotations")
"""One of these at least says which calls a rule is about."""
KEYS = ("decision", "reason", "grantable", *CONDITIONS, "mode", "interactive")
TESTS = ("equals", "regex")

T = TypeVar("T")


@mutable
class Entry:
    """One rule as written, where, and what was found wrong with it."""

    table: object
    source: str
    lines: TableLines
    scope: RuleScope
    problems: list[str] = field(default_factory=list)

    def problem(self, key: str, text: str) -> None:
        self.problems.append(f"{self.source}:{self.lines.of(key)}: {text}")


def read_rule(entry: Entry) -> Rule:
    """The rule as far as it can be read: a condition that can't be is left out, so that it holds more widely.

    Whoever calls it looks at the problems: an allow rule that has any must not hold.
    """
    table = entry.table
    if not isinstance(table, Mapping):
        entry.problem("", "a rule is a table of keys and values")
        return Rule(RuleRef(entry.source, entry.lines.line, shown(table)), Outcome.DENY, scope=entry.scope)
    for key in table:
        if key not in KEYS:
            entry.problem(str(key), unknown("key", str(key), KEYS))
    outcome = _outcome(entry, table)
    rule = Rule(
        ref=RuleRef(entry.source, entry.lines.line, as_written(table)),
        outcome=outcome,
        when=CallConditions(
            tools=_each(entry, table, "tool", ToolPattern.parse),
            kinds=frozenset(_each(entry, table, "kind", _kind)),
            servers=_each(entry, table, "server", NameGlob.parse),
            subagents=_each(entry, table, "subagent", NameGlob.parse),
            annotations=tuple(_annotations(entry, table)),
            interactive=_flag(entry, table, "interactive", None),
            arguments=tuple(_arguments(entry, table)),
            effects=frozenset(_each(entry, table, "effect", _effect)),
        ),
        commands=_each(entry, table, "command", CommandPattern.parse),
        paths=_each(entry, table, "path", PathPattern.parse),
        hosts=_each(entry, table, "host", HostPattern.parse),
        modes=frozenset(_each(entry, table, "mode", _mode)),
        reason=_reason(entry, table),
        scope=entry.scope,
        grantable=_grantable(entry, table, outcome),
    )
    if not any(key in table for key in CONDITIONS):
        more = ', nor of what else it holds for; tool = "*" holds for every call'
        entry.problem("", f"says nothing of tool, path or command{more}")
    return rule


def _outcome(entry: Entry, table: Mapping[str, object]) -> Outcome:
    """What can't be read is taken for what it is most like, and else for a deny."""
    given = table.get("decision")
    if isinstance(given, str) and given in list(Outcome):
        return Outcome(given)
    if "decision" not in table:
        entry.problem("", "has no decision; give allow, ask or deny")
    elif isinstance(given, str):
        entry.problem("decision", unknown("decision", given, tuple(Outcome)))
        return Outcome(nearest(given, Outcome) or Outcome.DENY)
    else:
        entry.problem("decision", f"decision is {shown(given)}; give allow, ask or deny")
    return Outcome.DENY


def _reason(entry: Entry, table: Mapping[str, object]) -> str:
    reason = table.get("reason", "")
    if isinstance(reason, str):
        return reason.strip()
    entry.problem("reason", f"reason is {shown(reason)}; give a text")
    return ""


def _grantable(entry: Entry, table: Mapping[str, object], outcome: Outcome) -> bool:
    if "grantable" in table and outcome is not Outcome.ASK:
        entry.problem("grantable", "grantable is for ask rules: it lets their answer be remembered")
        return False
    return _flag(entry, table, "grantable", False) is True


def _flag(entry: Entry, table: Mapping[str, object], key: str, otherwise: bool | None) -> bool | None:
    given = table.get(key, otherwise)
    if given is otherwise or isinstance(given, bool):
        return given if isinstance(given, bool) else otherwise
    entry.problem(key, f"{key} is {shown(given)}; give true or false")
    return otherwise


def _each(entry: Entry, table: Mapping[str, object], key: str, parse: Callable[[str], T]) -> tuple[T, ...]:
    """One text or a list of them, each parsed; none where any of them can't be."""
    if key not in table:
        return ()
    given, before = table[key], len(entry.problems)
    texts = list(given) if isinstance(given, (list, tuple)) else [given]
    if not texts:
        entry.problem(key, f"{key} is an empty list, which nothing matches")
    parsed = []
    for text in texts:
        if not isinstance(text, str):
            entry.problem(key, f"{key} is {shown(text)}; give a text, or a list of texts")
            continue
        try:
            parsed.append(parse(text))
        except BadPattern as error:
            entry.problem(key, f"{key} {shown(text)} {error}")
    return tuple(parsed) if len(entry.problems) == before else ()


def _annotations(entry: Entry, table: Mapping[str, object]) -> Iterator[tuple[str, bool]]:
    given = table.get("annotations", {})
    if not isinstance(given, Mapping) or ("annotations" in table and not given):
        entry.problem("annotations", "annotations is a table of names, each true or false: { destructiveHint = true }")
        return
    for name, wanted in given.items():
        if isinstance(wanted, bool):
            yield name, wanted
        else:
            entry.problem("annotations", f"annotations.{name} is {shown(wanted)}; give true or false")


def _arguments(entry: Entry, table: Mapping[str, object]) -> Iterator[ArgumentCondition]:
    given = table.get("args", {})
    if not isinstance(given, Mapping) or ("args" in table and not given):
        entry.problem("args", 'args is a table of parameters: { url = "https://*" }')
        return
    for name, wanted in given.items():
        if not name.strip("."):
            entry.problem("args", f"args has {shown(name)} for a parameter; give its name")
            continue
        before, tests = len(entry.problems), []
        for each in wanted if isinstance(wanted, (list, tuple)) and wanted else [wanted]:
            try:
                tests.append(_test(name, each))
            except BadPattern as error:
                entry.problem("args", f"args.{name} {error}")
        if len(entry.problems) == before:
            yield ArgumentCondition(name, tuple(tests))


def _test(name: str, wanted: object) -> ArgumentTest:
    """Raises BadPattern with what follows the parameter's name."""
    if isinstance(wanted, str):
        return TextGlob.parse(wanted)
    if not isinstance(wanted, Mapping):
        raise BadPattern(f"is {shown(wanted)}; give a glob, {{ equals = {shown(wanted)} }} or {{ regex = … }}")
    for key in wanted:
        if key not in TESTS:
            raise BadPattern(
                f"has {shown(key)}{did_you_mean(key, TESTS)}; a parameter within it is written "
                f'"{name}.{key}", in quotes'
            )
    if len(wanted) != 1:
        raise BadPattern("takes one of equals and regex")
    if "equals" in wanted:
        return Equals(wanted["equals"])
    if not isinstance(wanted["regex"], str):
        raise BadPattern(f"has the regex {shown(wanted['regex'])}; give a text")
    return Regex.parse(wanted["regex"])


def _kind(text: str) -> Kind:
    return Kind(_word(text, "a kind of tool", tuple(Kind)))


def _effect(text: str) -> Effect:
    return Effect(_word(text, "an effect", tuple(Effect)))


def _mode(text: str) -> Mode:
    return Mode(_word(text, "a mode", tuple(Mode)))


def _word(text: str, what: str, known: tuple[str, ...]) -> str:
    if text not in known:
        raise BadPattern(f"is not {what}{did_you_mean(text, known)}")
    return text

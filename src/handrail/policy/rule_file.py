"""Rules as they are written: native TOML, and mappings given in code. One bad rule is an error, never left out."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from handrail.contract.decision import Outcome, RuleRef
from handrail.contract.values import value
from handrail.errors import RuleError
from handrail.policy.modes import Mode
from handrail.policy.patterns import BadPattern, CommandPattern, PathPattern, ToolPattern
from handrail.policy.rules import Rule
from handrail.policy.toml_lines import TableLines, table_lines

KEYS = ("tool", "decision", "reason", "path", "command", "mode")
CONDITIONS = ("tool", "path", "command")

T = TypeVar("T")


def load_rules(text: str, source: str) -> tuple[Rule, ...]:
    """The `[[rule]]` tables of a native policy file; `source` is the file as people should see it named.

    Raises RuleError with a line for everything that is wrong, each starting `SOURCE:LINE:`.
    """
    import tomllib

    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise RuleError(_not_toml(error, text, source)) from error
    top, *tables = table_lines(text)
    problems = [
        f"{source}:{_line_of(key, top, tables)}: {_unknown('key', key, ('rule',))}; each rule is a [[rule]] table"
        for key in document
        if key != "rule"
    ]
    entries = document.get("rule", [])
    if not isinstance(entries, list):
        problems.append(f"{source}:{_line_of('rule', top, tables)}: write each rule as [[rule]], with two brackets")
        entries = []
    starts = [table for table in tables if table.name == "rule" and table.is_array]
    if len(starts) != len(entries):
        starts = [TableLines("rule", top.of("rule"))] * len(entries)
    return _rules([_Entry(entry, source, lines) for entry, lines in zip(entries, starts, strict=True)], problems)


def rules_from(mappings: Iterable[Mapping[str, object]], source: str = "session") -> tuple[Rule, ...]:
    """Rules given in code, with the keys of a `[[rule]]` table; the line of each is its place, from 1.

    Raises RuleError as `load_rules` does.
    """
    entries = [_Entry(mapping, source, TableLines("rule", place)) for place, mapping in enumerate(mappings, 1)]
    return _rules(entries, [])


@value
class _Entry:
    """One rule as written, and where."""

    table: object
    source: str
    lines: TableLines

    def problem(self, key: str, text: str) -> str:
        return f"{self.source}:{self.lines.of(key)}: {text}"


def _rules(entries: list[_Entry], problems: list[str]) -> tuple[Rule, ...]:
    rules = [_rule(entry, problems) for entry in entries]
    if problems:
        raise RuleError("\n".join(problems))
    return tuple(rule for rule in rules if rule is not None)


def _rule(entry: _Entry, problems: list[str]) -> Rule | None:
    """The rule, unless something is wrong with it; then that is added to the problems."""
    table, before = entry.table, len(problems)
    if not isinstance(table, Mapping):
        problems.append(entry.problem("", "a rule is a table of keys and values"))
        return None
    for key in table:
        if key not in KEYS:
            problems.append(entry.problem(str(key), _unknown("key", str(key), KEYS)))
    rule = Rule(
        ref=RuleRef(entry.source, entry.lines.line, as_written(table)),
        outcome=_outcome(entry, table, problems),
        reason=_reason(entry, table, problems),
        tools=_patterns(entry, table, "tool", ToolPattern.parse, problems),
        commands=_patterns(entry, table, "command", CommandPattern.parse, problems),
        paths=_patterns(entry, table, "path", PathPattern.parse, problems),
        modes=frozenset(_patterns(entry, table, "mode", _mode, problems)),
    )
    if not any(key in table for key in CONDITIONS):
        problems.append(entry.problem("", 'says nothing of tool, path or command; tool = "*" holds for every call'))
    return rule if len(problems) == before else None


def _outcome(entry: _Entry, table: Mapping[str, object], problems: list[str]) -> Outcome:
    given = table.get("decision")
    if isinstance(given, str) and given in list(Outcome):
        return Outcome(given)
    if "decision" not in table:
        problems.append(entry.problem("", "has no decision; give allow, ask or deny"))
    elif isinstance(given, str):
        problems.append(entry.problem("decision", _unknown("decision", given, tuple(Outcome))))
    else:
        problems.append(entry.problem("decision", f"decision is {_shown(given)}; give allow, ask or deny"))
    return Outcome.DENY


def _reason(entry: _Entry, table: Mapping[str, object], problems: list[str]) -> str:
    reason = table.get("reason", "")
    if isinstance(reason, str):
        return reason.strip()
    problems.append(entry.problem("reason", f"reason is {_shown(reason)}; give a text"))
    return ""


def _patterns(
    entry: _Entry, table: Mapping[str, object], key: str, parse: Callable[[str], T], problems: list[str]
) -> tuple[T, ...]:
    """One text or a list of them, each parsed."""
    if key not in table:
        return ()
    given = table[key]
    texts = list(given) if isinstance(given, (list, tuple)) else [given]
    if not texts:
        problems.append(entry.problem(key, f"{key} is an empty list, which nothing matches"))
    parsed: list[T] = []
    for text in texts:
        if not isinstance(text, str):
            problems.append(entry.problem(key, f"{key} is {_shown(text)}; give a text, or a list of texts"))
            continue
        try:
            parsed.append(parse(text))
        except BadPattern as error:
            problems.append(entry.problem(key, f"{key} {_shown(text)} {error}"))
    return tuple(parsed)


def _mode(text: str) -> Mode:
    if text not in list(Mode):
        raise BadPattern(f"is not a mode{_did_you_mean(text, tuple(Mode))}")
    return Mode(text)


def as_written(table: Mapping[str, object]) -> str:
    """A rule on one line, its keys in the order in which they were written."""
    return ", ".join(f"{key} = {_shown(value)}" for key, value in table.items())


def _shown(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _unknown(kind: str, given: str, known: tuple[str, ...]) -> str:
    return f"unknown {kind} {_shown(given)}{_did_you_mean(given, known)}"


def _did_you_mean(given: str, known: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(given.lower(), known, n=1, cutoff=0.65)
    return f"; did you mean {near[0]}?" if near else f"; known are {', '.join(known)}"


def _line_of(key: str, top: TableLines, tables: list[TableLines]) -> int:
    """The line of a key at the top of the file, be it written as a key or as a table."""
    return top.keys.get(key, next((table.line for table in tables if table.name.split(".")[0] == key), top.line))


def _not_toml(error: Exception, text: str, source: str) -> str:
    """The parser's message with its line moved to the front."""
    message = str(error)
    place = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", message)
    line = int(place[1]) if place and place[1] else text.count("\n") + 1
    return f"{source}:{line}: not valid TOML: {message[: place.start()] if place else message}"

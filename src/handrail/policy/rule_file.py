"""Policy files, and rules given in code.

Files of settings are read leniently: one bad rule never voids its file, and what is wrong makes nothing hold that
the file did not say. Files that somebody names here and now, and rules in code, are whole or nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from handrail.contract.decision import Outcome
from handrail.contract.values import value
from handrail.errors import RuleError
from handrail.policy.declared import Declaration
from handrail.policy.effects_table import read_declaration
from handrail.policy.rule_sets import RuleSet, denying_everything
from handrail.policy.rule_table import Entry, read_rule
from handrail.policy.rules import Rule, RuleScope
from handrail.policy.spelling import nearest, shown, unknown
from handrail.policy.toml_lines import TableLines, table_lines
from handrail.policy.toml_text import NotToml, normalized, parsed

FORBIDS = ("forbid_bypass", "forbid_lower_allows")
KEYS = ("rule", "effects", *FORBIDS)

_OUTCOME_OF_BAD = {
    Outcome.ALLOW: "until that is mended the rule allows nothing",
    Outcome.ASK: "until that is mended the rule asks about all that the rest of it matches",
    Outcome.DENY: "until that is mended the rule denies all that the rest of it matches",
}


def load_rules(text: str, source: str) -> tuple[Rule, ...]:
    """The `[[rule]]` tables of a policy file; `source` is the file as people should see it named.

    Raises RuleError with a line for everything that is wrong, each starting `SOURCE:LINE:`.
    """
    return load_policy(text, source).rules


def load_policy(text: str, source: str, scope: RuleScope = RuleScope.COMMAND_LINE) -> RuleSet:
    """All that a policy file says. Raises RuleError as `load_rules` does."""
    try:
        loaded = _load(text, source, scope)
    except NotToml as error:
        raise RuleError(f"{source}:{error.line}: {error}") from error
    if loaded.problems:
        raise RuleError("\n".join(loaded.problems))
    return loaded


def load_policy_leniently(text: str, source: str, scope: RuleScope) -> RuleSet:
    """What can be read of a policy file, with its problems. Never raises.

    An allow rule with anything wrong in it is left out. A deny or ask rule holds without the conditions that can't
    be read. A text that is no TOML at all denies everything.
    """
    try:
        return _load(text, source, scope, tell=True)
    except NotToml as error:
        return denying_everything(source, error.line, str(error), scope)


def rules_from(mappings: Iterable[Mapping[str, object]], source: str = "session") -> tuple[Rule, ...]:
    """Rules given in code, with the keys of a `[[rule]]` table; the line of each is its place, from 1.

    Raises RuleError as `load_rules` does.
    """
    entries = [
        Entry(mapping, source, TableLines("rule", place), RuleScope.SESSION)
        for place, mapping in enumerate(mappings, 1)
    ]
    rules = tuple(read_rule(entry) for entry in entries)
    problems = [problem for entry in entries for problem in entry.problems]
    if problems:
        raise RuleError("\n".join(problems))
    return rules


def _load(text: str, source: str, scope: RuleScope, *, tell: bool = False) -> RuleSet:
    """Raises NotToml; all else that is wrong is a problem.

    `tell`: the problems also say what becomes of each bad rule.
    """
    document = _Document.parse(text, source, scope)
    problems = list(document.unknown_keys())
    entries = [*document.rules(problems)]
    rules = [(entry, read_rule(entry)) for entry in entries]
    declared = list(document.declarations(problems))
    bypass, lower = (document.forbids(key, problems) for key in FORBIDS)
    for entry, rule in rules:
        problems += entry.problems
        if entry.problems and tell:
            problems.append(f"{source}:{entry.lines.line}: {_OUTCOME_OF_BAD[rule.outcome]}")
    held = tuple(rule for entry, rule in rules if not entry.problems or rule.outcome is not Outcome.ALLOW)
    return RuleSet(held, tuple(declared), source if bypass else "", source if lower else "", tuple(problems))


@value
class _Document:
    """A parsed file, and where its tables stand."""

    keys: Mapping[str, object]
    source: str
    scope: RuleScope
    top: TableLines
    tables: list[TableLines]

    @classmethod
    def parse(cls, text: str, source: str, scope: RuleScope) -> _Document:
        """Raises NotToml."""
        text = normalized(text)
        keys = parsed(text)
        top, *tables = table_lines(text)
        return cls(keys, source, scope, top, tables)

    def unknown_keys(self) -> Iterator[str]:
        for key in self.keys:
            if key not in KEYS:
                yield self._problem(key, f"{unknown('key', key, KEYS)}; each rule is a [[rule]] table")

    def rules(self, problems: list[str]) -> Iterator[Entry]:
        """The rules, and what may have been meant for some: of the latter nothing is allowed."""
        for key, given in self.keys.items():
            if key != "rule" and (key in KEYS or nearest(key, ("rule",)) == ""):
                continue
            tables = given if isinstance(given, list) else [given]
            if key == "rule" and not isinstance(given, list):
                problems.append(self._problem(key, "write each rule as [[rule]], with two brackets"))
            meant = key != "rule" or not isinstance(given, list)
            yield from self._entries(key, tables, meant=meant)

    def _entries(self, key: str, tables: list[object], *, meant: bool) -> Iterator[Entry]:
        lines = [table for table in self._with_tables_within(key) if table.is_array or meant]
        if len(lines) != len(tables):
            lines = [TableLines(key, self._line_of(key))] * len(tables)
        for table, line in zip(tables, lines, strict=True):
            if meant and not (isinstance(table, Mapping) and table.get("decision") in ("deny", "ask")):
                continue
            yield Entry(table, self.source, line, self.scope)

    def _with_tables_within(self, key: str) -> list[TableLines]:
        """The tables of a name, each with the lines of the tables in it: `[rule.args]`."""
        found: list[TableLines] = []
        for table in self.tables:
            if table.name == key:
                found.append(TableLines(table.name, table.line, table.is_array, dict(table.keys)))
            elif found and table.name.startswith(f"{key}."):
                found[-1].keys.setdefault(table.name.split(".")[1].strip("\"' "), table.line)
        return found

    def declarations(self, problems: list[str]) -> Iterator[Declaration]:
        given = self.keys.get("effects", {})
        if not isinstance(given, Mapping):
            problems.append(self._problem("effects", 'write effects as tables: [effects."mcp_git_*"]'))
            return
        lines = [table for table in self.tables if table.name.startswith("effects.")]
        if len(lines) != len(given):
            lines = [TableLines("effects", self._line_of("effects"))] * len(given)
        for (glob, table), line in zip(given.items(), lines, strict=True):
            entry = Entry(table, self.source, line, self.scope)
            declaration = read_declaration(glob, entry)
            problems += entry.problems
            if declaration is not None:
                yield declaration

    def forbids(self, key: str, problems: list[str]) -> bool:
        """Only the system's file forbids; there a value that can't be read does."""
        given = self.keys.get(key, False)
        if key in self.keys and self.scope is not RuleScope.SYSTEM:
            problems.append(
                self._problem(key, f"only the system's policy file may say {key}; it holds for nothing here")
            )
            return False
        if not isinstance(given, bool):
            problems.append(self._problem(key, f"{key} is {shown(given)}; give true or false; until then it holds"))
        return given is not False

    def _problem(self, key: str, text: str) -> str:
        return f"{self.source}:{self._line_of(key)}: {text}"

    def _line_of(self, key: str) -> int:
        """The line of a key at the top of the file, be it written as a key or as a table."""
        tables = (table.line for table in self.tables if table.name.split(".")[0] == key)
        return self.top.keys.get(key, next(tables, self.top.line))

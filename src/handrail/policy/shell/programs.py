"""What programs do: a table for each, from the folder `programs/`, whose README says how to write one."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Any

from handrail.contract.effects import OPEN_WORLD
from handrail.policy.shell.languages import LANGUAGES


class BadTable(ValueError):
    """A table of programs that does not say what it should: where, and what is wrong with it."""


class Takes(StrEnum):
    """Whether a flag has a value."""

    NOTHING = "nothing"
    VALUE = "value"
    """Attached, after `=`, or as the next word."""
    ATTACHED = "attached"
    """With one or without, but never in a word of its own."""


class Does(StrEnum):
    """What a flag makes its program do."""

    NOTHING = "flags"
    READ = "reads"
    """The value is a file that is read."""
    WRITE = "writes"
    """The value is the path written; without one, the operands are."""
    RUN = "runs"
    CONNECT = "connects"
    ENTER = "enters"
    """The value is the folder that it works in."""


@dataclass(frozen=True, slots=True)
class Flag:
    takes: Takes
    does: Does


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """One way to call a program: the README of the tables says what each field means."""

    flags: Mapping[str, Flag] = field(default_factory=dict)
    operands: str = "text"
    most: int | None = None
    matching: re.Pattern[str] | None = None
    first: re.Pattern[str] | None = None
    values: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    ignored: frozenset[str] = frozenset()
    needs: frozenset[str] = frozenset()
    alone: frozenset[str] = frozenset()
    patterns: frozenset[str] = frozenset()
    trees: frozenset[str] = frozenset()
    traits: frozenset[str] = frozenset()
    reaches: frozenset[str] = frozenset()
    also: frozenset[str] = frozenset()
    language: str = ""
    repository: bool = False
    edits: bool = False
    own: int = 0
    assignments: bool = False
    never: str = ""


@dataclass(frozen=True, slots=True)
class Program:
    usage: Usage
    """Without a subcommand."""
    before: Usage = Usage()
    """What may stand before a subcommand."""
    subcommands: Mapping[str, Usage] = field(default_factory=dict)
    """By name; one of several words has single blanks between them."""

    @property
    def usages(self) -> Iterator[tuple[str, Usage]]:
        """Every way to call it, with the subcommand; the first is without any."""
        yield "", self.usage
        yield from self.subcommands.items()


_HEADER = re.compile(r"""(?m)^\[(?:"([^"]+)"|([\w-]+))(?:\.[^\n]*)?\]""")
"""The program in the head of a table, or of a table below it."""

_OTHER_NAMES = re.compile(r"(?m)^names = \[([^\]]*)\]")
_QUOTED = re.compile(r'"([^"]+)"')

FLAGS = frozenset(Does)
SETS = frozenset(("ignored", "needs", "alone", "patterns", "trees", "traits", "reaches", "also"))
EXPRESSIONS = frozenset(("matching", "first"))
SUBTABLES = frozenset(("globals", "common", "subcommands", "asked", "online"))
PLAIN: Mapping[str, type] = {
    "operands": str,
    "most": int,
    "language": str,
    "repository": bool,
    "edits": bool,
    "own": int,
    "assignments": bool,
    "never": str,
}
OPERANDS = frozenset((
    "text", "names", "files", "pattern", "revisions", "script", "command", "written", "removed", "copied", "moved",
    "hosts", "none",
))  # fmt: skip
TRAITS = frozenset((
    "here", "numbers", "any_flags", "words", "globs", "folders", "recursive", "repository", "any_names", "configured",
    "own_words", "streams", "tracked",
))  # fmt: skip


class Programs(Mapping[str, Program]):
    """All tables, by the bare name of the program. A file is read when one of its programs is first asked for.

    Raises BadTable, when made for a name in two files, and then for a file whose tables can't be used.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        """`texts`: what the files hold, by their names."""
        self.texts = texts
        self._read: dict[str, Mapping[str, Program]] = {}
        self._files: dict[str, str] = {}
        for file, text in texts.items():
            for name in _names_in(text):
                if name in self._files:
                    raise BadTable(f"{file}: [{name}] is in {self._files[name]} too; put all that is known in one.")
                self._files[name] = file

    def __getitem__(self, name: str) -> Program:
        file = self._files[name]
        if file not in self._read:
            self._read[file] = read_tables(self.texts[file], file)
        return self._read[file][name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


def _names_in(text: str) -> tuple[str, ...]:
    """The programs of a file, without reading all of it."""
    heads = (quoted or bare for quoted, bare in _HEADER.findall(text))
    others = (name for names in _OTHER_NAMES.findall(text) for name in _QUOTED.findall(names))
    return (*dict.fromkeys(heads), *others)


@cache
def programs() -> Programs:
    """The tables that come with this package; `git.history.toml` and `git.toml` are one."""
    folder = resources.files("handrail.policy.shell").joinpath("programs")
    texts: dict[str, str] = {}
    for file in sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name):
        name = f"{file.name.partition('.')[0]}.toml"
        texts[name] = f"{texts.get(name, '')}{file.read_text('utf-8')}\n"
    return Programs(texts)


def read_tables(text: str, file: str) -> dict[str, Program]:
    """The programs of one file. Raises BadTable, which names the file and the table."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadTable(f"{file} is not valid TOML: {error}.") from error
    found: dict[str, Program] = {}
    for name, table in data.items():
        others = table.pop("names", [])
        if not _is_texts(others) or not found.keys().isdisjoint((name, *others)):
            raise BadTable(f"{file}: [{name}] names: they must be texts, and names that no other table has.")
        found |= dict.fromkeys((name, *others), _program(table, f"{file}: [{name}]"))
    return found


def _program(table: Mapping[str, Any], where: str) -> Program:
    own = {key: entry for key, entry in table.items() if key not in SUBTABLES}
    subcommands = _subcommands(table, where)
    if not subcommands:
        return Program(_usage(own, where))
    before = _usage(table.get("globals", {}), f"{where[:-1]}.globals]")
    common = {name: _usage(entry, f"{where[:-1]}.{name}]").flags for name, entry in table.get("common", {}).items()}
    usages = {
        name: _with_common(_usage(entry, f"{where[:-1]}.{name}]"), common, f"{where[:-1]}.{name}]")
        for name, entry in subcommands.items()
    }
    return Program(
        _usage({"operands": "none", **own}, where), before, {name: _within(before, u) for name, u in usages.items()}
    )


def _subcommands(table: Mapping[str, Any], where: str) -> dict[str, Mapping[str, Any]]:
    """The tables of all subcommands, by each of their forms; `asked` and `online` hold the clause alone."""
    tables: list[tuple[str, Mapping[str, Any]]] = []
    for name, entry in table.get("subcommands", {}).items():
        plain = {key: value for key, value in entry.items() if key != "forms"}
        tables += ((form, plain) for form in (name, *entry.get("forms", ())))
    tables += ((name, {"never": clause}) for name, clause in table.get("asked", {}).items())
    tables += ((name, {"never": c, "reaches": [OPEN_WORLD]}) for name, c in table.get("online", {}).items())
    found = dict(tables)
    if len(found) < len(tables):
        twice = next(name for name, times in Counter(name for name, _ in tables).items() if times > 1)
        raise BadTable(f"{where[:-1]}.{twice}] is there twice.")
    return found


def _with_common(usage: Usage, common: Mapping[str, Mapping[str, Flag]], where: str) -> Usage:
    """The usage with the flags that several subcommands have; what it says of a flag itself goes before."""
    unknown = usage.also - common.keys()
    if unknown:
        raise BadTable(f"{where} also: there is no common table {', '.join(sorted(unknown))}.")
    flags: dict[str, Flag] = {}
    for name in sorted(usage.also):
        flags |= common[name]
    return replace(usage, flags=flags | dict(usage.flags))


def _within(before: Usage, usage: Usage) -> Usage:
    """The usage of a subcommand, with what is said of all of them."""
    return replace(
        usage,
        traits=usage.traits | before.traits,
        matching=usage.matching or before.matching,
        values={**before.values, **usage.values},
        repository=usage.repository or before.repository,
        reaches=usage.reaches or before.reaches,
    )


def _usage(table: Mapping[str, Any], where: str) -> Usage:
    values: dict[str, Any] = {}
    for key, entry in table.items():
        if key in PLAIN and isinstance(entry, PLAIN[key]):
            values[key] = entry
        elif key in SETS and _is_texts(entry):
            values[key] = frozenset(entry)
        elif key in EXPRESSIONS and isinstance(entry, str):
            values[key] = _compiled(entry, f"{where} {key}")
        elif key == "values" and isinstance(entry, dict) and all(isinstance(text, str) for text in entry.values()):
            values[key] = {flag: _compiled(text, f"{where} {key} {flag}") for flag, text in entry.items()}
        elif key not in FLAGS or not _is_texts(entry):
            raise BadTable(f"{where} {key}: there is no such key, or its value has the wrong type.")
    usage = Usage(flags=_flags(table, where), **values)
    _check(usage, where)
    if usage.operands == "none":
        usage = replace(usage, operands="text", most=0)
    return replace(usage, repository=True) if "repository" in usage.traits else usage


def _is_texts(entry: object) -> bool:
    return isinstance(entry, list) and all(isinstance(text, str) and text for text in entry)


def _compiled(expression: str, where: str) -> re.Pattern[str]:
    try:
        return re.compile(expression)
    except re.error as error:
        raise BadTable(f"{where} is not a regular expression: {error}.") from error


def _flags(table: Mapping[str, Any], where: str) -> dict[str, Flag]:
    flags: dict[str, Flag] = {}
    for does in Does:
        for text in table.get(does, ()):
            takes = {"=": Takes.VALUE, "*": Takes.ATTACHED}.get(text[-1], Takes.NOTHING)
            name = text if takes is Takes.NOTHING else text[:-1]
            if name in flags:
                raise BadTable(f"{where} {name} stands in it twice.")
            if not name.startswith(("-", "+")) or not name.strip("-+"):
                raise BadTable(f"{where} {text!r} is not a flag.")
            flags[name] = Flag(takes, does)
    return flags


def _check(usage: Usage, where: str) -> None:
    listed = frozenset(usage.flags)
    for key, unknown in (
        (
            "needs, patterns and trees name flags that are not listed:",
            (usage.needs | usage.patterns | usage.trees) - listed,
        ),
        ("traits:", usage.traits - TRAITS),
        ("operands:", {usage.operands} - OPERANDS),
        ("language:", {usage.language} - {"", *LANGUAGES}),
    ):
        if unknown:
            raise BadTable(f"{where} {key} {', '.join(sorted(unknown))}.")
    if "configured" in usage.traits and not usage.never:
        raise BadTable(f'{where} has the trait "configured" and no "never" that says what it runs.')

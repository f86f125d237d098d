"""The programs that only read, and the file commands of `accept-edits`: tables, and how words are read by them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from typing import Any

from handrail.policy.shell.words import Known, Word


@dataclass(frozen=True, slots=True)
class Flags:
    plain: frozenset[str] = frozenset()
    """Without a value."""
    valued: frozenset[str] = frozenset()
    attached: frozenset[str] = frozenset()
    """With a value or without, but never in a word of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """One way to call a program: the head of `programs.toml` says what each field means."""

    operands: str = "text"
    flags: Flags = Flags()
    traits: frozenset[str] = frozenset()
    needs: frozenset[str] = frozenset()
    patterns: frozenset[str] = frozenset()
    trees: frozenset[str] = frozenset()
    ignored: frozenset[str] = frozenset()
    most: int | None = None
    matching: re.Pattern[str] | None = None
    first: re.Pattern[str] | None = None


@dataclass(frozen=True, slots=True)
class Program:
    usage: Usage
    subcommands: Mapping[str, Usage] = field(default_factory=dict)
    """Where there are some, `usage` says what may stand before them."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The words of a command, as its program would read them."""

    usage: Usage
    flags: frozenset[str]
    operands: tuple[Word, ...]


@cache
def reading_programs() -> Mapping[str, Program]:
    return {**_load("programs.toml"), **_load("git.toml")}


@cache
def editing_programs() -> Mapping[str, Program]:
    return _load("edits.toml")


def read_by(programs: Mapping[str, Program], words: tuple[Word, ...]) -> Reading | None:
    """How the words are read by the table of their program; None when it does not list them all.

    The program is taken by the bare name alone: `./ls` is a program that nobody knows.
    """
    name = words[0].value if words else None
    program = programs.get(name) if name is not None else None
    if program is None:
        return None
    if not program.subcommands:
        return _read(program.usage, words[1:])
    position = 1
    while position < len(words) and words[position].value in program.usage.flags.plain:
        position += 1
    subcommand = words[position].value if position < len(words) else None
    usage = program.subcommands.get(subcommand) if subcommand is not None else None
    return _read(usage, words[position + 1 :]) if usage is not None else None


def _read(usage: Usage, words: tuple[Word, ...]) -> Reading | None:
    unknown = {Known.UNKNOWN} if "globs" in usage.traits else {Known.UNKNOWN, Known.GLOB}
    if any(word.known in unknown for word in words):
        return None
    flags: set[str] = set()
    operands: list[Word] = []
    rest = iter(words)
    for word in rest:
        if "any_flags" in usage.traits or word.text == "-" or not word.text.startswith("-"):
            operands.append(word)
        elif word.text == "--":
            operands += rest
        else:
            found = _flags(usage, word.text)
            if not found or (found[-1][1] and next(rest, None) is None):
                return None
            flags.update(name for name, _ in found)
    reading = Reading(usage, frozenset(flags), tuple(o for o in operands if o.text not in usage.ignored))
    return reading if _holds(reading) else None


def _flags(usage: Usage, text: str) -> list[tuple[str, bool]]:
    """The flags in one word, each with whether its value is the next word; none where one is not listed."""
    flags = usage.flags
    name, equals, _ = text.partition("=")
    if text in flags.plain or ("numbers" in usage.traits and text[1:].isdigit()):
        return [(text, False)]
    if text in flags.valued:
        return [(text, True)]
    if "words" in usage.traits:
        return []
    if text.startswith("--"):
        listed = name in flags.attached or (equals and name in flags.valued)
        return [(name, False)] if listed else []
    return _cluster(flags, text[1:])


def _cluster(flags: Flags, letters: str) -> list[tuple[str, bool]]:
    """`-la`, `-k2`: letters one by one, until one takes the rest for its value."""
    found: list[tuple[str, bool]] = []
    for position, letter in enumerate(letters, 1):
        flag = f"-{letter}"
        if flag in flags.valued:
            return [*found, (flag, position == len(letters))]
        if flag in flags.attached:
            return [*found, (flag, False)]
        if flag not in flags.plain:
            return []
        found.append((flag, False))
    return found


def _holds(reading: Reading) -> bool:
    usage, operands = reading.usage, reading.operands
    if usage.needs and usage.needs.isdisjoint(reading.flags):
        return False
    if usage.most is not None and len(operands) > usage.most:
        return False
    if usage.matching and not all(usage.matching.fullmatch(o.text) for o in operands):
        return False
    return not usage.first or (bool(operands) and usage.first.fullmatch(operands[0].text) is not None)


def _load(name: str) -> Mapping[str, Program]:
    text = resources.files("handrail.policy.shell").joinpath(name).read_text("utf-8")
    return {program: _program(table) for program, table in tomllib.loads(text).items()}


def _program(table: Mapping[str, Any]) -> Program:
    if "subcommands" not in table:
        return Program(_usage(table))
    before = _usage(table.get("globals", {}))
    usages = {name: _usage(entry) for name, entry in table["subcommands"].items()}
    return Program(before, {name: _within(before, usage) for name, usage in usages.items()})


def _within(before: Usage, usage: Usage) -> Usage:
    """The usage of a subcommand, with what is said of all of them."""
    return replace(usage, traits=usage.traits | before.traits, matching=usage.matching or before.matching)


def _usage(table: Mapping[str, Any]) -> Usage:
    values = dict(table)
    flags: list[str] = values.pop("flags", [])
    for key in ("traits", "needs", "patterns", "trees", "ignored"):
        values[key] = frozenset(values.get(key, ()))
    for key in ("matching", "first"):
        values[key] = re.compile(values[key]) if key in values else None
    return Usage(
        flags=Flags(
            frozenset(flag for flag in flags if flag[-1] not in "=*"),
            frozenset(flag[:-1] for flag in flags if flag[-1] == "="),
            frozenset(flag[:-1] for flag in flags if flag[-1] == "*"),
        ),
        **values,
    )

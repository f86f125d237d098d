"""What programs do with a command that stands in their own words: the tables of `runners.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from handrail.policy.shell.programs import Program, programs

_VERSION = re.compile(r"[\d.]+$")


@dataclass(frozen=True, slots=True)
class Runners:
    """The tables by name: see `runners.toml` for what each says."""

    lists: Mapping[str, frozenset[str]]
    tables: Mapping[str, Mapping[str, tuple[str, ...]]]

    def has(self, listed: str, program: str) -> bool:
        return program in self.lists[listed]

    def words(self, table: str, program: str) -> tuple[str, ...] | None:
        """The entry of a program; None when it has none."""
        return self.tables[table].get(program)

    def knows(self, program: str) -> bool:
        """True for a program of which it is known whether it runs its own words."""
        return (
            _never_runs_words(programs().get(program))
            or any(program in listed for listed in self.lists.values())
            or any(program in self.tables[table] for table in ("after", "code"))
        )

    def only_reads(self, program: str) -> bool:
        """True for a program whose table knows nothing but reading of it, and no words that it runs."""
        return program not in self.lists["shells"] and _never_runs_words(programs().get(program))

    def takes_code(self, program: str) -> bool:
        """True for a program that may run code in its words, or a script in a small language of its own."""
        names = {program, unversioned(program)}
        return any(not names.isdisjoint(self.tables[table]) for table in ("code", "within"))

    def may_run_words(self, program: str) -> bool:
        """True for a program in whose words it pays to look: for commands, scripts, or leading options."""
        names = {program, unversioned(program)}
        return any(program in self.lists[listed] for listed in ("shells", "evaluators", "scripted", "opaque")) or any(
            not names.isdisjoint(self.tables[table])
            for table in ("after", "code", "within", "globals", "fed", "fed_code")
        )


def _never_runs_words(program: Program | None) -> bool:
    """True for one whose table says of every form what its words are."""
    if program is None:
        return False
    return not any(usage.never or usage.operands == "command" for _, usage in program.usages)


@cache
def runners() -> Runners:
    data = tomllib.loads(resources.files("handrail.policy.shell").joinpath("runners.toml").read_text("utf-8"))
    return Runners(
        {name: frozenset(entry) for name, entry in data.items() if isinstance(entry, list)},
        {
            name: {program: tuple(words) for program, words in entry.items()}
            for name, entry in data.items()
            if isinstance(entry, dict)
        },
    )


def unversioned(program: str) -> str:
    """`python3.11` is `python`."""
    return _VERSION.sub("", program) or program

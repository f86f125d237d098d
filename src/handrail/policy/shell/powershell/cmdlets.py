"""What cmdlets do: the tables `reading.toml` and `changing.toml`, which are written as those in `programs/`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources

from handrail.policy.shell.programs import BadTable, Does, Flag, Takes, Usage, read_tables

_TABLES = ("reading.toml", "changing.toml")
_TRAITS = frozenset(("words", "globs"))
"""Parameters are whole words; and a pattern comes to objects, never to more words."""


@dataclass(frozen=True, slots=True)
class Cmdlet:
    """One cmdlet, its names and parameters as they are written by custom."""

    names: tuple[str, ...]
    """All that it is called by, its own name first."""
    usage: Usage
    spellings: Mapping[str, str]
    """Its parameters by their small letters."""

    @property
    def name(self) -> str:
        return self.names[0]

    def parameter(self, written: str) -> str:
        """The parameter in full, for a beginning of one in any case; the same where it is none, or fits several."""
        beginning = written.lower()
        if beginning in self.spellings:
            return self.spellings[beginning]
        fitting = [name for lowered, name in self.spellings.items() if lowered.startswith(beginning)]
        return fitting[0] if len(fitting) == 1 else written

    @property
    def takes_paths(self) -> bool:
        return self.usage.operands in ("names", "files", "pattern")


class Cmdlets:
    """All that are known, by any of their names in any case, and what `names.toml` says of them.

    Raises BadTable for a table that can't be used, and for a name that two of them have.
    """

    def __init__(self, tables: Mapping[str, str], names: str) -> None:
        """`tables`: what the files of tables hold, by their names."""
        self._lists: Mapping[str, tuple[str, ...]] = {key: tuple(entry) for key, entry in tomllib.loads(names).items()}
        self._known: dict[str, Cmdlet] = {}
        common = dict(map(_flag, self.listed("common")))
        for file, text in tables.items():
            for cmdlet in _read(text, file, common):
                taken = next((name for name in cmdlet.names if name.lower() in self._known), "")
                if taken:
                    raise BadTable(f"{file}: {taken} of [{cmdlet.name}] is the name of another cmdlet too.")
                self._known |= {name.lower(): cmdlet for name in cmdlet.names}

    def __iter__(self) -> Iterator[Cmdlet]:
        return iter({cmdlet.name: cmdlet for cmdlet in self._known.values()}.values())

    def find(self, name: str) -> Cmdlet | None:
        return self._known.get(name.lower())

    def listed(self, key: str) -> tuple[str, ...]:
        return self._lists[key]


def _read(text: str, file: str, common: Mapping[str, Flag]) -> Iterable[Cmdlet]:
    programs = read_tables(text, file)
    for name, table in tomllib.loads(text).items():
        usage = programs[name].usage
        flags = {**common, **usage.flags}
        usage = replace(usage, flags=flags, traits=usage.traits | _TRAITS)
        yield Cmdlet((name, *table.get("names", ())), usage, {flag.lower(): flag for flag in flags})


def _flag(text: str) -> tuple[str, Flag]:
    takes = Takes.VALUE if text.endswith("=") else Takes.NOTHING
    return text.rstrip("="), Flag(takes, Does.NOTHING)


@cache
def cmdlets() -> Cmdlets:
    """Those that the tables of this package know."""
    folder = resources.files("handrail.policy.shell.powershell")
    tables = {file: folder.joinpath(file).read_text("utf-8") for file in _TABLES}
    return Cmdlets(tables, folder.joinpath("names.toml").read_text("utf-8"))

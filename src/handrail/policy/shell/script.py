"""What a text of shell is made of, once it is taken apart: commands, redirections, assignments."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from handrail.contract.effects import SimpleCommand
from handrail.policy.shell.folders import Folders
from handrail.policy.shell.words import Known, Word

Reach: TypeAlias = Literal["command", "exported", "shell"]
"""How far an assignment goes: to one command, to this shell and all that it starts, or to this shell alone."""

NOWHERE = frozenset(("/dev/null", "/dev/stderr", "/dev/stdout", "/dev/stdin", "/dev/fd/1", "/dev/fd/2"))
"""Targets that are no files, or already open."""

_INPUT = re.compile(r"/dev/(?:stdin|fd/\d+)|/proc/(?:self|thread-self)/fd/\d+")
_CONNECTION = re.compile(r"/+dev/+(?:tcp|udp)/+([^/]+)")
DUPLICATES = frozenset((">&", "<&", ">&-", "<&-"))

SUBSTITUTION = "substitution"
"""How a command stands whose output becomes words of another."""


def names_input(text: str) -> bool:
    """True for the name of a file that is what a program is fed: `/dev/stdin`."""
    return _INPUT.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Redirect:
    operator: str
    target: Word
    folders: Folders
    stands: tuple[str, ...] = ()

    @property
    def written(self) -> str:
        return f"{self.operator} {self.target.written}"

    @property
    def host(self) -> str:
        """The host that bash itself connects to for `/dev/tcp/HOST/PORT`; empty for any other target."""
        found = _CONNECTION.match(self.target.text)
        return found[1] if found else ""

    @property
    def quiet(self) -> bool:
        """It opens nothing: `2>&1` and `>/dev/null`."""
        if self.operator in DUPLICATES:
            return self.target.known is Known.LITERAL and self.target.text.isdigit()
        return self.target.known is Known.LITERAL and self.target.text in NOWHERE


@dataclass(frozen=True, slots=True)
class Assigned:
    text: str
    name: str
    value: Word
    reach: Reach = "shell"


@dataclass(frozen=True, slots=True)
class Command:
    """One simple command as it stands in the text."""

    text: str
    words: tuple[Word, ...]
    folders: Folders
    """Where it may run."""
    bare: bool = True
    """Nothing but words: no assignment before it, no redirection."""
    input: str | None = None
    """What a here-document or here-string feeds it."""
    shows: str = ""
    """What that holds of the environment, as written."""
    stands: tuple[str, ...] = ()
    """Where it stands, from the outside in."""
    redirects: tuple[Redirect, ...] = ()
    assigned: tuple[Assigned, ...] = ()
    """The assignments before it."""
    feeders: tuple[Command, ...] = ()
    """All commands before it in its pipe; none where one of them is not a simple one."""

    @property
    def simple(self) -> SimpleCommand:
        """The same in the words of the contract."""
        known: list[str] = []
        for word in self.words:
            if word.value is None:
                break
            known.append(word.value)
        literal = self.bare and all(word.known is Known.LITERAL for word in self.words)
        return SimpleCommand(self.text, tuple(known), literal)


@dataclass(frozen=True, slots=True)
class Script:
    """All that is in one text."""

    commands: tuple[Command, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    """Of groups, loops and conditions; those of a simple command are its own."""
    assigned: tuple[Assigned, ...] = ()
    """Every variable that is set, for one command or for what follows."""
    problem: str = ""
    """Why not all of it may be known, as a clause."""
    unjudged: str = ""
    """Why it is not judged part by part although every command in it was found, as a clause."""
    shows: tuple[str, ...] = ()
    """What here-documents of loops and groups hold of the environment, as written."""
    functions: frozenset[str] = frozenset()
    """The names that it gives to functions."""
    moving: frozenset[str] = frozenset()
    """Those of functions that may change folder."""
    single: bool = False
    """Nothing but one simple command."""
    stays: bool = False
    """The shell never leaves the folder in which it starts."""

    @property
    def all_redirects(self) -> tuple[Redirect, ...]:
        return (*self.redirects, *(redirect for command in self.commands for redirect in command.redirects))

"""The files that a pipe of PowerShell feeds to a cmdlet: not their names, but what opens them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import replace

from handrail.policy.shell.meaning import READ
from handrail.policy.shell.operand import Operand, operands_at
from handrail.policy.shell.powershell.binding import bind
from handrail.policy.shell.powershell.calls import Call
from handrail.policy.shell.powershell.cmdlets import Cmdlet, cmdlets
from handrail.policy.shell.powershell.paths import fixed_part, last_part
from handrail.policy.shell.words import Word

_PLAIN_PATTERN = re.compile(r"[\w.*?-]+")
"""Means the same to PowerShell as to those who look for what it fits."""


def tree_of(operand: Operand, filters: tuple[str, ...] = ()) -> Operand:
    """All that may be read below a path, or below the folder of a pattern; in files that fit one of the filters."""
    path, only = operand.path, filters
    if operand.glob:
        path, last = fixed_part(operand.path), last_part(operand.path)
        only = (last,) if posixpath.join(path, last) == operand.path else ()  # else a folder may be a link
    return replace(operand, path=path, scope="tree", names_only=False, glob=False, follows=True, only=only, plain=False)


def fed(cmdlet: Cmdlet, call: Call, home: str) -> Iterator[Operand]:
    """The files that the cmdlets before it find, where it would read them or look at them."""
    lister = _lister(call, home)
    if lister is None or lister.cmdlet is None or not cmdlet.takes_paths:
        return
    read = bind(lister.cmdlet, lister.arguments, home)
    filters = tuple(g.value.text for g in read.given if g.name in cmdlets().listed("filters") and g.value is not None)
    filters = filters if all(map(_PLAIN_PATTERN.fullmatch, filters)) else ()
    for word in read.operands or (Word("."),):
        for operand in operands_at(word, lister.command.folders, READ):
            if cmdlet.usage.operands == "names":
                yield replace(operand, names_only=True, plain=False)
            else:
                yield tree_of(operand, filters)


def is_fed_anything(cmdlet: Cmdlet, call: Call, home: str) -> str:
    """Why it is not known which files it is fed, as a clause; empty for a cmdlet that takes none, or knows them."""
    if not call.feeders or not cmdlet.takes_paths or _lister(call, home) is not None:
        return ""
    source = _source(call, home)
    given_texts = source is not None and source.cmdlet is not None and source.cmdlet.name in cmdlets().listed("texts")
    return "" if given_texts and cmdlet.name in cmdlets().listed("searches") else "which files it is fed is not known"


def _lister(call: Call, home: str) -> Call | None:
    """The cmdlet that finds the files; None where something else feeds it, or only names."""
    source = _source(call, home)
    if source is None or source.cmdlet is None or source.cmdlet.name not in cmdlets().listed("lists"):
        return None
    flags = bind(source.cmdlet, source.arguments, home).flags
    return source if flags.isdisjoint(cmdlets().listed("listing_names")) else None


def _source(call: Call, home: str) -> Call | None:
    """The last cmdlet before it in the pipe that does not only give on what it is given."""
    return next((feeder for feeder in reversed(call.feeders) if not _gives_on(feeder, home)), None)


def _gives_on(call: Call, home: str) -> bool:
    cmdlet = call.cmdlet
    if cmdlet is None or cmdlet.name not in cmdlets().listed("passes"):
        return False
    read = bind(cmdlet, call.arguments, home)
    return cmdlet.name != "Select-Object" or (read.flags.issubset(cmdlets().listed("choosing")) and not read.operands)

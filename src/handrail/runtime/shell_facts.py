"""Facts about a shell command: what its text says, with every path in it looked up. Blocks; runs in a worker thread."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from handrail.contract.effects import Dialect, Effects, PathEffect
from handrail.policy.facts import PathFact, ShellFacts, ShellPart
from handrail.policy.places import Zone, within
from handrail.policy.shell.removal import Target, ruin
from handrail.policy.wording import shortened
from handrail.runtime import looking
from handrail.runtime.repository import running_settings
from handrail.runtime.surveyor import Surveyor, Use

if TYPE_CHECKING:
    from handrail.policy.shell.operand import Operand
    from handrail.policy.shell.parts import Part
    from handrail.policy.shell.reading import ShellReading

_NOT_PLAIN = re.compile(r"\A-|[\s*?\[\\'\"]")
"""Of a name that stands bare for a pattern: it would be an option, several words, or another pattern."""


def shell_facts(
    text: str, dialect: Dialect, folder: str, surveyor: Surveyor, claimed: Effects
) -> tuple[ShellFacts, list[PathFact], Effects]:
    """The facts, the paths that the command names, and the effects of the whole call.

    `folder` is where the shell starts; `claimed` is what the call does beside running the command. A command that
    may leave the session's shell in another folder is in order with all others, though it only reads.
    """
    reading = _read(dialect, text, folder, surveyor.home)
    lookup = _Lookup(surveyor)
    parts = tuple(lookup.part(part, alone=len(reading.parts) == 1) for part in reading.parts)
    paths = list(dict.fromkeys(path for operand in reading.operands for path in lookup.paths(operand)))
    found = (ruin(target, _removed(target), surveyor.places) for target in reading.removals)
    shell = ShellFacts(
        text=text,
        commands=reading.commands,
        parts=parts,
        opaque=reading.opaque,
        unread=next((shortened(part.text or part.unread) for part in parts if not part.only_reads), ""),
        unnamed=reading.unnamed,
        removals=tuple(removal for removal in found if removal is not None),
        answers_itself=reading.answers_itself,
        unjudged=reading.unjudged,
        folder=folder,
    )
    connects = claimed.connects.union(*(part.connects for part in parts))
    if not shell.read_only or not (reading.stays or dialect == "powershell"):
        return shell, paths, replace(Effects.unknown(), runs=reading.runs, connects=connects)
    root = PathEffect(Path(surveyor.root), Path(surveyor.places.root[-1]), "tree", spares_secrets=True)
    here = PathEffect(Path(folder), Path(looking.real(folder) or folder), "tree", spares_secrets=True)
    reads = frozenset((root, here, *(path.effect for path in paths)))
    bounded = replace(claimed, reads=claimed.reads | reads, runs=reading.runs, connects=connects, certainty="bounded")
    return shell, paths, bounded


def _read(dialect: Dialect, text: str, folder: str, home: str) -> ShellReading:
    # The parser is loaded with the first command: sessions without one start without it.
    from handrail.policy.shell import reading

    match dialect:
        case "bash":
            return reading.read_shell(text, folder, home)
        case "powershell":
            return reading.read_powershell(text, folder, home)
        case "input":
            return reading.read_input(text, folder, home)


class _Lookup:
    """Looks every path up once."""

    def __init__(self, surveyor: Surveyor) -> None:
        self._surveyor = surveyor
        self._paths: dict[Operand, tuple[PathFact, ...]] = {}
        self._settings: dict[str, str] = {}

    def part(self, part: Part, *, alone: bool) -> ShellPart:
        """A part with what was found of its paths and of the repositories that it runs in.

        A link that it puts in another place, other parts would follow there: unless it is `alone`, it is no plain edit.
        """
        links = part.edits and not alone and any(o.whole and looking.holds_links(o.path) for o in part.operands)
        return ShellPart(
            text=part.text,
            words=part.inside if part.entered and self._are_inside(part.entered) else part.words,
            unread=part.unread or next(self._surprises(part), ""),
            opaque=part.opaque,
            paths=tuple(dict.fromkeys(path for operand in part.operands for path in self.paths(operand))),
            redirected=tuple(dict.fromkeys(path for operand in part.redirected for path in self.paths(operand))),
            connects=part.hosts,
            stands=part.stands,
            edits=part.edits and not links,
        )

    def paths(self, operand: Operand) -> tuple[PathFact, ...]:
        if operand not in self._paths:
            self._paths[operand] = tuple(self._look_up(operand))
        return self._paths[operand]

    def _are_inside(self, folders: tuple[Operand, ...]) -> bool:
        return all(path.zone is Zone.WORKSPACE for folder in folders for path in self.paths(folder))

    def _look_up(self, operand: Operand) -> Iterator[PathFact]:
        for path, scope in _written_out(operand.path) if operand.glob else ((operand.path, operand.scope),):
            use = Use(
                operand.access,
                scope,
                spares_secrets=operand.names_only,
                whole_tree=operand.whole,
                follows=operand.follows,
                only=operand.only,
                holding=operand.holding,
            )
            fact = self._surveyor.path(Path(path), use)
            if operand.names_only or not looking.is_folder(fact.resolved):
                yield fact
            else:
                yield replace(fact, folder=True, state=fact.state or (operand.certain and self._holds_state(fact)))

    def _holds_state(self, fact: PathFact) -> bool:
        """True for a folder that holds the state. Of those that hold home or the workspace too, less may be meant."""
        places = self._surveyor.places
        kept = (*places.home, *places.folders)
        return any(places.holds_state(s) for s in fact.spellings) and not any(
            within(folder, spelling) for folder in kept for spelling in fact.spellings
        )

    def _surprises(self, part: Part) -> Iterator[str]:
        """Why a part does more than its text says, as clauses."""
        for operand in part.operands:
            if operand.plain and operand.glob and not _is_plain(operand.path):
                yield f"{shortened(operand.path)} comes to names that may be taken for options"
            if operand.plain and not operand.glob and looking.holds_odd_names(operand.path):
                yield f"{shortened(operand.path)} may hold names that are taken for several"
        for folder in part.repositories:
            if folder not in self._settings:
                self._settings[folder] = running_settings(folder)
            if self._settings[folder]:
                yield self._settings[folder]


def _is_plain(pattern: str) -> bool:
    """True when it comes to names that stay what they are; a name that starts with a folder is no option."""
    found = looking.matches(pattern)
    start = len(looking.fixed_part(pattern).rstrip("/")) + 1
    return found is not None and not any(_NOT_PLAIN.search(path[start:]) for path in found)


def _removed(target: Target) -> str:
    """What would be gone, links on the way followed."""
    real = looking.real_but_for_the_last if target.keeps_link else looking.real
    return real(target.path) or target.path


def _written_out(pattern: str) -> Iterator[tuple[str, Literal["file", "tree"]]]:
    """The folder that a pattern looks into, and what it stands for there; the whole tree where that is too much."""
    folder, found = looking.fixed_part(pattern), looking.matches(pattern)
    yield folder, "file" if found is not None else "tree"
    for path in found or ():
        yield path, "file"

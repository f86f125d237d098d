"""Facts about a shell command: what its text says, with every path in it looked up. Blocks; runs in a worker thread."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

from handrail.contract.effects import Effects, PathEffect
from handrail.policy.facts import PathFact, ShellFacts
from handrail.policy.shell.removal import Target, ruin
from handrail.runtime import looking
from handrail.runtime.repository import running_settings
from handrail.runtime.surveyor import Surveyor


def shell_facts(text: str, surveyor: Surveyor, claimed: Effects) -> tuple[ShellFacts, list[PathFact], Effects]:
    """The facts, the paths that the command names, and the effects of the whole call.

    `claimed` is what the call does beside running the command.
    """
    # The parser is loaded with the first command: sessions without one start without it.
    from handrail.policy.shell.reading import Operand, read_shell

    reading = read_shell(text, surveyor.root, surveyor.home)

    def looked_up(operand: Operand) -> Iterator[PathFact]:
        spares, whole = operand.names_only, reading.edits and operand.scope == "tree"
        for path, scope in _written_out(operand.path) if operand.glob else ((operand.path, operand.scope),):
            fact = surveyor.path(
                Path(path), operand.access, scope, spares_secrets=spares, whole_tree=whole, follows=operand.follows
            )
            below = not operand.names_only and looking.is_folder(fact.resolved)
            yield replace(fact, folder=True) if below else fact

    paths = list(dict.fromkeys(path for operand in reading.operands for path in looked_up(operand)))
    found = (ruin(target, _removed(target), surveyor.places) for target in reading.removals)
    unread = reading.unread
    if reading.settings_of and not unread:
        settings = running_settings(surveyor.root)
        unread = f"{reading.settings_of}: {settings}" if settings else ""
    shell = ShellFacts(
        text=text,
        commands=reading.commands,
        opaque=reading.opaque,
        unread=unread,
        single=reading.single,
        edits=reading.edits,
        unnamed=reading.unnamed,
        removals=tuple(removal for removal in found if removal is not None),
        answers_itself=reading.answers_itself,
        unjudged=reading.unjudged,
    )
    if not shell.read_only:
        return shell, paths, replace(Effects.unknown(), runs=reading.runs)
    root = PathEffect(Path(surveyor.root), Path(surveyor.places.root[-1]), "tree", spares_secrets=True)
    reads = frozenset((root, *(path.effect for path in paths)))
    bounded = replace(claimed, reads=claimed.reads | reads, runs=reading.runs, certainty="bounded")
    return shell, paths, bounded


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

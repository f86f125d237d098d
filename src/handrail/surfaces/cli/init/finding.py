"""What kind of project lies in a folder, as far as its commands tell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from handrail.contract.values import value
from handrail.surfaces.cli.init.marks import has_mark, script_names, target_names
from handrail.surfaces.cli.init.tables import Manager, Role, Tables


@value
class FoundCommands:
    """Commands for one purpose."""

    role: Role
    name: str
    """Of the tool, or the file that names them."""
    patterns: tuple[str, ...]
    """As in rules."""


@value
class Project:
    """What was found; nothing in a folder that shows no mark."""

    found: tuple[FoundCommands, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What was found, for people: each name once."""
        return tuple(dict.fromkeys(each.name for each in self.found))

    def of(self, role: Role) -> tuple[FoundCommands, ...]:
        return tuple(each for each in self.found if each.role == role)


def look(root: Path, known: Tables) -> Project:
    """Blocks: it reads some small files."""
    managers = tuple(_managers(root, known))
    return Project((*_tools(root, known, managers), *_scripts(root, known, managers), *_installs(managers)))


def _managers(root: Path, known: Tables) -> Iterator[Manager]:
    there = [manager for manager in known.manager if any(has_mark(root, mark) for mark in manager.marks)]
    taken = {manager.language for manager in there if manager.install and not manager.otherwise}
    yield from (manager for manager in there if not manager.otherwise or manager.language not in taken)


def _tools(root: Path, known: Tables, managers: Sequence[Manager]) -> Iterator[FoundCommands]:
    for tool in known.tool:
        if any(has_mark(root, mark) for mark in tool.marks):
            prefixes = ["", *(m.prefix for m in managers if m.language == tool.language and m.prefix)]
            patterns = [prefix + command for prefix in prefixes for command in tool.commands]
            yield FoundCommands(tool.role, tool.name, tuple(patterns))


def _scripts(root: Path, known: Tables, managers: Sequence[Manager]) -> Iterator[FoundCommands]:
    for scripts in known.scripts:
        running = [manager for manager in managers if manager.language == scripts.language]
        for file in scripts.files:
            names = (script_names if scripts.reads == "scripts" else target_names)(root, file)
            for role, usual in known.script_roles.items():
                ours = [name for name in names if name in usual]
                patterns = [form.format(name=name) for name in ours for form in _forms(name, scripts.commands, running)]
                if patterns:
                    yield FoundCommands(role, file, tuple(patterns))


def _forms(name: str, commands: Sequence[str], managers: Iterable[Manager]) -> Iterator[str]:
    yield from commands
    for manager in managers:
        if name == "test":
            yield from (f"{command} *" for command in manager.test)
        else:
            yield from manager.script


def _installs(managers: Sequence[Manager]) -> Iterator[FoundCommands]:
    yield from (FoundCommands("install", manager.name, manager.install) for manager in managers if manager.install)

"""Finds the kinds of agents of all layers: what may be used, what waits for trust, what is wrong."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import field
from pathlib import Path

from handrail.contract.values import mutable, value
from handrail.settings.agents.agent_type import AgentType
from handrail.settings.agents.reading import ReadAgent, read_agent
from handrail.settings.opening import Opener, Place
from handrail.settings.origin import Layer, Origin
from handrail.settings.places import WORKSPACE_FOLDER, Folders
from handrail.settings.reading import Unreadable
from handrail.settings.trust import TrustKey, TrustKind
from handrail.settings.waiting import Waiting

MOST_AGENTS = 200
"""In one folder."""

OURS = "agents"
THEIRS = ".claude/agents"
"""In the home folder and in a workspace: Claude Code's."""


@value
class FoundAgents:
    """What the folders of all layers hold."""

    usable: tuple[AgentType, ...] = ()
    """By name."""
    waiting: tuple[Waiting, ...] = ()
    trusted: frozenset[TrustKey] = frozenset()
    """What lies in the workspace and a person said yes to, as it is now."""
    problems: tuple[str, ...] = ()
    """For people, a line each."""


def find_agents(opener: Opener, folders: Folders, home: Path | None) -> FoundAgents:
    """Blocks. Never raises: what is wrong with an agent leaves it out, and is told."""
    search = _Search(opener)
    for place in agent_places(opener.workspace, folders, home):
        for file in search.files_in(place):
            search.look_at(file)
    usable = sorted(search.usable.values(), key=lambda kind: kind.name)
    return FoundAgents(tuple(usable), tuple(search.waiting), frozenset(search.trusted), tuple(search.problems))


def agent_places(workspace: Path, folders: Folders, home: Path | None) -> Iterator[Place]:
    """From what wins to what yields: what came with a workspace never takes the name of what the person has."""
    for layer, folder in ((Layer.SYSTEM, folders.system), (Layer.USER, folders.user)):
        yield Place(folder / OURS, Origin(layer, str(folder / OURS)))
    if home is not None:
        yield Place(home / THEIRS, Origin(Layer.USER, f"~/{THEIRS}"))
    for name in (f"{WORKSPACE_FOLDER}/{OURS}", THEIRS):
        yield Place(workspace / name, Origin(Layer.PROJECT, name))


@mutable
class _Search:
    opener: Opener
    usable: dict[str, AgentType] = field(default_factory=dict)
    waiting: list[Waiting] = field(default_factory=list)
    trusted: set[TrustKey] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)

    def files_in(self, place: Place) -> Iterator[Place]:
        try:
            names = sorted(name for name in os.listdir(place.path) if name.endswith(".md"))
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            self.problems.append(f"{place.origin}: the agents can't be read: {error.strerror}")
            return
        if len(names) > MOST_AGENTS:
            self.problems.append(f"{place.origin} holds more than {MOST_AGENTS} agents; the rest is left out")
        for name in names[:MOST_AGENTS]:
            yield Place(place.path / name, Origin(place.origin.layer, f"{place.origin.name}/{name}"))

    def look_at(self, place: Place) -> None:
        try:
            opened = self.opener.open(place, TrustKind.AGENT)
        except Unreadable as error:
            self.problems.append(f"{place.origin}: the agent {error}")
            return
        if opened is None:
            return
        read = read_agent(opened.text, place.path.stem)
        if opened.doubt is None:
            if opened.trust is not None:
                self.trusted.add(opened.trust)
            self._use(read, place)
        elif opened.trust is not None:
            self.waiting.append(Waiting(opened.trust, place.origin.name, opened.text, tuple(_would(read))))
        else:
            self.problems.append(f"{opened.why}; until then the agent {place.origin} is left out")

    def _use(self, read: ReadAgent, place: Place) -> None:
        self.problems += [f"{place.origin}: {problem}" for problem in read.problems]
        kind = read.type
        if kind is None:
            self.problems.append(f"{place.origin}: the agent is left out")
        elif kind.name in self.usable:
            self.problems.append(f"{place.origin}: the agent is left out: another one named {kind.name} comes first")
        else:
            self.usable[kind.name] = kind


def _would(read: ReadAgent) -> Iterator[str]:
    """What a yes switches on."""
    kind = read.type
    if kind is None:
        yield f"nothing yet: {'; '.join(read.problems)}"
        return
    tools = "every tool" if kind.reach.only is None else ", ".join(kind.reach.only) or "no tool"
    yield f"the agent {kind.name}, with {tools}: {kind.description}"
    yield from read.problems

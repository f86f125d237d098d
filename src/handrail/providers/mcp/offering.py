"""What the servers of a session offer: a tool of ours for each of theirs, and which of them wait to be searched for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import TYPE_CHECKING

from handrail.policy.wording import shortened
from handrail.providers.mcp.names import tool_names
from handrail.settings.mcp.server import ServerConfig

if TYPE_CHECKING:
    from mcp import types

    from handrail.providers.mcp.definition import Definition
    from handrail.providers.mcp.server import McpServer
    from handrail.providers.mcp.tool import Defined, McpTool

WINDOW = 200_000
"""Tokens of a model's context, where nobody knows how many it has."""
CHARACTERS_PER_TOKEN = 4
SHARE = 10
"""Percent of the context that definitions of servers' tools may take; Claude Code's default too."""


@dataclass(slots=True)
class _Taking:
    """What the tools of one server take of the menu."""

    size: int = 0
    """In characters, without those that are always there."""
    fits: bool = True
    tools: Sequence[McpTool] = field(default_factory=tuple)

    def settle(self, room: int) -> None:
        """They are on the menu, or are searched for."""
        self.fits = self.size <= room
        for tool in self.tools:
            tool.defers_loading = not self.fits and not tool.is_always_loaded


class Offering:
    """Of all servers of one session: they share the room that the menu has for them."""

    def __init__(self, servers: Iterable[str] = (), share: int = SHARE, guests: Iterable[str] = ()) -> None:
        """`servers` are the names of all that may be started, `guests` those of them that came with the workspace:
        they change no name of another's tools, by which its rules know them. `share` is in percent of the context."""
        self._servers = tuple(servers)
        self._hosts = tuple(dict.fromkeys(self._servers).keys() - set(guests))
        self._share = share
        self._room = self._room_in(0)
        self._taken: dict[str, _Taking] = {}
        """By server, whoever came first before the others."""
        self._settling = Lock()
        """Another model may come while another thread lists."""
        self._defined: dict[str, Defined] = {}
        self._read: dict[str, dict[str, tuple[types.Tool, Definition]]] = {}
        """By server, what was read before: most of a list that changed is as it was."""

    def __call__(self, server: McpServer, listed: Sequence[types.Tool]) -> tuple[Sequence[McpTool], Sequence[str]]:
        """The tools for the shelf, and what is wrong with others, a line each. One call at a time, on any thread."""
        # Here, in the thread that loads the SDK: a session's first call needs none of it.
        from handrail.providers.mcp.definition import Unusable
        from handrail.providers.mcp.schemas import digest
        from handrail.providers.mcp.tool import Defined, McpTool

        config, problems = server.config, list[str]()
        read: dict[str, Definition] = {}
        before, self._read[config.name] = self._read.get(config.name, {}), {}
        wanted = [tool for tool in listed if config.wants(tool.name)]
        for name, times in Counter(tool.name for tool in wanted).items():
            if times > 1:
                problems.append(f"{shortened(name)} is listed {times} times; the first is taken.")
        for tool in wanted:
            if tool.name in read:
                continue
            known = before.get(tool.name)
            try:
                said = known[1] if known is not None and known[0] == tool else self._definition(tool, config)
            except Unusable as error:
                problems.append(str(error))
            else:
                read[tool.name] = said
                self._read[config.name][tool.name] = (tool, said)
        problems += (problem for said in read.values() for problem in said.problems)
        whole = digest(*sorted(said.digests for said in read.values()))
        defined = self._defined.setdefault(config.name, Defined())
        defined.now = {name: said.digests for name, said in read.items()}
        tools = [McpTool(server, replace(said, digests=(*said.digests, whole)), defined) for said in read.values()]
        self._take(config.name, sum(said.size for said in read.values() if not said.always_loaded), tools)
        return tools, [*problems, *_unknown(config.include, listed), *_unknown(config.exclude, listed)]

    def _definition(self, tool: types.Tool, config: ServerConfig) -> Definition:
        from handrail.providers.mcp.definition import read_definition
        from handrail.providers.mcp.tool import MOST_BY_ITS_WORD

        others, hosts = (self._servers, self._hosts) if config.of_workspace else (self._hosts, ())
        return read_definition(tool, config, tool_names(config.name, tool.name, others, hosts), MOST_BY_ITS_WORD)

    def fit(self, window: int) -> None:
        """A model answers whose context has so many tokens; 0: nobody knows. From its next menu on it is shown what
        there is room for, and searches for the rest."""
        with self._settling:
            self._room = left = self._room_in(window)
            for taking in self._taken.values():
                taking.settle(left)
                left -= taking.size if taking.fits else 0

    def _room_in(self, window: int) -> int:
        return (window or WINDOW) * CHARACTERS_PER_TOKEN * self._share // 100

    def _take(self, server: str, size: int, tools: Sequence[McpTool]) -> None:
        """Whoever comes first has the room, so that what a model has seen on its menu stays there."""
        with self._settling:
            others = sum(taking.size for name, taking in self._taken.items() if name != server and taking.fits)
            taking = self._taken.setdefault(server, _Taking())
            taking.size, taking.tools = size, tools
            taking.settle(self._room - others)


def _unknown(named: Iterable[str], listed: Sequence[types.Tool]) -> Iterable[str]:
    """Names in the configuration that no tool has: whoever excludes one by a slip of the pen thinks it is out."""
    there = {tool.name for tool in listed}
    return (
        f"The configuration names the tool {shortened(name)}, which it does not have."
        for name in named
        if name not in there
    )

"""What the servers of a session offer: a tool of ours for each of theirs, and which of them wait to be searched for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
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


class Offering:
    """Of all servers of one session: they share the room that the menu has for them."""

    def __init__(
        self, servers: Iterable[str] = (), share: int = SHARE, guests: Iterable[str] = (), window: int = 0
    ) -> None:
        """`servers` are the names of all that may be started, `guests` those of them that came with the workspace:
        they change no name of another's tools, by which its rules know them. `share` is in percent of the context, of
        which `window` says how many tokens it has; 0: not known."""
        self._servers = tuple(servers)
        self._hosts = tuple(dict.fromkeys(self._servers).keys() - set(guests))
        self._room = (window or WINDOW) * CHARACTERS_PER_TOKEN * share // 100
        self._taken: dict[str, int] = {}
        """Characters by server, of those whose tools are on the menu."""
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
        defers = self._defers(config.name, sum(said.size for said in read.values() if not said.always_loaded))
        defined = self._defined.setdefault(config.name, Defined())
        defined.now = {name: said.digests for name, said in read.items()}
        tools = [
            McpTool(
                server,
                replace(said, digests=(*said.digests, whole), defers=defers and not said.always_loaded),
                defined,
            )
            for said in read.values()
        ]
        return tools, [*problems, *_unknown(config.include, listed), *_unknown(config.exclude, listed)]

    def _definition(self, tool: types.Tool, config: ServerConfig) -> Definition:
        from handrail.providers.mcp.definition import read_definition
        from handrail.providers.mcp.tool import MOST_BY_ITS_WORD

        others, hosts = (self._servers, self._hosts) if config.of_workspace else (self._hosts, ())
        return read_definition(tool, config, tool_names(config.name, tool.name, others, hosts), MOST_BY_ITS_WORD)

    def _defers(self, server: str, size: int) -> bool:
        """Whoever comes first has the room, so that what a model has seen on its menu stays there."""
        others = sum(taken for name, taken in self._taken.items() if name != server)
        fits = others + size <= self._room
        self._taken[server] = size if fits else 0
        return not fits


def _unknown(named: Iterable[str], listed: Sequence[types.Tool]) -> Iterable[str]:
    """Names in the configuration that no tool has: whoever excludes one by a slip of the pen thinks it is out."""
    there = {tool.name for tool in listed}
    return (
        f"The configuration names the tool {shortened(name)}, which it does not have."
        for name in named
        if name not in there
    )

"""Rules that name all tools of a server by how their names begin: `mcp_gh_*`, `mcp__gh__*`. Pure.

Both a server and its tools may have underscores in their names, so the text alone does not tell where one ends: the
server's own name does. `mcp_git_*` is the server `git`, and not `git_hub`.
"""

from __future__ import annotations

import re
from functools import lru_cache

_UNFIT = re.compile(r"[^A-Za-z0-9_-]")
_GLOBBING = re.compile(r"[*?\[]")
_FORMS = (("mcp__", "__"), ("mcp_", "_"))
"""How names begin, and what parts a server's from its tool's."""


def fit(text: str) -> str:
    """A name of a server or a tool as a part of a name that every provider takes."""
    return _UNFIT.sub("_", text)


def bare(server: str) -> str:
    """A server's name behind `mcp_`, which is not said twice."""
    return server.removeprefix("mcp_") or server


def all_of_server(server: str) -> str:
    """The name by which rules and grants know every tool of a server, as Claude Code's rules do."""
    return f"mcp__{server}"


def names_from(name: str, server: str) -> tuple[str, ...]:
    """The names by which rules may know a server's tool, of which one name is known: in any form, or the tool's own.

    A name that begins as another server's stands for itself alone.
    """
    tool = _tool_in(name, server)
    if tool == name and name.startswith("mcp_"):
        return (all_of_server(server),)
    spelled = (f"{opening}{name}{between}{tool}" for opening, between in _FORMS for name in (server, bare(server)))
    return (*dict.fromkeys(spelled), all_of_server(server))


def begins_as(name: str, server: str) -> bool:
    """Whether a name begins as those of a server's tools do."""
    return _tool_in(name, server) != name


def _tool_in(name: str, server: str) -> str:
    for opening, between in _FORMS:
        for known in (server, fit(server), bare(server)):
            if name.startswith(beginning := f"{opening}{known}{between}"):
                return name.removeprefix(beginning)
    return name


@lru_cache(maxsize=4096)
def speaks_of_another(glob: str, server: str) -> bool:
    """Whether a glob that fits a tool's name names another server than the tool's.

    A glob names a server where all before its first wildcard is whole names: `mcp_gi*` names none, and fits by its
    letters.
    """
    start = _GLOBBING.split(glob, maxsplit=1)[0]
    for opening, between in _FORMS:
        if start.startswith(opening):
            if start == opening or not start.endswith(between):
                return False
            known = {name for each in (server, bare(server)) for name in (each, fit(each))}
            return not any(start.startswith(f"{opening}{name}{between}") for name in known)
    return False

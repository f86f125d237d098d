"""What is found of configured servers, and whether there is anything to look for: most workspaces have none."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from handrail.contract.values import value
from handrail.settings.trust import TrustKey
from handrail.settings.waiting import Waiting

if TYPE_CHECKING:
    from handrail.settings.config_files import ConfigFile
    from handrail.settings.mcp.server import ServerConfig

IN_HOME = (".claude.json", ".claude/settings.json", ".gemini/settings.json")
IN_WORKSPACE = (".mcp.json", ".claude/settings.json", ".claude/settings.local.json", ".gemini/settings.json")
"""Other agents' files that may name servers, from what wins to what yields."""


@value
class FoundServers:
    """What the files of all layers configure."""

    usable: tuple[ServerConfig, ...] = ()
    """In the order in which their tools are on the menu; those that are off among them."""
    untrusted: tuple[ServerConfig, ...] = ()
    """They came with the workspace, and nobody said yes to them: they are not started."""
    waiting: tuple[Waiting, ...] = ()
    trusted: frozenset[TrustKey] = frozenset()
    """What lies in the workspace and a person said yes to, as it is now."""
    files: tuple[Path, ...] = ()
    """The person's own files that name servers: whoever writes there decides what is started."""
    problems: tuple[str, ...] = ()
    """For people, a line each."""


def may_name_servers(configs: Iterable[ConfigFile], workspace: Path, home: Path | None) -> bool:
    """False where no file says anything of servers."""
    if any(config.opened is not None and "mcp" in config.opened.text for config in configs):
        return True
    places = [workspace / name for name in IN_WORKSPACE]
    places += [] if home is None else [home / name for name in IN_HOME]
    return any(map(os.path.lexists, places))

"""For `handrail tools`: the tools that come from files, packages, servers and commands, as far as they may be asked.

Files and packages are loaded. Servers and commands are programs, and are started only where the person says so.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

from handrail.catalog import Registry
from handrail.contract.context import Workspace
from handrail.contract.provider import Provider, Quick, SourceStatus
from handrail.providers.configured import configured_providers
from handrail.runtime.bus import Bus
from handrail.runtime.shelves import Shelves
from handrail.sandbox.none import PlainLauncher
from handrail.settings.keys import ADD_DIRS
from handrail.settings.load import Settings
from handrail.settings.places import folders


def with_tools_elsewhere(
    registry: Registry,
    settings: Settings,
    show: Callable[[tuple[SourceStatus, ...], tuple[str, ...]], None],
    *,
    start: bool,
) -> None:
    """Calls `show` while the tools are in the registry, with how it stands and the names of those not asked."""
    workspace = Workspace(settings.workspace, settings[ADD_DIRS])
    providers = configured_providers(settings, workspace, PlainLauncher(), folders(os.environ).state)
    asked = [provider for provider in providers if start or isinstance(provider, Quick)]
    left = tuple(provider.name for provider in providers if provider not in asked)
    asyncio.run(_shown(Shelves(registry, Bus()), asked, lambda sources: show(sources, left)))


async def _shown(shelves: Shelves, providers: list[Provider], show: Callable[[tuple[SourceStatus, ...]], None]) -> None:
    async with shelves.filled(providers):
        await shelves.started()
        show(shelves.sources())

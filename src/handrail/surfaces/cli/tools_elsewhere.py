"""The tools of files, packages, servers and commands, for a command that only looks at them.

Files and packages are loaded. Servers and commands are programs, and are started only where the person says so.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from handrail.catalog import Registry
from handrail.contract.context import Workspace
from handrail.contract.provider import Condition, Provider, Quick, SourceStatus
from handrail.providers.configured import configured_providers
from handrail.runtime.bus import Bus
from handrail.runtime.shelves import Shelves
from handrail.sandbox.none import PlainLauncher
from handrail.settings.keys import ADD_DIRS
from handrail.settings.load import Settings
from handrail.settings.places import folders
from handrail.surfaces.cli import exits
from handrail.surfaces.cli.text import printable


def with_tools_elsewhere(
    registry: Registry,
    settings: Settings,
    show: Callable[[tuple[SourceStatus, ...], tuple[str, ...]], None],
    *,
    start: bool,
) -> None:
    """Calls `show` while the tools are in the registry, with how it stands and the names of those not asked."""
    asked, left = _providers(settings, start=start)
    asyncio.run(_shown(registry, asked, lambda sources: show(sources, left)))


@asynccontextmanager
async def files_loaded(registry: Registry, settings: Settings) -> AsyncIterator[tuple[SourceStatus, ...]]:
    """Within it, the tools of trusted files and packages are in the registry; gives how it stands with each source."""
    asked, _ = _providers(settings, start=False)
    async with _filled(registry, asked) as sources:
        yield sources


async def _shown(
    registry: Registry, providers: Sequence[Provider], show: Callable[[tuple[SourceStatus, ...]], None]
) -> None:
    async with _filled(registry, providers) as sources:
        show(sources)


@asynccontextmanager
async def _filled(registry: Registry, providers: Sequence[Provider]) -> AsyncIterator[tuple[SourceStatus, ...]]:
    shelves = Shelves(registry, Bus())
    async with shelves.filled(providers):
        if starting := [source.name for source in shelves.sources() if source.condition is Condition.STARTING]:
            exits.told(printable(f"waiting for {', '.join(starting)} to start"))
        await shelves.started()
        yield shelves.sources()


def _providers(settings: Settings, *, start: bool) -> tuple[tuple[Provider, ...], tuple[str, ...]]:
    """Those to be asked, and the names of the others."""
    workspace = Workspace(settings.workspace, settings[ADD_DIRS])
    providers = configured_providers(settings, workspace, PlainLauncher(), folders(os.environ).state)
    asked = tuple(provider for provider in providers if start or isinstance(provider, Quick))
    return asked, tuple(provider.name for provider in providers if provider not in asked)

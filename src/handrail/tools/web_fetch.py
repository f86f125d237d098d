"""Fetch from the web: pages, text, documents, images."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from pydantic import Field

from handrail.contract.confirmation import InfoConfirmation
from handrail.contract.context import FileReader, Workspace
from handrail.contract.effects import OPEN_WORLD, Claims
from handrail.contract.launching import Launcher
from handrail.contract.results import FollowUp, ToolResult
from handrail.contract.spill import Spill
from handrail.contract.tool import Kind, Tool
from handrail.tools.descriptions import description_of
from handrail.tools.parameters import Parameters

if TYPE_CHECKING:  # what it takes to fetch is loaded by the first fetch
    from ssl import SSLContext

    from handrail.tools.web.address import Address
    from handrail.tools.web.network import PublicInternet, Resolve
    from handrail.tools.web.reach import Endpoint, Reach

MOST_ADDRESSES = 10
MOST_CHARACTERS = 60_000
"""Of one result: about what 15,000 tokens hold."""


class Params(Parameters):
    url: str = Field(
        min_length=1,
        description="The address, beginning with http:// or https://. Several are separated by blanks.",
    )


class WebFetch(Tool[Params]):
    name = "web_fetch"
    title = "Fetch from the web"
    kind = Kind.FETCH
    description = description_of("web_fetch")
    output_is_markdown = True
    max_result_chars = MOST_CHARACTERS + 10_000

    def __init__(
        self,
        resolve: Resolve | None = None,
        allowed: Iterable[Endpoint] = (),
        tls: SSLContext | None = None,
    ) -> None:
        """All three are for tests and never come from settings: who knows the addresses of names, what may be
        reached beside the public internet, and whose certificates are believed."""
        self._resolve = resolve
        self._allowed = frozenset(allowed)
        self._tls = tls

    async def check(self, params: Params, workspace: Workspace) -> str | None:
        """Says what can be said without looking a name up: nobody has allowed that yet."""
        addresses, wrong = _addresses(params)
        if not addresses:
            return "\n".join(wrong) or "url holds no address. Begin it with https:// (or http://)."
        if len(addresses) > MOST_ADDRESSES:
            return f"url holds {len(addresses)} addresses; at most {MOST_ADDRESSES} are fetched in one call."
        refusals = [why for each in addresses if (why := self._reach().why_not(each.host, each.port)) is not None]
        return "\n".join(refusals) if len(refusals) == len(addresses) else None

    def effects(self, params: Params) -> Claims:
        addresses, _ = _addresses(params)
        return Claims(connects=frozenset(address.host for address in addresses) or frozenset({OPEN_WORLD}))

    def describe(self, params: Params) -> str:
        addresses, _ = _addresses(params)
        return f"Fetch {', '.join(map(_for_people, addresses)) or params.url}"

    async def confirmation(self, params: Params, files: FileReader, workspace: Workspace) -> InfoConfirmation:
        addresses, _ = _addresses(params)
        described = self.describe(params)
        return InfoConfirmation(described, described, tuple(map(str, addresses)))

    async def run(self, params: Params, launcher: Launcher, workspace: Workspace, spill: Spill) -> ToolResult:
        import asyncio  # as long to load as all the tools together, and whoever only lists them needs none of it
        from importlib import import_module

        await asyncio.to_thread(import_module, "handrail.tools.web.fetching")
        from handrail.tools.web.fetching import Fetcher, Showing
        from handrail.tools.web.following import Elsewhere
        from handrail.tools.web.untrusted import Marks

        addresses, wrong = _addresses(params)
        fetcher = Fetcher(self._internet, launcher, workspace)
        if len(addresses) == 1 and not wrong:
            outcome = await fetcher.get(addresses[0])
            if isinstance(outcome, Elsewhere):
                return ToolResult((), follow_up=FollowUp(self.name, {"url": str(outcome.to)}))
            return await Showing(spill, Marks.drawn(), MOST_CHARACTERS).one(outcome)
        outcomes = await fetcher.get_all(addresses)
        return await Showing(spill, Marks.drawn(), MOST_CHARACTERS).several(outcomes, wrong)

    def _reach(self) -> Reach:
        from handrail.tools.web.reach import Reach

        return Reach(self._allowed)

    @cached_property
    def _internet(self) -> PublicInternet:
        """Kept for the certificates that it has read: the system's take a tenth of a second."""
        from handrail.tools.web.network import PublicInternet, resolve_by_system

        return PublicInternet(self._reach(), self._resolve or resolve_by_system, self._tls)


def _addresses(params: Params) -> tuple[list[Address], list[str]]:
    from handrail.tools.web.address import addresses_in

    return addresses_in(params.url)


def _for_people(address: Address) -> str:
    return str(address) if address.has_usual_port else f"{address} (port {address.port}, which is unusual)"

"""Search the web, by the service that the person has configured."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydantic import Field

from handrail.contract.basics import JsonObject
from handrail.contract.confirmation import InfoConfirmation
from handrail.contract.context import Environment, FileReader, Workspace
from handrail.contract.effects import OPEN_WORLD, Claims
from handrail.contract.results import TextDisplay, ToolResult
from handrail.contract.tool import Kind, Tool
from handrail.errors import ToolFailed
from handrail.tools.descriptions import description_of
from handrail.tools.parameters import Parameters
from handrail.tools.text.counting import counted

if TYPE_CHECKING:  # what it takes to search is loaded by the first search
    from handrail.tools.web.searching.provider import Found, Query, SearchProvider

MOST_RESULTS = 10
NOT_CONFIGURED = "No search service is configured. Tell the user, or fetch an address that you know."


class Params(Parameters):
    query: str = Field(min_length=2, max_length=1_000, description="The words to search for.")
    allowed_domains: list[str] = Field(default=[], max_length=20, description="Only results from these hosts.")
    blocked_domains: list[str] = Field(default=[], max_length=20, description="No results from these hosts.")


class WebSearch(Tool[Params]):
    name = "web_search"
    title = "Search the web"
    kind = Kind.FETCH
    description = description_of("web_search")

    def __init__(self, provider: SearchProvider | None = None) -> None:
        """None: the one that the environment says."""
        self._given = provider

    def enabled(self, environment: Environment) -> bool:
        from handrail.tools.web.searching.configured import is_configured

        return self._given is not None or is_configured(os.environ)

    async def check(self, params: Params, workspace: Workspace) -> str | None:
        if params.allowed_domains and params.blocked_domains:
            return "allowed_domains and blocked_domains were both given. Give one of them, or none."
        if OPEN_WORLD in (query := _query(params)).allowed + query.blocked:
            return "A domain names no host: write it as 'docs.example.org'."
        if self._provider() is None:
            return NOT_CONFIGURED
        return None

    def effects(self, params: Params) -> Claims:
        provider = self._provider()
        return Claims(connects=frozenset({OPEN_WORLD if provider is None else provider.host}))

    def describe(self, params: Params) -> str:
        provider = self._provider()
        return f"Search{f' {provider.name}' if provider else ''} for {params.query}"

    async def confirmation(self, params: Params, files: FileReader, workspace: Workspace) -> InfoConfirmation:
        query = _query(params)
        return InfoConfirmation(self.describe(params), f"The words that are sent: {query.with_operators}")

    async def run(self, params: Params) -> ToolResult:
        provider, query = self._provider(), _query(params)
        if provider is None:
            raise ToolFailed(NOT_CONFIGURED)
        return _result(provider, query, await provider.search(query))

    def _provider(self) -> SearchProvider | None:
        from handrail.tools.web.searching.configured import configured

        return self._given or configured(os.environ)


def _query(params: Params) -> Query:
    from handrail.tools.web.searching.provider import Query, hosts_of

    words = " ".join(params.query.split())
    return Query(words, hosts_of(params.allowed_domains), hosts_of(params.blocked_domains), MOST_RESULTS)


def _result(provider: SearchProvider, query: Query, found: Sequence[Found]) -> ToolResult:
    from handrail.tools.web.untrusted import Marks

    data: JsonObject = {
        "query": query.text,
        "provider": provider.name,
        "results": [{"title": each.title, "url": each.url} for each in found],
    }
    if not found:
        where = f" at {', '.join(query.allowed)}" if query.allowed else ""
        return ToolResult.of_text(f"{provider.name} found nothing{where}. Search in other words.", data=data)
    marks = Marks.drawn()
    listed = "\n\n".join(f"{number}. {_row(each)}" for number, each in enumerate(found, 1))
    display = TextDisplay(f"{counted(len(found), 'result')} from {provider.name}")
    return ToolResult.of_text(f"{marks.warning}\n{marks.around(listed, provider.name)}", display=display, data=data)


def _row(found: Found) -> str:
    return "\n   ".join(filter(None, (found.title, found.url, found.snippet)))

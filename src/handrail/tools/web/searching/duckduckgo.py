"""DuckDuckGo's page for browsers without scripts, read by the package ddgs: for who has no account anywhere.

The page is made for people. It may change, or refuse to answer, at any time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from handrail.errors import ToolFailed
from handrail.tools.web.searching.provider import Found, Query, wanted

_SECONDS = 10


class DuckDuckGo:
    """Blocks a thread while it searches; the package knows no other way."""

    name = "DuckDuckGo"
    host = "html.duckduckgo.com"

    async def search(self, query: Query) -> Sequence[Found]:
        return await asyncio.to_thread(_search, query)


def _search(query: Query) -> Sequence[Found]:
    from ddgs import DDGS
    from ddgs.exceptions import DDGSException

    try:
        results = DDGS(timeout=_SECONDS).text(query.with_operators, max_results=query.most, backend="duckduckgo")
    except DDGSException as error:  # the package says the same of no results and of no answer
        raise ToolFailed(
            "DuckDuckGo gave no results: there are none, or it does not answer programs now. Search in other words, "
            "try later, or tell the user that a search service can be configured."
        ) from error
    return wanted(
        ((str(row.get("title", "")), str(row.get("href", "")), str(row.get("body", ""))) for row in results), query
    )

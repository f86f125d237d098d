"""Brave Search: https://api-dashboard.search.brave.com/app/documentation/web-search"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from handrail.tools.web.address import parse
from handrail.tools.web.searching.configured import BRAVE
from handrail.tools.web.searching.provider import Found, Query, rows, text_of, wanted
from handrail.tools.web.searching.service import asked

URL = "https://api.search.brave.com/res/v1/web/search"
_REFUSED = f"The key in {BRAVE[0]} was refused: ask the user to look at it"


class Brave:
    """Takes the hosts among the words."""

    name = "Brave Search"

    def __init__(self, key: str, url: str = URL) -> None:
        self._key = key
        self._url = url

    @property
    def host(self) -> str:
        return parse(self._url).host

    async def search(self, query: Query) -> Sequence[Found]:
        address = parse(f"{self._url}?{urlencode({'q': query.with_operators, 'count': query.most})}")
        answer = await asked(self.name, address, {"x-subscription-token": self._key}, {401: _REFUSED, 403: _REFUSED})
        results = rows(answer, "web", "results")
        return wanted(
            ((text_of(row, "title"), text_of(row, "url"), text_of(row, "description")) for row in results), query
        )

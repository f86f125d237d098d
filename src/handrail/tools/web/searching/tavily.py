"""Tavily: https://docs.tavily.com/documentation/api-reference/endpoint/search"""

from __future__ import annotations

from collections.abc import Sequence

from handrail.tools.web.address import parse
from handrail.tools.web.searching.configured import TAVILY
from handrail.tools.web.searching.provider import Found, Query, rows, text_of, wanted
from handrail.tools.web.searching.service import asked

URL = "https://api.tavily.com/search"
_ADVICE = {
    401: f"The key in {TAVILY[0]} was refused: ask the user to look at it",
    432: "The plan's limit is reached: tell the user",
    433: "The plan's limit is reached: tell the user",
}


class Tavily:
    """Takes the hosts beside the words."""

    name = "Tavily"

    def __init__(self, key: str, url: str = URL) -> None:
        self._key = key
        self._address = parse(url)

    @property
    def host(self) -> str:
        return self._address.host

    async def search(self, query: Query) -> Sequence[Found]:
        headers = {"authorization": f"Bearer {self._key}"}
        answer = await asked(
            self.name,
            self._address,
            headers,
            _ADVICE,
            {
                "query": query.text,
                "max_results": query.most,
                "include_domains": list(query.allowed),
                "exclude_domains": list(query.blocked),
            },
        )
        results = rows(answer, "results")
        return wanted(((text_of(row, "title"), text_of(row, "url"), text_of(row, "content")) for row in results), query)

"""An instance of SearXNG: https://docs.searxng.org/dev/search_api.html"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from handrail.contract.effects import OPEN_WORLD
from handrail.errors import ToolFailed
from handrail.tools.web.address import BadAddress, parse
from handrail.tools.web.searching.configured import SEARXNG
from handrail.tools.web.searching.provider import Found, Query, rows, text_of, wanted
from handrail.tools.web.searching.service import asked

_ADVICE = {403: "Its JSON format is off: ask the user to add json to search.formats in its settings.yml"}


class SearXNG:
    """Takes the hosts among the words, for the engines that know what is meant."""

    name = "SearXNG"

    def __init__(self, url: str) -> None:
        self._url = url.strip().rstrip("/")

    @property
    def host(self) -> str:
        try:
            return parse(self._url).host
        except BadAddress:
            return OPEN_WORLD

    async def search(self, query: Query) -> Sequence[Found]:
        try:
            address = parse(f"{self._url}/search?{urlencode({'q': query.with_operators, 'format': 'json'})}")
        except BadAddress as error:
            raise ToolFailed(f"The address in {SEARXNG[0]} can't be used. {error} Tell the user.") from error
        answer = await asked(self.name, address, {}, _ADVICE)
        results = rows(answer, "results")
        return wanted(((text_of(row, "title"), text_of(row, "url"), text_of(row, "content")) for row in results), query)

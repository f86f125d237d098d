"""What a search service is to the tool, and how all of them are asked."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from handrail.contract.basics import Json
from handrail.contract.values import value
from handrail.policy.hosts import host_named
from handrail.tools.web.address import Address, BadAddress, parse

_TAG = re.compile(r"<[^<>]{1,200}>")
_LONGEST = 600
"""Characters of one snippet or title."""


@value
class Query:
    """What is searched for, and where. Hosts hold for all below them too."""

    text: str
    allowed: tuple[str, ...] = ()
    """Only these, where there are any."""
    blocked: tuple[str, ...] = ()
    most: int = 10
    """Results."""

    @property
    def with_operators(self) -> str:
        """For services that take the hosts in the words: `harbour (site:a.org OR site:b.org)`."""
        only = f"({' OR '.join(f'site:{host}' for host in self.allowed)})" if self.allowed else ""
        return " ".join([self.text, *filter(None, [only]), *(f"-site:{host}" for host in self.blocked)])

    def takes(self, host: str) -> bool:
        """Whether a result from there is wanted: services are told, and not all of them listen."""
        return (not self.allowed or _is_among(host, self.allowed)) and not _is_among(host, self.blocked)


@value
class Found:
    """One result: strangers' words, cleaned of markup."""

    title: str
    url: str
    snippet: str


class SearchProvider(Protocol):
    """A service that searches the web."""

    @property
    def name(self) -> str:
        """For people and the model."""
        ...

    @property
    def host(self) -> str:
        """What it connects to; `*` where that is not known."""
        ...

    async def search(self, query: Query) -> Sequence[Found]:
        """The best first. Raises ToolFailed, with words that hold no key."""
        ...


def hosts_of(domains: Iterable[str]) -> tuple[str, ...]:
    """`https://www.Example.org/x` as `www.example.org`."""
    return tuple(dict.fromkeys(map(host_named, domains)))


def wanted(results: Iterable[tuple[str, str, str]], query: Query) -> tuple[Found, ...]:
    """Title, address and snippet of each; without those that have no address that could be fetched."""
    found: dict[str, Found] = {}
    for title, url, snippet in results:
        address = _address(url)
        if address is not None and query.takes(address.host) and len(found) < query.most:
            found.setdefault(address.normal, Found(plain(title) or address.host, str(address), plain(snippet)))
    return tuple(found.values())


def rows(answer: Json, *path: str) -> Iterator[Mapping[str, Json]]:
    """The objects in the list that the path leads to; none where it leads nowhere."""
    at = answer
    for step in path:
        at = at.get(step) if isinstance(at, Mapping) else None
    if isinstance(at, (list, tuple)):
        yield from (row for row in at if isinstance(row, Mapping))


def text_of(row: Mapping[str, Json], key: str) -> str:
    said = row.get(key)
    return said if isinstance(said, str) else ""


def plain(text: str) -> str:
    """On one line, without tags and entities."""
    text = " ".join(html.unescape(_TAG.sub("", text)).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _address(url: str) -> Address | None:
    try:
        return parse(url)
    except BadAddress:
        return None


def _is_among(host: str, hosts: Iterable[str]) -> bool:
    return any(host == each or host.endswith(f".{each}") for each in hosts)

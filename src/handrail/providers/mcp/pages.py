"""Lists that a server gives page by page: all of them, within bounds."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from handrail.contract.basics import Json, JsonObject
from handrail.contract.values import value

T = TypeVar("T")

MOST_ITEMS = 2_000
"""Of one kind that are taken from one server."""
MOST_PAGES = 200


@value
class Listing(Generic[T]):
    """What a server has, and what is wrong with the rest, a line each."""

    items: tuple[T, ...]
    problems: tuple[str, ...] = ()


async def all_pages(page: Callable[[JsonObject], Awaitable[JsonObject]], key: str) -> Listing[Json]:
    """The items under `key` of all pages. `page` gets the parameters of one request."""
    items: list[Json] = []
    cursor: Json = None
    seen = set[str]()
    for _ in range(MOST_PAGES):
        answer = await page({} if cursor is None else {"cursor": cursor})
        found = answer.get(key)
        items += found if isinstance(found, list) else []
        cursor = answer.get("nextCursor")
        if not isinstance(cursor, str) or cursor in seen or len(items) > MOST_ITEMS:
            break
        seen.add(cursor)
    if len(items) <= MOST_ITEMS:
        return Listing(tuple(items))
    return Listing(
        tuple(items[:MOST_ITEMS]), (f"It has more than {MOST_ITEMS} {key}; the first {MOST_ITEMS} are taken.",)
    )

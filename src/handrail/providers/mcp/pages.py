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
MOST_WEIGHT = 32 << 20
"""Characters of all pages, as many as of one message; each thing in them counts for some more."""
_OF_A_THING = 64


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
    weight = 0
    why = f"it has more than {MOST_PAGES} pages"
    for _ in range(MOST_PAGES):
        answer = await page({} if cursor is None else {"cursor": cursor})
        found = answer.get(key)
        items += found if isinstance(found, list) else []
        weight += weight_of(found, MOST_WEIGHT)
        cursor = answer.get("nextCursor")
        if len(items) > MOST_ITEMS:
            why = f"it has more than {MOST_ITEMS}"
            break
        if not isinstance(cursor, str) or not cursor:  # an empty one is how some servers say that there is no more
            return Listing(tuple(items))
        if weight > MOST_WEIGHT:
            why = f"there is more to read than {MOST_WEIGHT:,} characters"
            break
        if cursor in seen:
            why = "it leads back to a page that was read"
            break
        seen.add(cursor)
    taken = tuple(items[:MOST_ITEMS])
    return Listing(taken, (f"Not all of its {key} are listed: {why}; the first {len(taken)} are taken.",))


def weight_of(found: Json, most: int) -> int:
    """What it takes in memory, roughly, in characters; not looked at further once that is more than `most`."""
    weight, waiting = 0, [found]
    while waiting and weight <= most:
        each = waiting.pop()
        weight += _OF_A_THING
        if isinstance(each, str):
            weight += len(each)
        elif isinstance(each, dict):
            weight += sum(map(len, each))
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each
    return weight

"""Lists in pages: all of them are read, within bounds; whatever is left out is told of."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from handrail.contract.basics import Json, JsonObject
from handrail.providers.mcp.pages import MOST_ITEMS, MOST_PAGES, MOST_WEIGHT, Listing, all_pages
from handrail.providers.mcp.received import MOST_OUTPUT_SCHEMA, tools_of


class Server:
    """Answers with one page after the other, the last one again and again."""

    def __init__(self, pages: Sequence[JsonObject]) -> None:
        self.pages = pages
        self.asked: list[JsonObject] = []

    async def __call__(self, params: JsonObject) -> JsonObject:
        self.asked.append(params)
        return self.pages[min(len(self.asked), len(self.pages)) - 1]


def page(items: Json, cursor: Json = None) -> JsonObject:
    return {"tools": items, "nextCursor": cursor}


@pytest.mark.parametrize(
    ("pages", "items"),
    [
        ([page([1, 2])], 2),
        ([page([1], "a"), page([2], "b"), page([3])], 3),
        ([page([1, 2], "")], 2),
        ([page([1, 2], 7)], 2),
        ([page([1], "a"), page("none", "b"), page([2])], 2),
        ([{}], 0),
        ([page([0] * MOST_ITEMS)], MOST_ITEMS),
    ],
    ids=["one page", "three", "an empty cursor", "a cursor of another type", "a page without", "no list", "as many"],
)
async def test_all_pages_are_read_once(pages: list[JsonObject], items: int) -> None:
    server = Server(pages)
    listing = await all_pages(server, "tools")
    assert (len(listing.items), listing.problems, len(server.asked)) == (items, (), len(pages))


@pytest.mark.parametrize(
    ("pages", "why", "taken"),
    [
        ([page([1], "a"), page([2], "a")], "it leads back to a page that was read", 2),
        ([page([0], str(n)) for n in range(MOST_PAGES + 1)], f"it has more than {MOST_PAGES} pages", MOST_PAGES),
        ([page([0] * MOST_ITEMS, "a"), page([0])], f"it has more than {MOST_ITEMS}", MOST_ITEMS),
        ([page([{"x": ["y" * MOST_WEIGHT]}], "a")], f"more to read than {MOST_WEIGHT:,} characters", 1),
        ([page([{"x": ["y" * (MOST_WEIGHT // 10)]}], str(n)) for n in range(50)], "more to read than", 10),
    ],
    ids=["a circle", "pages", "items", "one large page", "large pages"],
)
async def test_what_is_not_read_to_its_end_is_told_of(pages: list[JsonObject], why: str, taken: int) -> None:
    listing = await all_pages(Server(pages), "tools")
    (problem,) = listing.problems
    assert why in problem
    assert len(listing.items) == taken
    assert problem.endswith(f"the first {taken} are taken.")


def test_a_schema_of_results_that_is_too_large_costs_its_check_alone() -> None:
    large: JsonObject = {"properties": {f"p{n}": {"type": "string"} for n in range(MOST_OUTPUT_SCHEMA // 64)}}
    small: JsonObject = {"properties": {"p": {"type": "string"}}}
    listed = [{"name": name, "outputSchema": schema} for name, schema in (("one", large), ("two", small))]
    one, two = tools_of(Listing(tuple(listed), ("before",))).items
    assert (one.name, one.output_schema, two.output_schema) == ("one", None, small)
    assert tools_of(Listing(tuple(listed), ("before",))).problems == (
        "before",
        "one: the schema of its results is too large; they are not checked by it.",
    )

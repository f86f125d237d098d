"""Tools that are not on the menu until a model looks for them: where there are thousands, it can't be shown all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from handrail.contract.basics import JsonObject
from handrail.contract.values import value


@value
class FoundTool:
    """A tool that was looked for and found."""

    name: str
    description: str
    parameters: JsonObject
    """A JSON Schema of an object."""


@value
class FoundTools:
    """What a search came to."""

    found: tuple[FoundTool, ...]
    """On the menu from the next response on; the best first."""
    known: tuple[str, ...] = ()
    """Asked for by name, and on the menu already."""
    missing: tuple[str, ...] = ()
    """Asked for by name, and not there."""
    searched: int = 0
    """How many tools there are to be found."""
    near: Sequence[str] = ()
    """Where nothing was found: names that are like what was looked for."""


class DeferredTools(Protocol):
    """The tools of a session that are not on the menu."""

    async def search(self, query: str, most: int) -> FoundTools:
        """By words, or by names: see `catalog.search.query`. What policy or machine rule out is never found."""
        ...

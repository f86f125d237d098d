"""Tools that are there from the start: the built-in ones, or those that a program gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from handrail.contract.provider import Shelf
from handrail.contract.tool import Tool
from handrail.errors import ToolDefinitionError


class GivenTools:
    """The simplest provider: it puts its tools on the shelf, and has no more to say."""

    is_stale = False

    def __init__(self, name: str, tools: Sequence[Tool[Any]]) -> None:
        self.name = name
        self._tools = tools

    async def provide(self, shelf: Shelf) -> None:
        """Raises ToolDefinitionError where one of them can't be registered: whoever gave it can mend it."""
        problems = shelf.put(self._tools)
        if problems:
            raise ToolDefinitionError(problems[0])

    async def refresh(self) -> None:
        """They never change."""

"""The deferred tools of a session: searched, found, and called unasked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from handrail.catalog.registry import Registry
from handrail.catalog.search.index import BEGINNING, Field, Index
from handrail.catalog.search.query import Query, parsed
from handrail.catalog.search.words import words_of
from handrail.contract.deferred import FoundTool, FoundTools
from handrail.contract.tool import Tool
from handrail.errors import UnknownTool

NOTE_CHARACTERS = 2_000
"""Of the names that the menu tells."""

_NEAR = 5


class SessionDeferredTools:
    """Which of a registry's tools a model finds, and which it has found: those are on the menu, in that order.

    The index is made for the first search, and again when other tools are there.
    """

    def __init__(self, registry: Registry, hidden_reason: Callable[[Tool[Any]], str | None]) -> None:
        """`hidden_reason` says why policy or machine rule a tool out, and is asked anew each time."""
        self._registry = registry
        self._hidden_reason = hidden_reason
        self._found: dict[str, None] = {}
        self._indexed: list[Tool[Any]] = []
        self._index = Index(())

    @property
    def found(self) -> tuple[str, ...]:
        return tuple(self._found)

    def called(self, tool: Tool[Any]) -> None:
        """A model calls a tool without having looked for it: it knows it, so it is on the menu from here on."""
        if tool.defers_loading:
            self._found[tool.name] = None

    def note(self, model: str = "") -> str:
        """The names of what there is to be found, as `model` knows it and as far as they fit; empty where there is
        nothing."""
        names: list[str] = []
        left = NOTE_CHARACTERS
        for tool in self._visible(self._deferred()):
            name = self._registry.shown_as(tool.name, model)
            left -= len(name) + 2
            if left < 0:
                return ", ".join((*names, "…"))
            names.append(name)
        return ", ".join(names)

    async def search(self, query: str, most: int) -> FoundTools:
        tools = self._deferred()
        asked = parsed(query)
        if asked.names:
            return self._selected(asked.names, len(tools))
        if tools != self._indexed:
            import asyncio  # whoever only lists the tools needs none

            self._index, self._indexed = await asyncio.to_thread(_index_of, tools), tools
        found = list(islice(self._visible(self._ranked(asked, tools)), most))
        self._found.update(dict.fromkeys(tool.name for tool in found))
        near = () if found else self._near(asked, tools)
        return FoundTools(tuple(map(_told, found)), searched=len(tools), near=near)

    def _ranked(self, query: Query, tools: list[Tool[Any]]) -> Iterator[Tool[Any]]:
        ranked = (tools[place] for place in self._index.ranked(query.words)) if query.words else iter(tools)
        return (tool for tool in ranked if query.admits(tool.name)) if not query.is_empty else iter(())

    def _selected(self, names: Iterable[str], searched: int) -> FoundTools:
        found: dict[str, FoundTool] = {}
        known, missing = [], []
        for name in names:
            try:
                tool = self._registry.resolve(name)
            except UnknownTool:
                missing.append(name)
                continue
            if self._hidden_reason(tool):
                missing.append(name)
            elif tool.defers_loading:
                found[tool.name] = _told(tool)
            else:
                known.append(name)
        self._found.update(dict.fromkeys(found))
        return FoundTools(tuple(found.values()), tuple(known), tuple(missing), searched)

    def _near(self, query: Query, tools: list[Tool[Any]]) -> tuple[str, ...]:
        """Names of tools with words that begin alike, whatever the names were to hold."""
        alike = self._index.ranked(word[:BEGINNING] for word in query.words)
        return tuple(tool.name for tool in islice(self._visible(tools[place] for place in alike), _NEAR))

    def _deferred(self) -> list[Tool[Any]]:
        return [entry.tool for entry in self._registry if entry.tool.defers_loading]

    def _visible(self, tools: Iterable[Tool[Any]]) -> Iterator[Tool[Any]]:
        return (tool for tool in tools if not self._hidden_reason(tool))


def _told(tool: Tool[Any]) -> FoundTool:
    return FoundTool(tool.name, tool.description, tool.parameters.schema)


def _index_of(tools: Iterable[Tool[Any]]) -> Index:
    return Index(_fields(tool) for tool in tools)


def _fields(tool: Tool[Any]) -> tuple[Field, ...]:
    properties = tool.parameters.schema.get("properties")
    named: Mapping[str, Any] = properties if isinstance(properties, Mapping) else {}
    said = (each.get("description") for each in named.values() if isinstance(each, Mapping))
    return (
        Field(words_of(f"{tool.name} {' '.join(tool.aliases)}"), 4.0),
        Field(words_of(f"{tool.title} {tool.server}"), 2.0),
        Field(words_of(tool.description), 1.0),
        Field(words_of(" ".join(named)), 1.0),
        Field(words_of(" ".join(text for text in said if isinstance(text, str))), 0.5),
    )

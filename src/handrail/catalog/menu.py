"""The tools that one model sees in one turn: the registry minus what can't be used, in a stable order."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from handrail.catalog.faces import Face, Family, face, family_of
from handrail.catalog.faces.describing import described
from handrail.catalog.faces.schema import shown_schema
from handrail.catalog.registry import BUILT_IN, Registered, shown_name
from handrail.contract.basics import JsonObject
from handrail.contract.context import Environment
from handrail.contract.provider import SourceStatus
from handrail.contract.tool import Tool
from handrail.contract.values import value


@value
class MenuTool:
    """One tool as this model family knows it."""

    name: str
    description: str
    tool: Tool[Any]
    face: Face | None = None
    """None: the family knows it as it is."""

    @property
    def schema(self) -> JsonObject:
        own = self.tool.parameters.schema
        return own if self.face is None else shown_schema(self.face, own)


@value
class HiddenTool:
    """A tool that exists and is not shown, and why."""

    tool: Tool[Any]
    reason: str


@value
class Menu:
    """What one model sees in one turn, and what is hidden from it."""

    family: Family
    tools: tuple[MenuTool, ...]
    hidden: tuple[HiddenTool, ...]
    sources: tuple[SourceStatus, ...] = ()
    """Where tools come from beside the built-in ones: which are starting, failed, or wait for a person."""

    def anthropic(self) -> list[JsonObject]:
        """What to send as `tools` to Anthropic Messages."""
        return self._encoded("anthropic")

    def openai_chat(self) -> list[JsonObject]:
        """What to send as `tools` to OpenAI Chat Completions."""
        return self._encoded("openai-chat")

    def openai_responses(self) -> list[JsonObject]:
        """What to send as `tools` to OpenAI Responses."""
        return self._encoded("openai-responses")

    def gemini(self) -> list[JsonObject]:
        """What to send as `tools` to Gemini."""
        return self._encoded("gemini")

    def _encoded(self, wire: str) -> list[JsonObject]:
        # Here, since whoever only shows a menu need not load four providers' wires.
        from handrail.wire import Wire, encode_menu

        return encode_menu([(shown.name, shown.description, shown.schema) for shown in self.tools], Wire(wire))


@value
class Behind:
    """What a session has behind some tools of its menu: skills, and tools that are not on it."""

    told: Mapping[str, str]
    """What a tool's description ends with, by the tool's name. A tool with nothing behind it is not shown."""
    found: tuple[str, ...]
    """Tools that the model looked for: they come last, in the order in which it found them."""
    sources: tuple[SourceStatus, ...] = ()


NOTHING_BEHIND = Behind({}, ())


def menu_for(
    registered: Iterable[Registered],
    model: str,
    environment: Environment,
    hidden_reason: Callable[[Tool[Any]], str | None],
    behind: Behind = NOTHING_BEHIND,
) -> Menu:
    """What `model` sees. The order is that of registration, whatever is hidden, so that caches hold."""
    family = family_of(model)
    entries = tuple(registered)
    taken = {entry.tool.name for entry in entries}
    shown: list[MenuTool] = []
    found: dict[str, MenuTool] = {}
    hidden: list[HiddenTool] = []
    for entry in entries:
        tool = entry.tool
        reason = (
            _unasked(tool, behind)
            or unusable(tool, environment)
            or hidden_reason(tool)
            or _unspoken(entry, family)
            or _empty(tool, behind)
        )
        if reason:
            hidden.append(HiddenTool(tool, reason))
        elif tool.defers_loading:
            found[tool.name] = _as_known(tool, family, taken)
        else:
            shown.append(_with_behind(_as_known(tool, family, taken), behind))
    last = (found[name] for name in behind.found if name in found)
    return Menu(family, (*shown, *last), tuple(hidden), behind.sources)


def _unasked(tool: Tool[Any], behind: Behind) -> str | None:
    waits = tool.defers_loading and tool.name not in behind.found
    return "it is loaded only when it is searched for" if waits else None


def _empty(tool: Tool[Any], behind: Behind) -> str | None:
    return "there is nothing for it to give" if behind.told.get(tool.name) == "" else None


def _with_behind(shown: MenuTool, behind: Behind) -> MenuTool:
    """The text behind a tool is not ours: no name in it is put into the family's words."""
    told = behind.told.get(shown.tool.name)
    return replace(shown, description=f"{shown.description}\n\n{told}") if told else shown


def _as_known(tool: Tool[Any], family: Family, taken: set[str]) -> MenuTool:
    """By the family's name, unless another tool has that name for its own."""
    name = shown_name(tool, family)
    if tool.server:  # what it says is not ours: no name in it is put into the family's words
        return MenuTool(name, tool.description, tool)
    if family.name_of(tool.name) is None or (name != tool.name and name in taken):
        return MenuTool(tool.name, described(tool.description, family, None), tool)
    known_as = face(family.name, name)
    told = known_as.description or described(tool.description, family, known_as)
    return MenuTool(name, told, tool, known_as)


def _unspoken(entry: Registered, family: Family) -> str | None:
    if entry.provider == BUILT_IN and entry.tool.name in family.lacks:
        return f"models of the family {family.name} know no such tool, and do the same otherwise; called, it works"
    return None


def this_machine() -> Environment:
    """What tools may ask of the machine this runs on."""
    return Environment(sys.platform, _program)


def _program(name: str) -> Path | None:
    found = shutil.which(name)
    return Path(found) if found else None


def unusable(tool: Tool[Any], environment: Environment) -> str | None:
    """Why a tool can't work here, as a clause; None for one that can."""
    return None if tool.enabled(environment) else "what it needs is not there on this machine"

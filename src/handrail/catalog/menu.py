"""The tools that one model sees in one turn: the registry minus what can't be used, in a stable order."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from handrail.catalog.faces import Family, face_name, family_of
from handrail.catalog.registry import Registered
from handrail.contract.basics import JsonObject
from handrail.contract.context import Environment
from handrail.contract.tool import Tool
from handrail.contract.values import value


@value
class MenuTool:
    """One tool as this model family knows it."""

    name: str
    description: str
    tool: Tool[Any]

    @property
    def schema(self) -> JsonObject:
        return self.tool.parameters.schema


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


def menu_for(
    registered: Iterable[Registered],
    model: str,
    environment: Environment,
    hidden_reason: Callable[[Tool[Any]], str | None],
) -> Menu:
    """What `model` sees. The order is that of registration, whatever is hidden, so that caches hold."""
    family = family_of(model)
    shown: list[MenuTool] = []
    hidden: list[HiddenTool] = []
    for entry in registered:
        tool = entry.tool
        reason = _unusable(tool, environment) or hidden_reason(tool)
        if reason:
            hidden.append(HiddenTool(tool, reason))
        else:
            shown.append(MenuTool(face_name(tool, family), tool.description, tool))
    return Menu(family, tuple(shown), tuple(hidden))


def this_machine() -> Environment:
    """What tools may ask of the machine this runs on."""
    return Environment(sys.platform, _program)


def _program(name: str) -> Path | None:
    found = shutil.which(name)
    return Path(found) if found else None


def _unusable(tool: Tool[Any], environment: Environment) -> str | None:
    if tool.defers_loading:
        return "it is loaded only when it is searched for"
    if not tool.enabled(environment):
        return "what it needs is not there on this machine"
    return None

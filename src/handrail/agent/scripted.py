"""A model that plays a script: for tests, demos and documentation."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from handrail.agent.model import ModelEvent, ResponseEnded, TextArrived
from handrail.catalog import Menu
from handrail.contract.basics import Json, JsonObject


@dataclass(frozen=True, slots=True)
class Use:
    """One tool call of a scripted turn. Without an id it gets one: `call_1`, `call_2`, …"""

    name: str
    arguments: Mapping[str, Json] = field(default_factory=dict)
    id: str = ""


@dataclass(frozen=True, slots=True)
class Say:
    """One turn: what the model says, and the calls it makes."""

    text: str = ""
    calls: tuple[Use, ...] = ()


Line: TypeAlias = Say | Callable[[Sequence[JsonObject]], Say]
"""A turn, or a function that makes one of the conversation so far."""


class ScriptedModel:
    """Answers with one turn of the script after another; when the script is over, says nothing more.

    Its responses are in the neutral form, with the text under `text`. `seen` keeps every conversation
    it was given, for tests to look at.
    """

    def __init__(self, script: Sequence[Line], name: str = "scripted") -> None:
        self.name = name
        self.seen: list[tuple[JsonObject, ...]] = []
        self._script = list(script)
        self._calls = 0

    async def respond(self, messages: Sequence[JsonObject], menu: Menu) -> AsyncIterator[ModelEvent]:
        self.seen.append(tuple(messages))
        line = self._script[len(self.seen) - 1] if len(self.seen) <= len(self._script) else Say()
        turn = line if isinstance(line, Say) else line(messages)
        if turn.text:
            yield TextArrived(turn.text)
        yield ResponseEnded({"text": turn.text, "calls": [self._call(use) for use in turn.calls]})

    def _call(self, use: Use) -> JsonObject:
        self._calls += 1
        return {"id": use.id or f"call_{self._calls}", "name": use.name, "arguments": use.arguments}

"""A model that plays a script: for tests, demos and documentation."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from handrail.agent.model import CallBegun, ModelEvent, ModelRequest, Received, ResponseEnded, Stop, TextArrived, Usage
from handrail.contract.basics import Json, JsonObject
from handrail.wire import Wire


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

    wire = Wire.NEUTRAL

    def __init__(self, script: Sequence[Line], name: str = "scripted", window: int = 0) -> None:
        self.name = name
        self.window = window
        self.seen: list[tuple[JsonObject, ...]] = []
        self._script = list(script)
        self._calls = 0

    async def respond(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        messages = request.messages
        self.seen.append(messages)
        line = self._script[len(self.seen) - 1] if len(self.seen) <= len(self._script) else Say()
        turn = line if isinstance(line, Say) else line(messages)
        if turn.text:
            yield TextArrived(turn.text)
        for use in turn.calls:
            yield CallBegun(use.name)
        yield Received({"text": turn.text, "calls": [self._call(use) for use in turn.calls]})
        yield ResponseEnded(Usage(), Stop.CALLS if turn.calls else Stop.END)

    def _call(self, use: Use) -> JsonObject:
        self._calls += 1
        return {"id": use.id or f"call_{self._calls}", "name": use.name, "arguments": use.arguments}

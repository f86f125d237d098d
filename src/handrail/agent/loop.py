"""The smallest loop that is an agent: ask the model, carry out its calls, give it the results, again."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from handrail.agent.model import Model, ModelEvent, ModelRequest, Received
from handrail.catalog import Menu
from handrail.contract.basics import JsonObject


class TurnLike(Protocol):
    """What the loop needs of a carried-out turn."""

    @property
    def messages(self) -> tuple[JsonObject, ...]: ...

    @property
    def done(self) -> bool: ...


class Runtime(Protocol):
    """What the loop needs of a session."""

    def menu(self, model: str) -> Menu: ...

    async def run(self, response: JsonObject) -> TurnLike: ...


@dataclass(frozen=True, slots=True)
class TurnEnded:
    turn: TurnLike


LoopEvent: TypeAlias = ModelEvent | TurnEnded


async def converse(model: Model, runtime: Runtime, task: str, max_turns: int = 50) -> AsyncIterator[LoopEvent]:
    """Works on `task` until the model makes no more calls, a call rests, or `max_turns` responses."""
    messages: list[JsonObject] = [{"role": "user", "content": task}]
    for _ in range(max_turns):
        response: JsonObject = {}
        async for event in model.respond(ModelRequest("", tuple(messages), runtime.menu(model.name))):
            if isinstance(event, Received):
                response = event.event
            yield event
        turn = await runtime.run(response)
        yield TurnEnded(turn)
        if turn.done or not turn.messages:
            return
        messages.extend(turn.messages)

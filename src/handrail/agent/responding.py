"""One response: the model's stream on one side, the hands that carry its calls out on the other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import TypeAlias

from handrail.agent.events import AgentEvent, ResponseDone
from handrail.agent.hands import Hands
from handrail.agent.listening import listen
from handrail.agent.model import Model, ModelEvent, ModelRequest, Received, ResponseEnded
from handrail.contract.basics import JsonObject
from handrail.errors import ModelError, ModelFault
from handrail.runtime.turns import Turn

Tell: TypeAlias = Callable[[AgentEvent], None]


class Responding:
    """The model is asked once, and its calls are carried out while it still speaks."""

    def __init__(self, model: Model, request: ModelRequest, hands: Hands, id: str, tell: Tell) -> None:
        """`id` names the turn."""
        self.ended = ResponseEnded()
        """What the model's stream ended with."""
        self.broken: ModelError | None = None
        """Why the stream did not come to its end."""
        self._model = model
        self._request = request
        self._hands = hands
        self._id = id
        self._tell = tell
        self._came: asyncio.Queue[JsonObject | ModelError | None] = asyncio.Queue()
        self._reading: asyncio.Task[None] | None = None

    async def carry_out(self) -> Turn:
        """Of a stream that broke off the turn has what was whole. Raises WireError for what is not of the wire."""
        self._reading = asyncio.get_running_loop().create_task(self._read())
        try:
            async with aclosing(self._events()) as events:
                return await self._hands.run(events, self._model.wire, turn=self._id)
        finally:
            self._reading.cancel()
            await asyncio.wait([self._reading])

    async def stop(self, reason: str, *, by_person: bool = False) -> None:
        """The model is no longer listened to, and every call is answered: `carry_out` comes to its end."""
        if self._reading is not None:
            self._reading.cancel()
        # A task that has not begun yet never says so itself.
        self._came.put_nowait(ModelError(ModelFault.CUT, "the model was stopped"))
        await self._hands.cancel_turn(self._id, reason, by_person=by_person)

    async def _events(self) -> AsyncGenerator[JsonObject, None]:
        while (came := await self._came.get()) is not None:
            if isinstance(came, ModelError):
                self.broken = came
                raise came
            yield came

    async def _read(self) -> None:
        last: ModelError | None = ModelError(ModelFault.CUT, "the model was stopped")
        try:
            last = await listen(self._model, self._request, self._hear)
        finally:
            self._came.put_nowait(last)

    def _hear(self, event: ModelEvent) -> None:
        match event:
            case Received(received):
                self._came.put_nowait(received)
            case ResponseEnded():
                self.ended = event
                self._tell(ResponseDone(event.usage))
            case _:
                self._tell(event)

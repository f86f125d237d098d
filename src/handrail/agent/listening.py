"""Listens to a model, whoever wrote its client: whatever that raises is an answer that broke off, told in words."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable

from handrail.agent.model import Model, ModelEvent, ModelRequest, ResponseEnded
from handrail.errors import ModelError, ModelFault
from handrail.runtime.guard import Returned, guarded


async def listen(model: Model, request: ModelRequest, hear: Callable[[ModelEvent], None]) -> ModelError | None:
    """Gives `hear` each event. What broke the answer off; None for one that came to its end.

    Cancelled, it closes the stream before it ends.
    """
    heard = await guarded(_heard(model, request, hear))
    if isinstance(heard, Returned):
        return heard.value
    return ModelError(ModelFault.CUT, f"what asks {model.name} failed: {heard.message}")


async def _heard(model: Model, request: ModelRequest, hear: Callable[[ModelEvent], None]) -> ModelError | None:
    stream = model.respond(request)
    last: ModelError | None = ModelError(ModelFault.CUT, "the answer broke off")
    try:
        async for event in stream:
            if isinstance(event, ResponseEnded):
                last = None
            hear(event)
    except ModelError as error:
        last = error
    finally:
        if isinstance(stream, AsyncGenerator):
            await stream.aclose()
    return last

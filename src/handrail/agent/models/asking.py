"""Asks until there is an answer, as long as that makes sense."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from handrail.agent.model import ModelEvent, Waiting
from handrail.agent.models.patience import Patience
from handrail.agent.models.trouble import Trouble


async def until_answered(
    ask: Callable[[], AsyncGenerator[ModelEvent, None]], patience: Patience
) -> AsyncGenerator[ModelEvent, None]:
    """The events of the first try that gives any. `ask` begins one, and raises Trouble.

    Raises ModelError; of an answer of which a part was given nothing is asked for again.
    """
    tried = 0
    while True:
        tried += 1
        begun = False
        try:
            async with aclosing(ask()) as events:
                async for event in events:
                    begun = True
                    yield event
            return
        except Trouble as found:
            trouble = found
        pause = None if begun else patience.pause(trouble, tried)
        if pause is None:
            raise trouble.cut_short() if begun else trouble.error(tried)
        yield Waiting(pause, trouble.why)
        await asyncio.sleep(pause)

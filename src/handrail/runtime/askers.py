"""Askers that need no surface: nobody, somebody later, somebody at the desk, a function."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Literal, TypeAlias

from handrail.contract.calls import AwaitingApproval
from handrail.contract.confirmation import Answer
from handrail.contract.ports import Asker, Unanswered
from handrail.errors import UsageError

AskFunction: TypeAlias = Callable[[AwaitingApproval], "Answer | Unanswered | Awaitable[Answer | Unanswered]"]
OnAsk: TypeAlias = Literal["hold", "park", "reject"] | AskFunction
"""What to do when a call needs a person: wait in place for an answer at the desk, leave the call
waiting and go on, deny it, or call a function."""


def asker_for(on_ask: OnAsk) -> Asker:
    """Raises UsageError for a word that is none of the three."""
    match on_ask:
        case "hold":
            return Held()
        case "park":
            return LeftOpen()
        case "reject":
            return Nobody()
        case _ if callable(on_ask):
            return Asking(on_ask)
        case _:
            raise UsageError(f"on_ask is {on_ask!r}; it can be 'hold', 'park', 'reject' or a function")


class Nobody:
    """No person at hand: what would be asked is denied."""

    surface = "nobody"

    async def answer(self, call: AwaitingApproval) -> Answer | Unanswered:
        return Unanswered.NOBODY


class LeftOpen:
    """Leaves every question open at the desk."""

    surface = "later"

    async def answer(self, call: AwaitingApproval) -> Unanswered:
        return Unanswered.LATER


class Held:
    """Waits until somebody answers at the desk; the call does not rest meanwhile."""

    surface = "desk"

    async def answer(self, call: AwaitingApproval) -> Answer | Unanswered:
        await asyncio.Event().wait()
        return Unanswered.LATER


class Asking:
    """Asks a function. One that raises has not said yes: the call is denied."""

    surface = "callback"

    def __init__(self, ask: AskFunction) -> None:
        self._ask = ask

    async def answer(self, call: AwaitingApproval) -> Answer | Unanswered:
        answer = self._ask(call)
        return await answer if inspect.isawaitable(answer) else answer

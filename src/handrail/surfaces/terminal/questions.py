"""The questions that wait for the person at this terminal: one after the other, in the order of the calls.

The one that is shown stays until it is answered, also where an earlier call comes to ask meanwhile: nobody is to read
one question and answer another.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from handrail.contract.calls import AwaitingApproval
from handrail.contract.confirmation import Answer
from handrail.contract.ports import Unanswered
from handrail.surfaces.terminal.dialog import Dialog


class Questions:
    """`contract.ports.Asker`. A question that is answered elsewhere, or whose call is stopped, is taken away."""

    surface = "terminal"

    def __init__(self, changed: Callable[[], None]) -> None:
        """`changed` is called whenever another question is the first."""
        self._changed = changed
        self._waiting: dict[Dialog, asyncio.Future[Answer]] = {}
        self._shown: Dialog | None = None

    @property
    def first(self) -> Dialog | None:
        if self._shown in self._waiting:
            return self._shown
        return min(self._waiting, key=lambda dialog: dialog.call.requested_at, default=None)

    def __contains__(self, dialog: Dialog) -> bool:
        """It still waits for its answer."""
        return dialog in self._waiting

    def show(self, dialog: Dialog) -> None:
        """It is on the screen now."""
        self._shown = dialog

    async def answer(self, call: AwaitingApproval) -> Answer | Unanswered:
        dialog = Dialog(call)
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[dialog] = answer
        self._changed()
        try:
            return await answer
        finally:
            self._waiting.pop(dialog, None)
            self._changed()

    def give(self, dialog: Dialog, answer: Answer) -> None:
        """Nothing happens where the question is gone."""
        waiting = self._waiting.pop(dialog, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)
        self._changed()

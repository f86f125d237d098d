"""Counts the calls that were denied since nobody could be asked: a task that is done may be less than was wanted."""

from __future__ import annotations

from handrail.contract.calls import AwaitingApproval
from handrail.contract.confirmation import Answer
from handrail.contract.ports import Asker, Unanswered
from handrail.runtime.askers import Nobody


class Unasked:
    """Asks whoever it is made of, and keeps count of the questions that reached nobody."""

    def __init__(self, asker: Asker) -> None:
        self.surface = asker.surface
        self.denied = 0
        self._asker = asker

    async def answer(self, call: AwaitingApproval) -> Answer | Unanswered:
        given = await self._asker.answer(call)
        self.denied += given is Unanswered.NOBODY
        return given

    @property
    def asker(self) -> Asker:
        """For a session. Who chose that nobody is asked knows it, and rules may go by it: there is nothing to count."""
        return self._asker if isinstance(self._asker, Nobody) else self

    def line(self) -> str:
        """What to do about it; empty where there were none."""
        if not self.denied:
            return ""
        calls = "1 call was" if self.denied == 1 else f"{self.denied} calls were"
        return (
            f"{calls} denied, since nobody could be asked: allow what you want by a rule (handrail init writes one for "
            "this project's tests), leave questions open with --approve wait, or choose another --mode"
        )

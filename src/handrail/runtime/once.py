"""`needs_approval="once"`: of several such calls in flight the first is put to somebody; its answer does for all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from handrail.contract.basics import ApprovalId
from handrail.contract.calls import AwaitingApproval
from handrail.contract.confirmation import Answer
from handrail.contract.decision import FromTool
from handrail.contract.ports import Asker, Unanswered
from handrail.runtime.judge import Verdict


def is_asked_once(call: AwaitingApproval, verdict: Verdict | None) -> bool:
    """The question is that of `needs_approval="once"`, and not a rule's or a check's about the same call."""
    source = call.decision.source
    return isinstance(source, FromTool) and verdict is not None and verdict.facts.approval == "once"


@dataclass(slots=True, eq=False)
class _Asked:
    call: AwaitingApproval
    over: asyncio.Event = field(default_factory=asyncio.Event)
    """It has its answer, or was left open for somebody later."""


class OnceQuestions:
    """The open questions of this kind, by tool, the first that was asked in front."""

    def __init__(self, is_open: Callable[[ApprovalId], bool]) -> None:
        """`is_open` says whether a question waits for its answer yet."""
        self._is_open = is_open
        self._asked: dict[str, list[_Asked]] = {}

    @contextmanager
    def asking(self, call: AwaitingApproval, asker: Asker) -> Iterator[Asker]:
        """Within it the question is open. Gives whom to ask: nobody yet, while the same question is before them."""
        asked = self._asked.setdefault(call.invocation.tool.name, [])
        asked.append(_Asked(call))
        try:
            yield asker if len(asked) == 1 else _Behind(asked[-2].over, asker, self._is_open)
        finally:
            self._leave(call)

    def rest(self, call: AwaitingApproval) -> None:
        """The question was left open: those behind it are to be left open too."""
        for asked in self._of(call):
            if asked.call is call:
                asked.over.set()

    def _leave(self, call: AwaitingApproval) -> None:
        self.rest(call)
        left = [asked for asked in self._of(call) if asked.call is not call]
        if left:
            self._asked[call.invocation.tool.name] = left
        else:
            self._asked.pop(call.invocation.tool.name, None)

    def others(self, call: AwaitingApproval) -> Iterator[AwaitingApproval]:
        """Those with the same question."""
        return (asked.call for asked in tuple(self._of(call)) if asked.call is not call)

    def _of(self, call: AwaitingApproval) -> list[_Asked]:
        return self._asked.get(call.invocation.tool.name, [])


class _Behind:
    """Asks once the question before is over; until then that one's answer may settle this one too."""

    def __init__(self, over: asyncio.Event, asker: Asker, is_open: Callable[[ApprovalId], bool]) -> None:
        self._over = over
        self._asker = asker
        self._is_open = is_open
        self.surface = asker.surface

    async def answer(self, call: AwaitingApproval) -> Answer | Unanswered:
        await self._over.wait()
        if not self._is_open(call.approval):
            return Unanswered.LATER
        return await self._asker.answer(call)

"""The desk: open questions about calls, answered by id, once, by whoever answers first."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import get_args

from handrail.contract.basics import ApprovalId
from handrail.contract.calls import AwaitingApproval
from handrail.contract.confirmation import Answer
from handrail.contract.ports import Asker, Unanswered
from handrail.errors import UsageError
from handrail.runtime.guard import Returned, guarded


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """The asker failed: a fault in it, which is said, for nobody has said yes."""

    why: str


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer, and the surface it came from."""

    answer: Answer
    surface: str


@dataclass(frozen=True, slots=True)
class _Question:
    call: AwaitingApproval
    reply: asyncio.Future[Answered]
    rest: Callable[[bool], None]


class Desk:
    """The open questions of one session."""

    def __init__(self) -> None:
        self._open: dict[ApprovalId, _Question] = {}

    def new_id(self) -> ApprovalId:
        """Short enough to type, and not to be guessed."""
        return ApprovalId(f"a-{secrets.token_hex(4)}")

    def open(self) -> tuple[AwaitingApproval, ...]:
        """All questions nobody has answered yet, the oldest first."""
        return tuple(question.call for question in self._open.values())

    def answer(self, approval: ApprovalId, answer: object, surface: str) -> bool:
        """True if this was the first answer; False if the question is unknown or was answered before.

        Raises UsageError for what is no answer: only the types of `contract.confirmation` say yes or no.
        """
        if not isinstance(answer, Answer):
            kinds = ", ".join(kind.__name__ for kind in get_args(Answer))
            raise UsageError(f"{answer!r} is no answer to a question; give one of {kinds}")
        question = self._open.get(approval)
        if question is None or question.reply.done():
            return False
        question.reply.set_result(Answered(answer, surface))
        question.rest(False)
        return True

    async def ask(
        self, call: AwaitingApproval, asker: Asker, rest: Callable[[bool], None]
    ) -> Answered | Unanswered | NoAnswer:
        """Waits for the first answer: the asker's, or one given by id.

        `rest` is called with True when the asker leaves the question open, and with False as soon as it is
        answered all the same. Returns `Unanswered.NOBODY` when nobody can be asked, and `NoAnswer` for an asker
        that raises or gives what is no answer.
        """
        question = _Question(call, asyncio.get_running_loop().create_future(), rest)
        self._open[call.approval] = question
        asking = asyncio.create_task(self._put(question, asker))
        try:
            await asyncio.wait((asking, asyncio.ensure_future(question.reply)), return_when=asyncio.FIRST_COMPLETED)
            if not question.reply.done():
                if (unanswered := asking.result()) is not Unanswered.LATER:
                    return unanswered
                rest(True)
            return await question.reply
        finally:
            del self._open[call.approval]
            asking.cancel()
            await asyncio.wait({asking})

    async def _put(self, question: _Question, asker: Asker) -> Unanswered | NoAnswer:
        outcome = await guarded(asker.answer(question.call))
        match outcome:
            case Returned(Unanswered() as unanswered):
                return unanswered
            case Returned(answer) if isinstance(answer, Answer):
                self.answer(question.call.approval, answer, asker.surface)
                return Unanswered.LATER
            case Returned(other):
                return NoAnswer(f"it gave {other!r}, which is no answer")
            case ending:
                return NoAnswer(ending.message)

"""The desk: open questions about calls, answered by id, once, by whoever answers first."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import cached_property
from typing import Protocol, get_args

from handrail.contract.basics import ApprovalId, Instant
from handrail.contract.calls import AwaitingApproval
from handrail.contract.confirmation import Always, Answer, EditArguments, Once, Reply
from handrail.contract.ports import Asker, Unanswered
from handrail.contract.values import value
from handrail.errors import JournalError, UsageError
from handrail.runtime.answers import Given, check_fits, kind_of
from handrail.runtime.askers import LeftOpen
from handrail.runtime.edits import check_edit
from handrail.runtime.guard import Returned, guarded, guarded_call
from handrail.runtime.who import Answerer, answerer_here

EXPIRY_LOOK_SECONDS = 0.25
"""The longest sleep before the clock is looked at again: it may be set forward meanwhile."""


@value
class NoAnswer:
    """The asker failed: a fault in it, which is said, for nobody has said yes."""

    why: str


class AnswerBook(Protocol):
    """Says which answer counts, where a question can be answered in several places at once."""

    async def claim(self, call: AwaitingApproval, given: Given) -> Given:
        """The first answer: this one, or one that was given elsewhere before. Raises JournalError."""
        ...


class OwnBook:
    """Nobody answers elsewhere."""

    async def claim(self, call: AwaitingApproval, given: Given) -> Given:
        return given


@value
class _Question:
    call: AwaitingApproval
    reply: asyncio.Future[Given | None]
    """None: the call is to be decided anew."""
    rest: Callable[[bool], None]


class Desk:
    """The open questions of one session."""

    def __init__(
        self, now: Callable[[], Instant], book: AnswerBook | None = None, answer_within: float | None = None
    ) -> None:
        """`answer_within`: seconds until a question expires; None never."""
        self._now = now
        self._answer_within = answer_within
        self._book = book or OwnBook()
        self._open: dict[ApprovalId, _Question] = {}
        self._early: dict[ApprovalId, Given] = {}
        """Answers from elsewhere to questions that are not asked yet: they were, before a restart."""

    def new_id(self) -> ApprovalId:
        """Short enough to type, and not to be guessed."""
        return ApprovalId(f"a-{secrets.token_hex(4)}")

    def expires_at(self, asked: Instant) -> Instant | None:
        """When a question that is asked at that time expires."""
        return None if self._answer_within is None else Instant(asked + self._answer_within)

    def open(self) -> tuple[AwaitingApproval, ...]:
        """All questions nobody has answered yet, the oldest first."""
        return tuple(question.call for question in self._open.values() if not question.reply.done())

    def is_open(self, approval: ApprovalId) -> bool:
        question = self._open.get(approval)
        return question is not None and not question.reply.done()

    def binds(self, call: AwaitingApproval) -> bool:
        """Whether what a person said to it before a restart holds, whatever would be asked about the call now.

        So does a no, and with other arguments the call is another one; that nobody answered in time is a no too. A
        yes was to what was shown then.
        """
        given = self._early.get(call.approval)
        if given is None:
            return call.expires_at is not None and call.expires_at <= self._now()
        return not isinstance(given.answer, Once | Always | Reply)

    def answer(self, approval: ApprovalId, answer: object, surface: str) -> bool:
        """True if this was the first answer here; False if the question is unknown or was answered before.

        Where another process answers at the same moment, the journal's file decides who was first.
        Raises UsageError for what is no answer to this question: only the types of `contract.confirmation` say yes
        or no, only an offered grant can be chosen, and edited arguments must fit the tool.
        """
        if not isinstance(answer, Answer):
            kinds = ", ".join(kind.__name__ for kind in get_args(Answer))
            raise UsageError(f"{answer!r} is no answer to a question; give one of {kinds}")
        question = self._open.get(approval)
        if question is None or question.reply.done():
            return False
        check_fits(kind_of(question.call), question.call.offers, answer)
        if isinstance(answer, EditArguments):
            tool = question.call.invocation.tool
            check_edit(tool.name, tool.parameters, answer.arguments)
        self._settle(question, Given(answer, replace(self._here, surface=surface), self._now()))
        return True

    def take(self, approval: ApprovalId, given: Given) -> None:
        """An answer that was recorded elsewhere, perhaps before the question is asked here."""
        question = self._open.get(approval)
        if question is None:
            self._early[approval] = given
        elif not question.reply.done():
            self._settle(question, given)

    def withdraw(self, approval: ApprovalId) -> None:
        """Its call is to be decided anew: who waits in `ask` gets None."""
        question = self._open.get(approval)
        if question is not None and not question.reply.done():
            self._settle(question, None)

    async def ask(
        self, call: AwaitingApproval, asker: Asker, rest: Callable[[bool], None], kept: Callable[[], Awaitable[None]]
    ) -> Given | Unanswered | NoAnswer | None:
        """Waits for the first answer: the asker's, or one given by id.

        `rest` is called with True when the asker leaves the question open, once it is `kept` for whoever answers
        later, and with False as soon as it is answered all the same. Returns `Unanswered.NOBODY` when nobody can
        be asked, and `NoAnswer` for an asker that raises or gives what is no answer. None: the call is to be
        decided anew.
        """
        question = _Question(call, asyncio.get_running_loop().create_future(), rest)
        self._open[call.approval] = question
        if (early := self._early.pop(call.approval, None)) is not None:
            self._settle(question, early)
        helpers: list[asyncio.Task[object]] = []
        try:
            unanswered = await self._first(question, asker, helpers)
            if not question.reply.done():
                if unanswered is not Unanswered.LATER:
                    return unanswered
                await kept()
                rest(not question.reply.done())
            return await self._counted(call, await question.reply)
        except JournalError as error:
            return NoAnswer(f"question and answer could not be kept: {error}")
        finally:
            del self._open[call.approval]
            for helper in helpers:
                helper.cancel()
            if helpers:
                await asyncio.wait(helpers)

    async def _first(
        self, question: _Question, asker: Asker, helpers: list[asyncio.Task[object]]
    ) -> Unanswered | NoAnswer:
        """What the asker says, or `LATER` as soon as the question is answered. The tasks that it starts are the
        caller's to end."""
        if question.call.expires_at is not None:
            helpers.append(asyncio.create_task(self._expire(question, question.call.expires_at)))
        if isinstance(asker, LeftOpen):  # ten thousand questions may wait at once: no task for each
            return await asker.answer(question.call)
        asking = asyncio.create_task(self._put(question, asker))
        helpers.append(asking)
        await asyncio.wait((asking, question.reply), return_when=asyncio.FIRST_COMPLETED)
        return Unanswered.LATER if question.reply.done() else asking.result()

    async def _counted(self, call: AwaitingApproval, given: Given | None) -> Given | None:
        """The answer that counts: another process may have been first. Raises JournalError."""
        return None if given is None else await self._book.claim(call, given)

    async def _put(self, question: _Question, asker: Asker) -> Unanswered | NoAnswer:
        if question.reply.done():
            return Unanswered.LATER
        outcome = await guarded(asker.answer(question.call))
        match outcome:
            case Returned(Unanswered() as unanswered):
                return unanswered
            case Returned(answer) if isinstance(answer, Answer):
                fitting = guarded_call(lambda: self.answer(question.call.approval, answer, asker.surface))
                return Unanswered.LATER if isinstance(fitting, Returned) else NoAnswer(fitting.message)
            case Returned(other):
                return NoAnswer(f"it gave {other!r}, which is no answer")
            case ending:
                return NoAnswer(ending.message)

    async def _expire(self, question: _Question, expires: Instant) -> None:
        """Ends without an answer in time, by the session's clock."""
        while not question.reply.done():
            left = expires - self._now()
            if left <= 0:
                self._settle(question, Given(None, Answerer("expiry"), self._now()))
            else:
                await asyncio.sleep(min(left, EXPIRY_LOOK_SECONDS))

    def _settle(self, question: _Question, given: Given | None) -> None:
        question.reply.set_result(given)
        question.rest(False)

    @cached_property
    def _here(self) -> Answerer:
        return answerer_here("")

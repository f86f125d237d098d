"""Several questions for one person at a terminal: which is the first, and for how long."""

from __future__ import annotations

import asyncio

from handrail.contract.basics import ApprovalId, CallId, Instant
from handrail.contract.calls import AwaitingApproval, CallForm, CallRequest, ObjectArguments
from handrail.contract.confirmation import InfoConfirmation, Once
from handrail.contract.decision import Decision, FromMode, Outcome
from handrail.surfaces.terminal.questions import Questions
from handrail.tools import builtin_tools


def asked(number: int) -> AwaitingApproval:
    """The question of the call with that number."""
    (tool,) = (tool for tool in builtin_tools() if tool.name == "write_file")
    arguments = {"file_path": "b.txt", "content": "x"}
    request = CallRequest(CallId(f"c{number}"), tool.name, ObjectArguments(arguments), form=CallForm.FUNCTION)
    why, id, at = Decision(Outcome.ASK, FromMode("default"), "It writes."), ApprovalId(f"a{number}"), Instant(number)
    return AwaitingApproval(request, at, tool.bind(arguments), why, id, InfoConfirmation("Write b.txt", "b.txt"), at)


async def number_of_first(questions: Questions) -> float:
    await asyncio.sleep(0)  # what was started has asked
    assert questions.first is not None
    return questions.first.call.requested_at


async def test_of_questions_that_nobody_has_seen_the_first_is_that_of_the_first_call() -> None:
    questions = Questions(lambda: None)
    async with asyncio.TaskGroup() as group:
        waiting = [group.create_task(questions.answer(asked(number))) for number in (3, 1, 2)]
        assert await number_of_first(questions) == 1
        for task in waiting:
            task.cancel()


async def test_a_question_that_is_shown_stays_when_an_earlier_call_comes_to_ask() -> None:
    questions = Questions(lambda: None)
    async with asyncio.TaskGroup() as group:
        group.create_task(questions.answer(asked(2)))
        assert await number_of_first(questions) == 2
        shown = questions.first
        assert shown is not None
        questions.show(shown)
        waiting = [group.create_task(questions.answer(asked(number))) for number in (3, 1)]
        assert await number_of_first(questions) == 2
        questions.give(shown, Once())
        assert await number_of_first(questions) == 1
        for task in waiting:
            task.cancel()

"""Questions to a person: asked one after the other at the desk, answered in any words, kept through a restart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tool_harness import Bench, CheckFailed

from call_harness import Person, opened, settled
from handrail.contract.calls import Completed, Failed, Rejected
from handrail.contract.confirmation import CancelCall, Once, QuestionConfirmation, Reject, Reply
from handrail.errors import UsageError
from handrail.policy import rules_from
from handrail.runtime.askers import LeftOpen, Nobody
from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.settings.places import STATE_VARIABLE
from handrail.surfaces.cli.asking import YesToAll
from handrail.tools.ask_user import AskUser
from handrail.tools.planning.replies import reply_text
from handrail.wire import Wire
from neutral_calls import calls

PORT = {"question": "Which port?"}
STORE = {
    "question": "Which store?",
    "header": "Store",
    "options": [{"label": "SQLite", "description": "one file"}, {"label": "Postgres"}],
}
PARTS_OF_IT = {"question": "Which parts?", "multi_select": True, "options": [{"label": "A"}, {"label": "B"}]}


async def test_each_question_is_shown_with_what_its_options_mean(tmp_path: Path) -> None:
    person = Person(Reply(" 8080 "), Reply("SQLite"), Reply(["A", "B", "A"]))
    async with opened(tmp_path, AskUser(), asker=person, mode="default") as session:
        state = await settled(session, "ask_user", {"questions": [PORT, STORE, PARTS_OF_IT]})
    assert isinstance(state, Completed)
    assert state.result.text == "Which port?\n→ 8080\n\nWhich store?\n→ SQLite\n\nWhich parts?\n→ A, B"
    assert state.result.data == {
        "answers": [
            {"question": "Which port?", "answer": "8080"},
            {"question": "Which store?", "answer": "SQLite"},
            {"question": "Which parts?", "answer": "A, B"},
        ],
        "complete": True,
    }
    assert [call.confirmation for call in person.asked] == [
        QuestionConfirmation("A question", "Which port?"),
        QuestionConfirmation("Store", "Which store?", ("SQLite", "Postgres"), descriptions=("one file", "")),
        QuestionConfirmation("A question", "Which parts?", ("A", "B"), several=True),
    ]


@pytest.mark.parametrize(
    ("reply", "text"),
    [("  yes\n", "yes"), ("", ""), (["B", "A", "B"], "B, A"), ({"a": "ü"}, '{"a": "ü"}'), (7, "7"), (None, "null")],
)
def test_a_reply_of_any_kind_is_text_for_the_model(reply: Any, text: str) -> None:
    assert reply_text(reply) == text


@pytest.mark.parametrize(
    ("answers", "text"),
    [
        ([Reject("ask later")], "ask later"),
        ([Reply("8080"), Reject("enough")], "Which port?\n→ 8080\n\nThe person did not answer the rest: "),
        ([Reply(""), Reject()], "Which port?\n→ (an empty answer)\n\nThe person did not answer"),
        ([Reply("8080"), CancelCall()], "Which port?\n→ 8080\n\nThe person did not answer the rest: "),
    ],
)
async def test_a_refusal_keeps_what_was_answered(tmp_path: Path, answers: list[Any], text: str) -> None:
    async with opened(tmp_path, AskUser(), asker=Person(*answers)) as session:
        state = await settled(session, "ask_user", {"questions": [PORT, STORE]})
    assert text in state.result.text
    assert isinstance(state, Completed if isinstance(answers[0], Reply) else Failed)


@pytest.mark.parametrize("asker", [Nobody(), YesToAll()], ids=["nobody", "yes to all"])
async def test_only_a_person_answers_a_question(tmp_path: Path, asker: Any) -> None:
    async with opened(tmp_path, AskUser(), asker=asker) as session:
        state = await settled(session, "ask_user", {"questions": [PORT]})
    assert isinstance(state, Failed)
    assert "a person is to answer it" in state.fault.message


async def test_an_allow_rule_answers_no_question_and_a_deny_rule_forbids_asking(tmp_path: Path) -> None:
    person = Person(Reply("8080"))
    allow = rules_from([{"tool": "*", "decision": "allow"}], "test")
    async with opened(tmp_path, AskUser(), asker=person, rules=allow) as session:
        assert "8080" in (await settled(session, "ask_user", {"questions": [PORT]})).result.text
    deny = rules_from([{"tool": "AskUserQuestion", "decision": "deny"}], "test")
    async with opened(tmp_path, AskUser(), asker=person, rules=deny) as session:
        assert isinstance(await settled(session, "ask_user", {"questions": [PORT]}), Rejected)


async def test_a_yes_is_no_answer_to_a_question(tmp_path: Path) -> None:
    async with opened(tmp_path, AskUser(), asker=LeftOpen()) as session:
        turn = await session.run(calls(("ask_user", {"questions": [PORT]})), Wire.NEUTRAL)
        (open_,) = session.pending()
        with pytest.raises(UsageError, match="a yes is no answer"):
            session.answer(open_.approval, Once(), "test")
        done = await session.resume(turn, {open_.approval: Reply("8080")})
        assert "8080" in done.calls[0].result.text


async def test_answers_outlive_the_process_and_no_question_is_asked_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "state"))
    (tmp_path / "ws").mkdir()
    parts = Parts(asker=LeftOpen())
    async with Session.open(tmp_path / "ws", parts=parts) as session:
        turn = await session.run(calls(("ask_user", {"questions": [PORT, STORE]})), Wire.NEUTRAL)
        (port,) = session.pending()
        await session.resume(turn, {port.approval: Reply("8080")})
        assert [call.confirmation.question for call in session.pending()] == ["Which store?"]
    async with Session.open(tmp_path / "ws", session=session.id, parts=parts) as again:
        (parked,) = await again.take_up()
        (store,) = again.pending()
        assert store.confirmation == QuestionConfirmation(
            "Store", "Which store?", ("SQLite", "Postgres"), descriptions=("one file", "")
        )
        done = await again.resume(parked, {store.approval: Reply("Postgres")})
    assert done.calls[0].result.text == "Which port?\n→ 8080\n\nWhich store?\n→ Postgres"


@pytest.mark.parametrize(
    ("options", "said"),
    [(["yes"], "has one option"), (["A", "a "], "are the same"), (["A", "\u200b"], "or empty")],
)
async def test_options_must_leave_a_choice(tmp_path: Path, options: list[str], said: str) -> None:
    asked = {"question": "Well?", "options": [{"label": label} for label in options]}
    with pytest.raises(CheckFailed, match=said):
        await Bench(tmp_path).run(AskUser(), questions=[asked])

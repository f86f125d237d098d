"""Keys and texts in, answers out: what a person at a question may do, and what comes of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from handrail.contract.basics import ApprovalId, CallId, Instant, JsonObject
from handrail.contract.calls import AwaitingApproval, CallForm, CallRequest, ObjectArguments
from handrail.contract.confirmation import (
    Always,
    Confirmation,
    EditArguments,
    GrantOption,
    GrantScope,
    InfoConfirmation,
    Once,
    PlanConfirmation,
    QuestionConfirmation,
    Reject,
    Reply,
)
from handrail.contract.decision import Decision, FromMode, Outcome
from handrail.errors import UsageError
from handrail.surfaces.terminal.dialog import Dialog, said_in_words
from handrail.surfaces.terminal.steps import Stop, Toggled, Wants
from handrail.tools import builtin_tools

SCOPES: tuple[GrantScope, ...] = ("session", "user")
GRANTS = tuple(GrantOption(f"writing b.txt, {scope}", scope, "write_file") for scope in SCOPES)
FORM: JsonObject = {
    "properties": {
        "name": {"type": "string", "description": "Who?"},
        "age": {"type": "integer", "default": 7},
        "sure": {"type": "boolean"},
        "size": {"enum": ["S", "M"]},
    },
    "required": ["name"],
}
ONE_OF = QuestionConfirmation("Store", "Which?", ("SQLite", "Postgres"), descriptions=("one file", ""))
SEVERAL = QuestionConfirmation("Parts", "Which ones?", ("A", "B", "C"), several=True)
FREE = QuestionConfirmation("Why", "Why?")
FILLED = QuestionConfirmation("Who", "Who?", form=FORM, from_server="desk")
PLAN = PlanConfirmation("A plan", "1. Cut", Path("/ws/plan.md"), ("default", "accept-edits"))
CALL = InfoConfirmation("Write b.txt", "b.txt")


def asked(confirmation: Confirmation, offers: tuple[GrantOption, ...] = ()) -> Dialog:
    (tool,) = (tool for tool in builtin_tools() if tool.name == "write_file")
    arguments = {"file_path": "b.txt", "content": "x"}
    request = CallRequest(CallId("c1"), "write_file", ObjectArguments(arguments), form=CallForm.FUNCTION)
    why = Decision(Outcome.ASK, FromMode("default"), "It writes.")
    at = Instant(0.0)
    call = AwaitingApproval(request, at, tool.bind(arguments), why, ApprovalId("a1"), confirmation, at, offers)
    return Dialog(call)


KEYS = [
    (CALL, "y", Once()),
    (CALL, "1", Always(GRANTS[0])),
    (CALL, "2", Always(GRANTS[1])),
    (CALL, "3", None),
    (CALL, "e", Wants.ARGUMENTS),
    (CALL, "n", Wants.FEEDBACK),
    (CALL, "s", Stop.TURN),
    (CALL, "Y", None),
    (CALL, "\r", None),
    (CALL, "", None),
    (PLAN, "y", Once()),
    (PLAN, "2", Reply("accept-edits")),
    (PLAN, "1", None),
    (PLAN, "e", None),
    (PLAN, "n", Wants.FEEDBACK),
    (ONE_OF, "1", Reply("SQLite")),
    (ONE_OF, "2", Reply("Postgres")),
    (ONE_OF, "r", Wants.REPLY),
    (ONE_OF, "y", None),
    (SEVERAL, "y", None),
    (SEVERAL, "2", Toggled((2,))),
    (FREE, "r", Wants.REPLY),
    (FREE, "n", Wants.FEEDBACK),
    (FILLED, "r", Wants.FORM),
]


@pytest.mark.parametrize(("confirmation", "key", "step"), KEYS)
def test_a_key_does_what_it_is_shown_to_do_and_any_other_nothing(confirmation, key, step) -> None:
    dialog = asked(confirmation, GRANTS if confirmation is CALL else ())
    assert dialog.press(key) == step
    assert (key in [choice.key for choice in dialog.choices]) == (step is not None)


def test_of_several_options_each_key_turns_one_on_or_off_and_then_they_are_the_reply() -> None:
    dialog = asked(SEVERAL)
    assert [dialog.press(key) for key in "3113"] == [Toggled((3,)), Toggled((1, 3)), Toggled((3,)), Toggled(())]
    dialog.press("3")
    dialog.press("1")
    assert [choice.label for choice in dialog.choices[:3]] == ["[x] A", "[ ] B", "[x] C"]
    assert dialog.press("y") == Reply(["A", "C"])


@pytest.mark.parametrize(
    ("confirmation", "wants", "text", "answer"),
    [
        (CALL, Wants.FEEDBACK, " use c.txt ", Reject("use c.txt")),
        (CALL, Wants.FEEDBACK, "", Reject("")),
        (
            CALL,
            Wants.ARGUMENTS,
            '{"file_path": "c.txt", "content": ""}',
            EditArguments({"file_path": "c.txt", "content": ""}),
        ),
        (FREE, Wants.REPLY, "because\nof this", Reply("because\nof this")),
        (FILLED, Wants.FORM, '{"name": "Ada"}', Reply({"name": "Ada"})),
    ],
)
def test_what_is_typed_becomes_the_answer(confirmation, wants, text, answer) -> None:
    assert asked(confirmation).typed(wants, text) == answer


@pytest.mark.parametrize(
    ("wants", "text", "problem"),
    [
        (Wants.ARGUMENTS, "{", "not JSON"),
        (Wants.ARGUMENTS, "[]", "one JSON object"),
        (Wants.ARGUMENTS, '{"file_path": 3, "content": ""}', "file_path"),
        (Wants.FORM, "Ada", "not JSON"),
    ],
)
def test_what_can_not_be_used_is_told_and_answers_nothing(wants, text, problem) -> None:
    with pytest.raises(UsageError, match=problem):
        asked(CALL).typed(wants, text)


def test_arguments_stand_there_to_be_edited_and_unedited_they_are_the_same() -> None:
    dialog = asked(CALL)
    assert dialog.typed(Wants.ARGUMENTS, dialog.prefilled(Wants.ARGUMENTS)) == EditArguments(
        dialog.call.invocation.arguments
    )


def test_a_form_begins_with_its_defaults_and_first_choices() -> None:
    assert json.loads(asked(FILLED).prefilled(Wants.FORM)) == {"name": "", "age": 7, "sure": False, "size": "S"}


@pytest.mark.parametrize(
    ("confirmation", "wants"), [(FREE, Wants.REPLY), (FILLED, Wants.FORM), (ONE_OF, None), (CALL, None)]
)
def test_only_where_there_is_nothing_to_choose_typing_begins_at_once(confirmation, wants) -> None:
    assert asked(confirmation).starts_with is wants


def test_a_grant_is_spelled_out_and_what_a_model_wrote_in_it_is_made_printable() -> None:
    evil = GrantOption("writing \x1b[2Jb.txt", "session", "write_file")
    labels = [choice.label for choice in asked(CALL, (*GRANTS, evil)).choices]
    assert labels[1:4] == [
        "yes, and always: writing b.txt, session",
        "yes, and always: writing b.txt, user",
        "yes, and always: writing \\x1b[2Jb.txt",
    ]


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (Once(), "yes"),
        (Always(GRANTS[0]), "yes, and always: writing b.txt, session"),
        (Stop.TURN, "no, and stop"),
        (Reply("SQLite"), "SQLite"),
        (Reply(["A", "C"]), "A, C"),
        (Reply({"name": "Ada"}), '{"name": "Ada"}'),
        (Reject("later"), "no: later"),
    ],
)
def test_an_answer_is_told_in_the_words_it_was_given_in(result, words) -> None:
    assert said_in_words(result) == words

from __future__ import annotations

import json
import os
from pathlib import Path

from handrail.contract.basics import CallId
from handrail.contract.calls import CallRequest, Canceller, ObjectArguments
from handrail.contract.decision import Decision, FromMode, FromRule, Outcome, RuleRef
from handrail.contract.results import CallFault, ErrorKind, ToolResult
from handrail.runtime import wording

SNAPSHOT = Path(__file__).parent / "snapshots" / "wording.json"
UPDATE = "HANDRAIL_UPDATE_SNAPSHOTS"
"""Set it to 1 to write what the texts say now; read the difference before you keep it."""

ASKED = Decision(Outcome.ASK, FromMode("default"), "It writes in the workspace (a.txt), which default mode asks about.")
BY_RULE = Decision(Outcome.DENY, FromRule(RuleRef("policy.toml", 3, "")), "Denied by the rule at policy.toml:3.")
PERSON = Canceller("a person at terminal", is_person=True)
PARENT = Canceller("the call c1 that made it")
CLOSED = Canceller("the session", "it was closed")
INTERRUPT = Canceller("the person", "interrupted with SIGINT", is_person=True)
REQUEST = CallRequest(CallId("c1"), "edit_file", ObjectArguments({}))


def denied_with(reason: str) -> tuple[CallFault, ToolResult]:
    return wording.denied("edit_file", Decision(Outcome.DENY, ASKED.source, reason))


SAID: dict[str, tuple[CallFault, ToolResult]] = {
    "denied by a rule": wording.denied("edit_file", BY_RULE),
    "denied, for nobody can be asked": denied_with(wording.nobody_to_ask(ASKED)),
    "denied, for only a person may say yes": denied_with(wording.person_needed(ASKED)),
    "denied, for the one to ask failed": denied_with(wording.asker_failed(ASKED, "KeyError: 'x'")),
    "denied, and that can't be kept": wording.not_kept(*wording.denied("edit_file", BY_RULE), "the journal is full."),
    "rejected by a person": wording.rejected("edit_file", ""),
    "rejected by a person with a reason": wording.rejected("edit_file", "Use b.txt."),
    "expired": wording.expired("edit_file"),
    "cancelled by a person, not started": wording.cancelled(PERSON, started=False),
    "cancelled by its parent, not started": wording.cancelled(PARENT, started=False),
    "cancelled as the session closed": wording.cancelled(CLOSED, started=True),
    "cancelled by an interrupt, with output": wording.cancelled(INTERRUPT, started=True, partial="1 passed"),
    "timed out": wording.timed_out("shell", 120),
    "interrupted": wording.interrupted("shell", "the program ended while it ran"),
    "lost": wording.lost("shell"),
    "its result is gone": wording.result_gone("shell", "completed"),
    "failed as it says": wording.failed("edit_file", "old_string was not found in a.txt. Read it.", expected=True),
    "failed by its own fault": wording.failed("edit_file", "KeyError: 'x'", expected=False),
    "arguments can't be used": wording.unusable(REQUEST, "they are not JSON", '{"a": '),
}

KINDS = {
    "denied": ErrorKind.DENIED,
    "rejected": ErrorKind.REJECTED,
    "expired": ErrorKind.EXPIRED,
    "cancelled": ErrorKind.CANCELLED,
    "timed": ErrorKind.TIMEOUT,
    "interrupted": ErrorKind.INTERRUPTED,
    "lost": ErrorKind.INTERRUPTED,
    "its": ErrorKind.INTERRUPTED,
    "failed": ErrorKind.FAILED,
    "arguments": ErrorKind.INVALID_ARGUMENTS,
}


def test_what_a_model_is_told_has_not_changed_unnoticed() -> None:
    text = json.dumps({case: said[1].text for case, said in SAID.items()}, indent=2, ensure_ascii=False) + "\n"
    if os.environ.get(UPDATE) == "1":
        SNAPSHOT.parent.mkdir(exist_ok=True)
        SNAPSHOT.write_text(text, "utf-8")
    assert SNAPSHOT.read_text("utf-8") == text


def test_no_two_endings_are_told_alike() -> None:
    texts = [said[1].text for said in SAID.values()]
    assert len(set(texts)) == len(texts)


def test_each_ending_has_the_kind_that_it_is_named_by() -> None:
    assert {case: said[0].kind for case, said in SAID.items()} == {
        case: KINDS[case.split()[0].rstrip(",")] for case in SAID
    }


def test_whoever_only_may_have_run_is_told_to_look_before_it_repeats() -> None:
    uncertain = {ErrorKind.TIMEOUT, ErrorKind.INTERRUPTED}
    assert all("ook " in said[1].text for said in SAID.values() if said[0].kind in uncertain)


def test_only_what_a_person_stopped_is_said_to_be_a_persons_doing() -> None:
    told = {case: "person" in said[1].text for case, said in SAID.items() if case.startswith("cancelled")}
    assert told == {
        "cancelled by a person, not started": True,
        "cancelled by its parent, not started": False,
        "cancelled as the session closed": False,
        "cancelled by an interrupt, with output": True,
    }

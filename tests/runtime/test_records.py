from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

import pytest
from journal_states import (
    APPROVED,
    ARGUMENTS,
    EVERY_STATE,
    EXECUTING,
    INVOCATION,
    PENDING,
    REJECTED,
    REQUEST,
    SECRET,
    WriteNote,
)
from pydantic import BaseModel

from handrail.contract.basics import CallId, Instant
from handrail.contract.calls import (
    Approved,
    AwaitingApproval,
    CallRequest,
    CallState,
    Cancelled,
    Completed,
    Executing,
    Failed,
    FreeText,
    Interrupted,
    Pending,
    Rejected,
    UnusableArguments,
)
from handrail.contract.decision import Decision, FromPerson, FromRule, Outcome, RuleRef
from handrail.contract.effects import Effects, PathEffect, SimpleCommand
from handrail.contract.results import CallFault, DiffDisplay, ErrorKind, ImagePart, TextPart, ToolResult
from handrail.contract.secret import Secret
from handrail.contract.tool import Tool
from handrail.contract.transitions import STATES
from handrail.runtime.records import Record, Recorder, payload_digest
from handrail.runtime.redacted_view import view_of
from handrail.settings.redaction import Redactor

SALT = b"0123456789abcdef"


def record_of(state: CallState, salt: bytes = SALT) -> Record:
    """By a recorder that knows the secret of the calls here as the value of a variable."""
    return Recorder(Redactor({"NOTE_PASSWORD": SECRET})).record_of(state, salt)


ALLOWED = {"outcome": "allow", "source": "rule:policy.toml:3", "reason": "Rule 3 allows it."}
ASKED = {"outcome": "ask", "source": "check:protected-paths", "reason": "Asked every time.", "needs_person": True}
REFUSED = {"outcome": "deny", "source": "person:terminal", "reason": "A person said no."}
EFFECTS = {
    "certainty": "exact",
    "read_only": False,
    "destructive": False,
    "reads": ["/home/ada/"],
    "writes": ["/home/ada/notes.txt"],
    "connects": ["example.org"],
    "runs": ["tee", ""],
}
BOUND = {"name": "WriteNote", "tool": "write_note"}
VIEW = {"file_path": "notes.txt", "text": "[redacted:$NOTE_PASSWORD]"}
RAN = {**BOUND, "decision": ALLOWED, "seconds_in_all": 4.5, "seconds_running": 1.5}

EVENTS = {
    Pending: (100.0, "arguments", {"name": "WriteNote"}),
    AwaitingApproval: (
        101.0,
        "confirmation",
        {**BOUND, "decision": ASKED, "approval": "approval-1", "arguments": VIEW},
    ),
    Approved: (102.0, None, {**BOUND, "decision": ALLOWED, "effects": EFFECTS, "attempt": 1, "arguments": VIEW}),
    Executing: (103.0, None, {**BOUND, "decision": ALLOWED, "effects": EFFECTS, "attempt": 1}),
    Completed: (104.5, "result", RAN),
    Failed: (104.5, "result", {**RAN, "fault": "timeout"}),
    Interrupted: (104.5, "result", {**RAN, "fault": "interrupted"}),
    Rejected: (
        104.5,
        "result",
        {**BOUND, "decision": REFUSED, "seconds_in_all": 4.5, "fault": "rejected", "arguments": VIEW},
    ),
    Cancelled: (104.5, "result", {"name": "WriteNote", "seconds_in_all": 4.5, "fault": "cancelled"}),
}

TEXT_RESULT = {
    "type": "ToolResult",
    "parts": [{"type": "TextPart", "text": SECRET}],
    "display": None,
    "fault": None,
    "data": {"written": 20},
    "follow_up": None,
}
CONFIRMATION = {
    "type": "EditConfirmation",
    "title": "Write notes.txt",
    "path": "/home/ada/notes.txt",
    "old": None,
    "new": SECRET,
}


def result_of(kind: str) -> dict[str, object]:
    fault = {"type": "CallFault", "kind": kind, "message": f"{kind} while {SECRET} was written"}
    return {"result": TEXT_RESULT, "fault": fault, "part": SECRET}


PAYLOADS = {
    Pending: {
        "name": "WriteNote",
        "arguments": {"type": "ObjectArguments", "value": dict(ARGUMENTS)},
        "wire_id": "toolu_1",
        "form": "function",
        "server": "",
        "notes": [],
    },
    AwaitingApproval: {
        "arguments": {"file_path": "notes.txt", "text": SECRET},
        "confirmation": CONFIRMATION,
        "decision": {
            "type": "Decision",
            "outcome": "ask",
            "source": {"type": "FromCheck", "check": "protected-paths"},
            "reason": "Asked every time.",
            "part": SECRET,
            "needs_person": True,
        },
        "offers": [],
        "expires_at": None,
    },
    Completed: {"result": TEXT_RESULT, "fault": None, "part": SECRET},
    Failed: result_of("timeout"),
    Interrupted: result_of("interrupted"),
    Rejected: result_of("rejected"),
    Cancelled: {key: value for key, value in result_of("cancelled").items() if key != "part"},
}


def test_the_tables_hold_every_state():
    assert set(EVERY_STATE) == set(EVENTS) == set(STATES)
    assert set(PAYLOADS) == {state for state in STATES if EVENTS[state][1] is not None}


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_an_event_accounts_for_the_call(state):
    record = record_of(EVERY_STATE[state], SALT)
    at, kind, expected = EVENTS[state]
    body = json.loads(record.body)
    kept = body.pop("payload", None)
    assert (record.state, record.call, record.parent, record.at) == (state.__name__, "call-1", "call-0", at)
    assert body == expected
    assert (kept and kept["kind"]) == kind


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_an_event_gives_no_secret_of_arguments_or_results_away(state):
    assert SECRET not in record_of(EVERY_STATE[state], SALT).body


@pytest.mark.parametrize("state", PAYLOADS, ids=lambda state: state.__name__)
def test_a_payload_keeps_all_and_the_event_its_salted_hash(state):
    record = record_of(EVERY_STATE[state], SALT)
    assert json.loads(record.payload.content) == PAYLOADS[state]
    assert json.loads(record.body)["payload"]["sha256"] == payload_digest(SALT, record.payload.content)


TOKEN = "ghp_" + "a1B2" * 9


@pytest.mark.parametrize(
    "quoting",
    [
        replace(APPROVED, decision=replace(APPROVED.decision, reason=f"A rule on 'curl {TOKEN}' allows it.")),
        replace(APPROVED, effects=Effects(connects=frozenset({f"{TOKEN}.example.org"}))),
        replace(APPROVED, effects=Effects(keys=frozenset({f"db:{TOKEN}"}))),
        replace(APPROVED, effects=Effects(runs=(SimpleCommand(TOKEN, (TOKEN,)),))),
        replace(APPROVED, effects=Effects(writes=frozenset({PathEffect(Path("/x"), Path(f"/x/{TOKEN}"), "tree")}))),
        replace(APPROVED, effects=Effects(reads=frozenset({PathEffect(Path("/x"), Path(f"/x/{TOKEN}"))}))),
        replace(APPROVED, decision=Decision(Outcome.ALLOW, FromRule(RuleRef(TOKEN, 1, "")), "Why not.")),
        Pending.receive(CallRequest(CallId("c"), f"call_{TOKEN} now", REQUEST.arguments), Instant(1.0)),
        replace(APPROVED, invocation=WriteNote().bind({"file_path": TOKEN, "text": ""})),
        REJECTED,
    ],
    ids=["reason", "host", "key", "program", "written", "read", "source", "name", "argument", "rejection"],
)
def test_no_field_of_an_event_shows_a_token(quoting):
    said_no = replace(REJECTED.decision, reason=f"Not with {TOKEN}!")
    state = replace(quoting, decision=said_no) if isinstance(quoting, Rejected) else quoting
    body = record_of(state).body
    assert TOKEN not in body
    assert "[redacted:github-token]" in body


class Login(BaseModel):
    user: str
    code: Annotated[int, Secret()]


class LogIn(Tool[Login]):
    name = "log_in"

    async def run(self, params: Login) -> ToolResult:
        return ToolResult.of_text("in")


def test_what_a_tool_marks_as_secret_is_in_no_part_of_its_events():
    invocation = LogIn().bind({"user": "ada", "code": 4711})
    said = Decision(Outcome.ALLOW, FromPerson("terminal"), "Approved: log_in ada 4711")
    body = json.loads(record_of(replace(APPROVED, invocation=invocation, decision=said)).body)
    assert body["arguments"] == {"user": "ada", "code": "[redacted:marked]"}
    assert body["decision"]["reason"] == "Approved: log_in ada [redacted:marked]"


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ({"text": "x" * 201}, {"text": "[201 characters]"}),
        ({"text": "a\nb"}, {"text": "[3 characters]"}),
        ({"edits": [{"old": "a", "new": "b"}], "all": True}, {"edits": [{"old": "a", "new": "b"}], "all": True}),
        ({"rows": list(range(51))}, {"rows": "[51 items]"}),
        ({"a": {"b": {"c": {"d": {"e": {}}}}}}, {"a": {"b": {"c": {"d": {"e": "[0 items]"}}}}}),
        ({"rows": ["x" * 60] * 40}, {"rows": "[40 items]"}),
        ({"limit": None, "share": 0.5}, {"limit": None, "share": 0.5}),
    ],
    ids=["long text", "lines", "nested", "many", "deep", "large", "plain"],
)
def test_the_view_of_arguments_has_options_and_no_content(arguments, shown):
    assert view_of(arguments, Redactor({})) == shown


def test_the_view_of_many_arguments_is_bounded():
    view = view_of({f"{'n' * 300}{n}": "x" for n in range(10_000)}, Redactor({}))
    assert view["…"] == "[9,950 more]"
    assert len(json.dumps(view)) < 20_000


def test_equal_arguments_give_other_hashes_under_another_salt():
    one, other = (json.loads(record_of(PENDING, salt).body)["payload"]["sha256"] for salt in (SALT, SALT[::-1]))
    assert one != other


def test_a_bound_pending_call_names_its_tool():
    assert json.loads(record_of(PENDING.bind(INVOCATION), SALT).body)["tool"] == "write_note"


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        (FreeText("*** Begin Patch"), {"type": "FreeText", "text": "*** Begin Patch"}),
        (
            UnusableArguments("{'a'", "not JSON"),
            {"type": "UnusableArguments", "preview": "{'a'", "problem": "not JSON"},
        ),
    ],
    ids=["free text", "unusable"],
)
def test_arguments_that_are_no_object_are_kept_as_they_came(arguments, kept):
    request = CallRequest(CallId("c"), "t", arguments)
    record = record_of(Pending.receive(request, Instant(1.0)), SALT)
    assert json.loads(record.payload.content)["arguments"] == kept


CIRCULAR: dict[str, object] = {}
CIRCULAR["itself"] = CIRCULAR
DEEP: list[object] = []
for _ in range(100_000):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    ("result", "kept"),
    [
        (ToolResult((ImagePart(b"\x00\xff", "image/png"),)), '"base64":"AP8="'),
        (ToolResult.of_text("", display=DiffDisplay(Path("/a"), None, "x")), '"path":"/a"'),
        (ToolResult.of_text("half a pair: \ud800"), "\\ud800"),
        (ToolResult((), data={"day": date(2026, 1, 2)}), '{"not_encoded":"date"}'),
        (ToolResult((), data=MappingProxyType({"a": 1})), '"data":{"a":1}'),
        (ToolResult((), data={(1, 2): 3}), "not_encoded"),
        (ToolResult((), data=CIRCULAR), "not_encoded"),
        (ToolResult((), data={"deep": DEEP}), "not_encoded"),
    ],
    ids=["image", "diff", "surrogate", "date", "mapping", "keys", "circular", "deep"],
)
def test_whatever_a_tool_returned_can_be_kept(result, kept):
    record = record_of(EXECUTING.complete(result, Instant(104.5)), SALT)
    assert kept in record.payload.content
    json.loads(record.payload.content)


def test_the_fault_of_a_result_stands_in_the_event_of_a_completed_call():
    result = ToolResult((TextPart("no such file"),), fault=CallFault(ErrorKind.FAILED, "no such file"))
    assert json.loads(record_of(EXECUTING.complete(result, Instant(104.5)), SALT).body)["fault"] == "failed"


def test_an_id_that_is_no_unicode_is_kept_in_a_form_that_is():
    request = CallRequest(CallId("call-\udc80"), "t\udc80", REQUEST.arguments)
    record = record_of(Pending.receive(request, Instant(1.0)), SALT)
    assert record.call == "call-\\udc80"
    record.body.encode()

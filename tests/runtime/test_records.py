from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from types import MappingProxyType

import pytest
from journal_states import ARGUMENTS, EVERY_STATE, EXECUTING, INVOCATION, PENDING, REQUEST, SECRET

from handrail.contract.basics import CallId, Instant
from handrail.contract.calls import (
    Approved,
    AwaitingApproval,
    CallRequest,
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
from handrail.contract.results import CallFault, DiffDisplay, ErrorKind, ImagePart, TextPart, ToolResult
from handrail.contract.transitions import STATES
from handrail.runtime.records import payload_digest, record_of

SALT = b"0123456789abcdef"

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
RAN = {**BOUND, "decision": ALLOWED, "seconds_in_all": 4.5, "seconds_running": 1.5}

EVENTS = {
    Pending: (100.0, "arguments", {"name": "WriteNote"}),
    AwaitingApproval: (101.0, "confirmation", {**BOUND, "decision": ASKED, "approval": "approval-1"}),
    Approved: (102.0, None, {**BOUND, "decision": ALLOWED, "effects": EFFECTS, "attempt": 1}),
    Executing: (103.0, None, {**BOUND, "decision": ALLOWED, "effects": EFFECTS, "attempt": 1}),
    Completed: (104.5, "result", RAN),
    Failed: (104.5, "result", {**RAN, "fault": "timeout"}),
    Interrupted: (104.5, "result", {**RAN, "fault": "interrupted"}),
    Rejected: (104.5, "result", {**BOUND, "decision": REFUSED, "seconds_in_all": 4.5, "fault": "rejected"}),
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
    AwaitingApproval: {"confirmation": CONFIRMATION, "part": SECRET},
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
def test_an_event_gives_nothing_of_arguments_or_results_away(state):
    assert SECRET not in record_of(EVERY_STATE[state], SALT).body


@pytest.mark.parametrize("state", PAYLOADS, ids=lambda state: state.__name__)
def test_a_payload_keeps_all_and_the_event_its_salted_hash(state):
    record = record_of(EVERY_STATE[state], SALT)
    assert json.loads(record.payload.content) == PAYLOADS[state]
    assert json.loads(record.body)["payload"]["sha256"] == payload_digest(SALT, record.payload.content)


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

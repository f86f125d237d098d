from __future__ import annotations

import json
from pathlib import Path

import pytest
from journal_states import APPROVED, AWAITING, COMPLETED, EVERY_STATE, EXECUTING, FAILED, PENDING, REJECTED, SECRET

from handrail.contract.basics import Instant, SessionId
from handrail.contract.calls import Pending
from handrail.runtime.histories import histories, recorded_events
from handrail.runtime.journal import SqliteJournal
from handrail.runtime.spans import otlp, state_name
from handrail.settings.redaction import Redactor

SESSION = SessionId("session-1")


async def exported(tmp_path: Path, *states) -> list[dict]:
    path = tmp_path / "journal.sqlite"
    redactor = Redactor({"NOTE_PASSWORD": SECRET})
    journal = await SqliteJournal.open(path, SESSION, workspace=tmp_path, started=Instant(1.0), redactor=redactor)
    for state in states:
        journal.append(state)
    await journal.close()
    request = json.loads(json.dumps(otlp([(SESSION, histories(recorded_events(path, SESSION)))], "1.2")))
    (resource,) = request["resourceSpans"]
    assert {"key": "service.name", "value": {"stringValue": "handrail"}} in resource["resource"]["attributes"]
    (scope,) = resource["scopeSpans"]
    assert scope["scope"] == {"name": "handrail", "version": "1.2"}
    return scope["spans"]


def attributes(span: dict) -> dict:
    return {each["key"]: next(iter(each["value"].values())) for each in span["attributes"]}


async def test_a_call_is_one_span_from_its_request_to_its_end(tmp_path):
    (span,) = await exported(tmp_path, PENDING, AWAITING, APPROVED, EXECUTING, COMPLETED)
    assert (span["name"], span["kind"], span["status"]) == ("execute_tool write_note", 1, {})
    assert (span["startTimeUnixNano"], span["endTimeUnixNano"]) == ("100000000000", "104500000000")
    assert [event["name"] for event in span["events"]] == [
        "pending",
        "awaiting_approval",
        "approved",
        "executing",
        "completed",
    ]
    assert attributes(span) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "write_note",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": "call-1",
        "gen_ai.tool.call.arguments": '{"file_path": "notes.txt", "text": "[redacted:$NOTE_PASSWORD]"}',
        "gen_ai.conversation.id": "session-1",
        "handrail.call.state": "completed",
        "handrail.decision.outcome": "allow",
        "handrail.decision.source": "rule:policy.toml:3",
        "handrail.decision.reason": "Rule 3 allows it.",
        "handrail.attempt": "1",
    }


@pytest.mark.parametrize(
    ("states", "kind"), [((PENDING, EXECUTING, FAILED), "timeout"), ((AWAITING, REJECTED), "rejected")]
)
async def test_a_call_without_a_good_result_is_an_error_of_its_kind(tmp_path, states, kind):
    (span,) = await exported(tmp_path, *states)
    assert span["status"] == {"code": 2, "message": kind}
    assert attributes(span)["error.type"] == kind


async def test_a_child_lies_in_its_parent_and_all_in_one_trace(tmp_path):
    parent = Pending.receive(PENDING.request.__class__("call-0", "outer", PENDING.request.arguments), Instant(99.0))
    outer, inner = await exported(tmp_path, parent, PENDING)
    assert inner["parentSpanId"] == outer["spanId"]
    assert "parentSpanId" not in outer
    assert outer["traceId"] == inner["traceId"]
    assert (len(outer["traceId"]), len(outer["spanId"])) == (32, 16)


async def test_an_open_call_ends_for_now_with_its_last_event(tmp_path):
    (span,) = await exported(tmp_path, PENDING, AWAITING)
    assert span["endTimeUnixNano"] == "101000000000"
    assert attributes(span)["handrail.call.state"] == "awaiting_approval"


async def test_no_span_holds_a_secret(tmp_path):
    assert SECRET not in json.dumps(await exported(tmp_path, *EVERY_STATE.values()))


def test_states_are_named_as_in_other_reports():
    assert [state_name(state.__name__) for state in EVERY_STATE][:2] == ["pending", "awaiting_approval"]

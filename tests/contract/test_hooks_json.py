"""The JSON form of hooks: what a hook that is a program reads, and what it may say."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.contract.hooks import (
    AddContext,
    Allow,
    ApprovalAnswered,
    ApprovalAsked,
    Ask,
    Block,
    Moment,
    ReplaceResult,
    Rewrite,
    ToolFault,
    ToolUse,
    ToolUsed,
    notice_json,
    replies_from_json,
)
from handrail.contract.results import ErrorKind, FollowUp, ToolResult
from handrail.errors import UsageError

CALL = ("c1", None, "shell", {"command": "ls"})
COMMON = {"version": 1, "call": "c1", "parent": None, "tool": "shell", "arguments": {"command": "ls"}}


@pytest.mark.parametrize(
    ("moment", "notice", "told"),
    [
        (Moment.BEFORE, ToolUse(*CALL), {}),
        (Moment.AFTER, ToolUsed(*CALL, ToolResult.of_text("a.txt")), {"result": "a.txt"}),
        (
            Moment.FAILURE,
            ToolFault(*CALL, ErrorKind.TIMEOUT, "too slow"),
            {"error": {"kind": "timeout", "message": "too slow"}},
        ),
        (Moment.ASKED, ApprovalAsked(*CALL, "a-1", "it writes"), {"approval": "a-1", "reason": "it writes"}),
        (
            Moment.ANSWERED,
            ApprovalAnswered(*CALL, "a-1", "approved", "person:web"),
            {"approval": "a-1", "outcome": "approved", "source": "person:web"},
        ),
    ],
    ids=lambda value: value.value if isinstance(value, Moment) else "",
)
def test_a_program_is_told_all_that_a_function_is(moment, notice, told) -> None:
    found = notice_json(moment, notice)
    assert found == {**COMMON, "event": moment.value, **told}
    assert json.loads(json.dumps(found)) == found


@pytest.mark.parametrize(
    ("text", "replies"),
    [
        ("", ()),
        (" \n", ()),
        ("{}", ()),
        ('{"decision": "block", "reason": "no"}', (Block("no"),)),
        ('{"decision": "block"}', (Block(""),)),
        ('{"decision": "ask", "reason": "sure?"}', (Ask("sure?"),)),
        ('{"decision": "allow"}\n', (Allow(""),)),
        ('{"arguments": {"command": "ls -l"}}', (Rewrite({"command": "ls -l"}),)),
        ('{"context": "it is late", "decision": "allow"}', (Allow(""), AddContext("it is late"))),
        ('{"result": "[gone]"}', (ReplaceResult(ToolResult.of_text("[gone]")),)),
        ('{"follow_up": {"tool": "format", "arguments": {}}}', (FollowUp("format", {}),)),
    ],
)
def test_a_program_says_what_a_function_may(text: str, replies: tuple[object, ...]) -> None:
    assert replies_from_json(text) == replies


WRONG = [
    ("words", "ok", "not one JSON object"),
    ("words before the object", 'npm notice\n{"decision": "allow"}', "not one JSON object"),
    ("two objects", "{}\n{}", "not one JSON object"),
    ("NUL bytes behind it", "{}" + "\0" * 100, "not one JSON object"),
    ("nested without end", "[" * 100_000, "not one JSON object"),
    ("an array", "[]", "no object"),
    ("null", "null", "no object"),
    ("another product's key", '{"permissionDecision": "deny"}', "unknown key 'permissionDecision'"),
    ("another product's form", '{"hookSpecificOutput": {"permissionDecision": "deny"}}', "unknown key"),
    ("another word for no", '{"decision": "deny"}', 'decision is "deny"'),
    ("no word", '{"decision": true}', "decision is true"),
    ("a reason for nothing", '{"reason": "no"}', "no decision"),
    ("a reason that is no text", '{"decision": "block", "reason": 7}', "reason is 7"),
    ("arguments that are no object", '{"arguments": "ls"}', 'arguments is "ls"'),
    ("a context that is no text", '{"context": {}}', "context is {}"),
    ("half a follow-up", '{"follow_up": {"tool": "format"}}', "tool and arguments"),
]


@pytest.mark.parametrize(("text", "said"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
def test_whatever_else_a_program_says_is_no_reply(text: str, said: str) -> None:
    with pytest.raises(UsageError, match="hook") as caught:
        replies_from_json(text)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


@given(st.text())
def test_no_text_is_taken_for_an_allow_but_one_that_says_so(text: str) -> None:
    try:
        replies = replies_from_json(text)
    except UsageError:
        return
    assert not any(isinstance(reply, Allow) for reply in replies)

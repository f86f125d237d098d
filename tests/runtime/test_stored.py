from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.contract.basics import CallId
from handrail.contract.calls import Arguments, CallForm, CallRequest, FreeText, ObjectArguments, UnusableArguments
from handrail.contract.confirmation import (
    Always,
    Answer,
    CancelCall,
    Confirmation,
    EditArguments,
    EditConfirmation,
    ExecConfirmation,
    GrantOption,
    InfoConfirmation,
    McpConfirmation,
    Once,
    PlanConfirmation,
    QuestionConfirmation,
    Reject,
    Reply,
    SandboxConfirmation,
)
from handrail.contract.decision import Decision, FromCheck, FromGrant, FromMode, FromRule, FromTool, Outcome, RuleRef
from handrail.contract.effects import SimpleCommand
from handrail.contract.results import (
    AudioPart,
    CallFault,
    DiffDisplay,
    ErrorKind,
    FollowUp,
    ImagePart,
    JsonPart,
    ResourcePart,
    TerminalDisplay,
    TextDisplay,
    TextPart,
    TodoDisplay,
    TodoItem,
    ToolResult,
)
from handrail.runtime.stored import decoded, encoded
from handrail.runtime.who import Answerer, ProcessName
from handrail.wire.response import Response, Wire

texts = st.text(max_size=8) | st.sampled_from(["\ud800", "type", "TextPart", "\x00"])
leaves = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | texts
jsons = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=6
)
objects = st.dictionaries(texts, jsons, max_size=3)
paths = st.sampled_from([Path("/a"), Path("/a/b c"), Path("relative")])
media = st.sampled_from(["image/png", "audio/wav"])


def tuples(items: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(items, max_size=3).map(tuple)


commands = st.builds(SimpleCommand, texts, tuples(texts), st.booleans())
options = st.builds(
    GrantOption,
    texts,
    st.sampled_from(["session", "project", "user"]),
    texts,
    tuples(texts),
    tuples(texts),
    tuples(texts),
    tuples(texts),
    tuples(texts),
    st.none() | objects,
)
confirmations = st.one_of(
    st.builds(EditConfirmation, texts, paths, st.none() | texts, texts),
    st.builds(ExecConfirmation, texts, texts, tuples(commands)),
    st.builds(McpConfirmation, texts, texts, texts, objects),
    st.builds(InfoConfirmation, texts, texts, tuples(texts)),
    st.builds(QuestionConfirmation, texts, texts, tuples(texts), st.none() | objects, texts),
    st.builds(PlanConfirmation, texts, texts, paths),
    st.builds(SandboxConfirmation, texts, texts, tuples(paths), tuples(paths), st.booleans()),
)
answers = st.one_of(
    st.just(Once()),
    st.builds(Always, options),
    st.builds(EditArguments, objects),
    st.builds(Reply, jsons),
    st.builds(Reject, texts),
    st.just(CancelCall()),
)
sources = st.one_of(
    st.builds(FromRule, st.builds(RuleRef, texts, st.integers(0, 99), texts)),
    st.builds(FromMode, texts),
    st.builds(FromGrant, texts),
    st.builds(FromCheck, texts),
    st.just(FromTool()),
)
decisions = st.builds(Decision, st.sampled_from(Outcome), sources, texts, texts, st.booleans())
parts = st.one_of(
    st.builds(TextPart, texts),
    st.builds(ImagePart, st.binary(max_size=4), media),
    st.builds(AudioPart, st.binary(max_size=4), media),
    st.builds(ResourcePart, texts, media, texts),
    st.builds(JsonPart, jsons),
)
faults = st.builds(CallFault, st.sampled_from(ErrorKind), texts)
displays = st.one_of(
    st.builds(TextDisplay, texts, st.booleans()),
    st.builds(DiffDisplay, paths, st.none() | texts, texts),
    st.builds(TerminalDisplay, texts, texts, st.none() | st.integers(0, 255)),
    st.builds(TodoDisplay, tuples(st.builds(TodoItem, texts, st.sampled_from(["pending", "completed"])))),
)
results = st.builds(
    ToolResult,
    tuples(parts),
    st.none() | displays,
    st.none() | faults,
    st.none() | objects,
    st.none() | st.builds(FollowUp, texts, objects),
)
arguments = st.one_of(
    st.builds(ObjectArguments, objects), st.builds(FreeText, texts), st.builds(UnusableArguments, texts, texts)
)
requests = st.builds(
    CallRequest, texts.map(CallId), texts, arguments, texts, st.sampled_from(CallForm), st.none() | texts.map(CallId)
)
responses = st.builds(Response, st.sampled_from(Wire), tuples(requests), tuples(objects), texts, texts, st.booleans())
answerers = st.builds(
    Answerer, texts, texts, texts, tuples(st.builds(ProcessName, st.integers(0, 9), st.integers(0, 9), texts))
)

KEPT: dict[str, tuple[Any, st.SearchStrategy[Any]]] = {
    "confirmation": (Confirmation, confirmations),
    "answer": (Answer, answers),
    "decision": (Decision, decisions),
    "result": (ToolResult, results),
    "fault": (CallFault | None, st.none() | faults),
    "arguments": (Arguments, arguments),
    "response": (Response, responses),
    "answerer": (Answerer, answerers),
}


@pytest.mark.parametrize("name", KEPT)
@given(data=st.data())
def test_what_the_journal_keeps_comes_back_equal(name: str, data: st.DataObject) -> None:
    declared, strategy = KEPT[name]
    value = data.draw(strategy)
    assert decoded(declared, encoded(value)) == value


@pytest.mark.parametrize(
    ("declared", "plain"),
    [
        pytest.param(Answer, {"type": "Yes"}, id="no such answer"),
        pytest.param(Answer, {"type": "GrantOption", "label": "x"}, id="a class of ours that is no answer"),
        pytest.param(Answer, "Once", id="a text"),
        pytest.param(Answer, {"type": "Always", "grant": {"type": "Once"}}, id="another class inside"),
        pytest.param(Answer, {"type": "Always"}, id="a field is missing"),
        pytest.param(Answer, {"type": "Reject", "feedback": 7}, id="a number for a text"),
        pytest.param(ToolResult, {"not_encoded": "TypeError"}, id="a result that could not be written"),
        pytest.param(CallFault, {"type": "CallFault", "kind": "odd", "message": ""}, id="no such kind"),
    ],
)
def test_text_that_holds_no_such_value_is_refused(declared: Any, plain: Any) -> None:
    with pytest.raises(ValueError, match=r".+"):
        decoded(declared, json.dumps(plain))


def test_an_object_that_looks_like_one_of_ours_stays_an_object() -> None:
    value = JsonPart({"type": "ImagePart", "data": {"base64": "AA=="}, "media_type": "image/png"})
    assert decoded(JsonPart, encoded(value)) == value

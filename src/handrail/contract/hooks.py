"""Hooks: code from outside that sees a call before and after it runs, and what it may say.

What a hook is told is one of the values below, what it says is one or more replies, or None for nothing.
Both have a JSON form, version 1, for hooks that are programs: `notice_json` and `replies_from_json`.

| moment | what a hook may reply |
|---|---|
| `before_tool` | `Block`, `Ask`, `Allow` (trusted hooks), `Rewrite`, `AddContext` |
| `after_tool` | `Block`, `ReplaceResult`, `AddContext`, `FollowUp` |
| `failure` | `AddContext` |
| `approval_asked` | `Block` |
| `approval_answered` | nothing |
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TypeAlias

from handrail.contract.basics import ApprovalId, CallId, Json, JsonObject
from handrail.contract.results import ErrorKind, FollowUp, ToolResult
from handrail.contract.values import value
from handrail.errors import UsageError

VERSION = 1


class Moment(StrEnum):
    """When a hook is called. The values are part of the JSON form."""

    BEFORE = "before_tool"
    AFTER = "after_tool"
    FAILURE = "failure"
    ASKED = "approval_asked"
    ANSWERED = "approval_answered"


@value
class OfAgent:
    """A subagent: its id, and which kind of agent it is."""

    id: str
    type: str


@value
class ToolUse:
    """A call that is about to be decided: its arguments fit the tool's schema."""

    call: CallId
    parent: CallId | None
    """The call that made this one; None for the model's own."""
    tool: str
    arguments: JsonObject
    """What would run: the model's, or what a person or an earlier hook made of them."""
    agent: OfAgent | None = None
    """The subagent that makes the call; None for the main agent."""


@value
class ToolUsed:
    """A call whose tool has run and given a result."""

    call: CallId
    parent: CallId | None
    tool: str
    arguments: JsonObject
    result: ToolResult
    agent: OfAgent | None = None


@value
class ToolFault:
    """A call whose tool was started and failed."""

    call: CallId
    parent: CallId | None
    tool: str
    arguments: JsonObject
    kind: ErrorKind
    message: str
    agent: OfAgent | None = None


@value
class ApprovalAsked:
    """A person is about to be asked about a call."""

    call: CallId
    parent: CallId | None
    tool: str
    arguments: JsonObject
    approval: ApprovalId
    reason: str
    """Why it is asked about."""
    agent: OfAgent | None = None


@value
class ApprovalAnswered:
    """A question about a call is closed."""

    call: CallId
    parent: CallId | None
    tool: str
    arguments: JsonObject
    approval: ApprovalId
    outcome: str
    """The state the call went to: `approved`, `rejected`, `edited`, `cancelled`."""
    source: str
    """Who decided: `person:terminal`, or the rule, mode or check where nobody answered."""
    agent: OfAgent | None = None


Notice: TypeAlias = ToolUse | ToolUsed | ToolFault | ApprovalAsked | ApprovalAnswered


@value
class Block:
    """The call doesn't run; after it ran, its result is withheld. The model is told why."""

    reason: str


@value
class Ask:
    """A person is asked, whatever the rules allow."""

    reason: str


@value
class Allow:
    """Answers an ask that only the mode raised. Of trusted hooks alone."""

    reason: str = ""


@value
class Rewrite:
    """Other arguments: validated and decided again from the start, and shown to whoever is asked."""

    arguments: JsonObject


@value
class AddContext:
    """Text for the model, beside the call's result."""

    text: str


@value
class ReplaceResult:
    """The model gets this in place of what the tool gave."""

    result: ToolResult


Reply: TypeAlias = Block | Ask | Allow | Rewrite | AddContext | ReplaceResult | FollowUp

MAY_REPLY: Mapping[Moment, tuple[type, ...]] = {
    Moment.BEFORE: (Block, Ask, Allow, Rewrite, AddContext),
    Moment.AFTER: (Block, ReplaceResult, AddContext, FollowUp),
    Moment.FAILURE: (AddContext,),
    Moment.ASKED: (Block,),
    Moment.ANSWERED: (),
}


def notice_json(moment: Moment, notice: Notice) -> JsonObject:
    """What a hook that is a program reads: one JSON object."""
    told: dict[str, Json] = {
        "version": VERSION,
        "event": moment.value,
        "call": notice.call,
        "parent": notice.parent,
        "tool": notice.tool,
        "arguments": notice.arguments,
    }
    if notice.agent is not None:
        told["agent"] = {"id": notice.agent.id, "type": notice.agent.type}
    match notice:
        case ToolUsed(result=result):
            told["result"] = result.text
        case ToolFault(kind=kind, message=message):
            told["error"] = {"kind": kind.value, "message": message}
        case ApprovalAsked(approval=approval, reason=reason):
            told |= {"approval": approval, "reason": reason}
        case ApprovalAnswered(approval=approval, outcome=outcome, source=source):
            told |= {"approval": approval, "outcome": outcome, "source": source}
    return told


def replies_from_json(text: str) -> tuple[Reply, ...]:
    """What a hook that is a program said: one JSON object with nothing before or behind it, or nothing at all.

        {"decision": "block" | "ask" | "allow", "reason": "…", "arguments": {…}, "context": "…",
         "result": "…", "follow_up": {"tool": "…", "arguments": {…}}}

    Every key may be left out. Raises UsageError, one line, for anything else, unknown keys included: a reply
    that was meant as a block and can't be read must not count as none.
    """
    if not text.strip():
        return ()
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the hook's reply is not one JSON object: {error}") from error
    if not isinstance(document, dict):
        raise UsageError(f"the hook's reply is JSON, but no object: {_shown(document)}")
    if unknown := sorted(set(document) - _READERS.keys() - {"reason"}):
        known = ", ".join([*_READERS, "reason"])
        raise UsageError(f"the hook's reply has the unknown key {unknown[0]!r}; the keys are {known}")
    if "reason" in document and "decision" not in document:
        raise UsageError("the hook's reply gives a reason, but no decision")
    return tuple(read(document) for key, read in _READERS.items() if key in document)


def _decision(document: JsonObject) -> Reply:
    made: dict[object, Callable[[str], Reply]] = {"block": Block, "ask": Ask, "allow": Allow}
    said = document["decision"]
    if not isinstance(said, str) or said not in made:
        raise UsageError(f"the hook's decision is {_shown(said)}; it can be block, ask or allow")
    return made[said](_text(document, "reason") if "reason" in document else "")


def _rewrite(document: JsonObject) -> Reply:
    return Rewrite(_object(document, "arguments"))


def _context(document: JsonObject) -> Reply:
    return AddContext(_text(document, "context"))


def _result(document: JsonObject) -> Reply:
    return ReplaceResult(ToolResult.of_text(_text(document, "result")))


def _follow_up(document: JsonObject) -> Reply:
    asked = _object(document, "follow_up")
    if set(asked) != {"tool", "arguments"}:
        raise UsageError("the hook's follow_up has to hold tool and arguments, and nothing else")
    return FollowUp(_text(asked, "tool"), _object(asked, "arguments"))


def _text(document: JsonObject, key: str) -> str:
    found = document[key]
    if not isinstance(found, str):
        raise UsageError(f"the hook's {key} is {_shown(found)}; it has to be text")
    return found


def _object(document: JsonObject, key: str) -> JsonObject:
    found = document[key]
    if not isinstance(found, dict):
        raise UsageError(f"the hook's {key} is {_shown(found)}; it has to be an object")
    return found


def _shown(found: Json) -> str:
    text = json.dumps(found, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:60]}…"


_READERS: Mapping[str, Callable[[JsonObject], Reply]] = {
    "decision": _decision,
    "arguments": _rewrite,
    "context": _context,
    "result": _result,
    "follow_up": _follow_up,
}

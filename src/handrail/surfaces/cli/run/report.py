"""What `handrail run` tells programs: `docs/reference/run.schema.json`. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from handrail.agent.events import AgentEvent, Compacted, Ended, Finished, Reported, ResponseDone, TurnEnded
from handrail.agent.model import CallBegun, TextArrived, ThinkingArrived, Usage, Waiting
from handrail.agent.spent import ForServers, Spent
from handrail.contract.basics import Json, JsonObject
from handrail.contract.calls import CallState
from handrail.contract.values import value
from handrail.runtime.reports import call_json
from handrail.surfaces.cli import exits

VERSION = 1

EXITS = {
    Ended.DONE: exits.DONE,
    Ended.PARKED: exits.WAITING,
    Ended.TURNS: exits.LIMIT,
    Ended.TOKENS: exits.LIMIT,
    Ended.MONEY: exits.LIMIT,
    Ended.TIME: exits.LIMIT,
    Ended.HOOK: exits.LIMIT,
    Ended.INTERRUPTED: exits.INTERRUPTED,
    Ended.FAILED: exits.MODEL,
}
"""The exit code, by why the work ended."""


@value
class Began:
    """Who works where."""

    session: str
    model: str
    workspace: str
    mode: str


def began_json(began: Began) -> JsonObject:
    about: JsonObject = {"session": began.session, "model": began.model}
    return _event("began", {**about, "workspace": began.workspace, "mode": began.mode})


def finished_json(began: Began, finished: Finished, spent: Spent, calls: Iterable[CallState]) -> JsonObject:
    """All that came of it. `calls` are in the order in which they were made, each as it stands."""
    return _event(
        "finished",
        {
            "session": began.session,
            "model": began.model,
            "ended": finished.ended.value,
            "why": finished.why,
            "text": finished.text,
            "usage": _usage(spent.usage),
            "money": spent.money,
            "for_servers": _for_servers(spent.for_servers),
            "turns": spent.turns,
            "seconds": round(spent.seconds, 3),
            "calls": [_call(call) for call in calls],
        },
    )


def agent_event_json(event: AgentEvent) -> JsonObject | None:
    """None for `Finished`, which the report takes the place of."""
    match event:
        case TextArrived(text):
            return _event("text", {"text": text})
        case ThinkingArrived(text):
            return _event("thinking", {"text": text})
        case CallBegun(name):
            return _event("call_begun", {"name": name})
        case Waiting(seconds, why):
            return _event("waiting", {"seconds": seconds, "why": why})
        case ResponseDone(usage):
            return _event("response_done", {"usage": _usage(usage)})
        case TurnEnded(turn):
            return _event("turn_ended", {"turn": turn.id, "calls": [call.request.id for call in turn.calls]})
        case Compacted(before, after):
            return _event("compacted", {"before": before, "after": after})
        case Reported(agent, text):
            return _event("reported", {"agent": agent, "text": text})
        case Finished():
            return None


def _event(kind: str, fields: JsonObject) -> JsonObject:
    return {"version": VERSION, "type": kind, **fields}


def _usage(usage: Usage) -> JsonObject:
    return {"input": usage.input, "cached": usage.cached, "written": usage.written, "output": usage.output}


def _for_servers(share: ForServers) -> JsonObject:
    return {"answers": share.answers, "usage": _usage(share.usage), "money": share.money}


def _call(call: CallState) -> JsonObject:
    """A call in short: its arguments and result are in the session's journal, and in the events."""
    whole = call_json(call)
    short: dict[str, Json] = {
        "id": call.request.id,
        "parent": call.request.parent,
        "summary": call.invocation.describe() if call.invocation is not None else "",
    }
    for name in ("name", "tool", "state", "decision", "error", "duration_ms", "approval"):
        if name in whole:
            short[name] = whole[name]
    return short

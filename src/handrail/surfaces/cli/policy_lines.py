"""What `handrail policy check` reads and writes: one JSON object a line. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from handrail.contract.basics import Json
from handrail.contract.decision import Decision, Outcome
from handrail.contract.effects import Effects, PathEffect
from handrail.policy import Mode
from handrail.policy.spelling import did_you_mean
from handrail.surfaces.cli.judged import NOT_JUDGED, AskedCall, Judged
from handrail.surfaces.cli.text import printable

KEYS = ("id", "tool", "arguments", "mode", "server", "annotations", "subagent")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of input: the id to answer to, and the call or what is wrong with it."""

    id: Json
    call: AskedCall | None
    problem: str = ""
    is_other: bool = False
    """It is no JSON object at all."""

    @property
    def denied(self) -> Judged:
        return Judged(Decision(Outcome.DENY, NOT_JUDGED, f"This line is no call that can be judged: {self.problem}."))


def read_line(text: str) -> Line:
    """Never raises: what is wrong is said in the line."""
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        return Line(None, None, f"it is not JSON ({error})", is_other=True)
    if not isinstance(given, dict):
        return Line(None, None, "it is not an object", is_other=True)
    problem = _problem(given)
    if problem:
        return Line(given.get("id"), None, problem)
    mode = given.get("mode")
    call = AskedCall(
        tool=given["tool"],
        arguments=given.get("arguments", {}),
        mode=Mode(mode) if mode is not None else None,
        server=given.get("server") or "",
        annotations=given.get("annotations") or {},
        subagent=given.get("subagent") or "",
    )
    return Line(given.get("id"), call)


def _problem(given: Mapping[str, object]) -> str:
    unknown = next((key for key in given if key not in KEYS), None)
    if unknown is not None:
        return f"unknown key {json.dumps(unknown)}{did_you_mean(unknown, KEYS)}"
    if not isinstance(given.get("tool"), str) or not given["tool"]:
        return "tool is missing, or is no text"
    if not isinstance(given.get("arguments", {}), dict):
        return "arguments is not an object"
    mode = given.get("mode")
    if mode is not None and mode not in list(Mode):
        return f"mode is {json.dumps(mode)}; the modes are {', '.join(Mode)}"
    for key in ("server", "subagent"):
        if not isinstance(given.get(key) or "", str):
            return f"{key} is no text"
    hints = given.get("annotations") or {}
    if not isinstance(hints, dict) or not all(isinstance(value, bool) for value in hints.values()):
        return "annotations is not an object of true and false"
    return ""


def judged_json(id: Json, judged: Judged) -> dict[str, Json]:
    decision, facts = judged.decision, judged.facts
    rule = decision.rule
    return {
        "id": id,
        "decision": decision.outcome.value,
        "reason": decision.reason,
        "source": str(decision.source),
        "rule": {"source": rule.source, "line": rule.line, "text": rule.text} if rule else None,
        "commands": [part.text for part in facts.shell.parts] if facts is not None and facts.shell is not None else [],
        "effects": effects_json(facts.effects) if facts is not None else {},
    }


def effects_json(effects: Effects) -> dict[str, Json]:
    """The most that the call may do; a tree ends in a slash."""
    return {
        "certainty": effects.certainty,
        "read_only": effects.read_only,
        "destructive": effects.is_destructive,
        "reads": _paths(effects.reads),
        "writes": _paths(effects.writes),
        "connects": sorted(effects.connects),
        "keys": sorted(effects.keys),
    }


def _paths(paths: frozenset[PathEffect]) -> list[Json]:
    return [*sorted(f"{path.resolved}/" if path.scope == "tree" else str(path.resolved) for path in paths)]


def judged_text(id: Json, tool: str, judged: Judged) -> str:
    """The same for a person, on one line."""
    decision = judged.decision
    return f"{decision.outcome:<5}  {printable(str(id))}  {printable(tool)}  {printable(decision.reason)}"

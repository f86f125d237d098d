"""Under which columns of the modes table a call falls, and what the mode says of the strictest of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from handrail.contract.decision import Decision, FromMode, Outcome
from handrail.contract.values import value
from handrail.policy.facts import Facts, PathFact
from handrail.policy.modes import STRICTNESS, Column, Mode, row_in_force
from handrail.policy.places import Zone
from handrail.policy.rules import Policy
from handrail.policy.wording import shortened

NO_SANDBOX = " (sandboxed: no sandbox is available yet, so this is decided as in default mode)"

_VERBS = {Outcome.ALLOW: "allows", Outcome.ASK: "asks about", Outcome.DENY: "denies"}


@value
class Fall:
    """One column a call falls under, and the path or command that puts it there."""

    column: Column
    part: str = ""


def mode_decision(facts: Facts, policy: Policy) -> Decision:
    """What the mode alone says: the strictest of the columns."""
    if facts.effects.is_empty and facts.shell is None:
        return _session_only(policy.mode, policy.sandbox_holds)
    row = row_in_force(policy.mode, policy.sandbox_holds)
    fall = max(falls(facts, policy.mode), key=lambda fall: STRICTNESS[row[fall.column]])
    return _decision(policy.mode, policy.sandbox_holds, fall, row[fall.column])


@cache
def _session_only(mode: Mode, sandbox_holds: bool) -> Decision:
    return _decision(mode, sandbox_holds, Fall(Column.SESSION), row_in_force(mode, sandbox_holds)[Column.SESSION])


def _decision(mode: Mode, sandbox_holds: bool, fall: Fall, outcome: Outcome) -> Decision:
    what = f"{fall.column} ({shortened(fall.part)})" if fall.part else fall.column
    note = NO_SANDBOX if mode is Mode.SANDBOXED and not sandbox_holds else ""
    reason = f"It {what}, which {mode} mode {_VERBS[outcome]}{note}."
    return Decision(outcome, FromMode(mode), reason, fall.part)


def falls(facts: Facts, mode: Mode) -> Iterator[Fall]:
    """Every column of a call, at least one."""
    effects, shell = facts.effects, facts.shell
    if effects.connects:
        yield Fall(Column.NETWORK, ", ".join(sorted(effects.connects)))
    if shell is not None:
        if not (shell.edits and facts.paths and mode is Mode.ACCEPT_EDITS):
            yield Fall(Column.SHELL_READ if shell.read_only else Column.SHELL, shell.unread or shell.text)
    elif effects.certainty == "unknown" or (effects.destructive and not effects.writes and not effects.connects):
        yield Fall(Column.UNKNOWN)
    elif not facts.paths and not effects.connects:
        yield Fall(Column.SESSION)
    for path in facts.paths:
        if path.access != "mention":
            yield from _of_path(path, facts.places.shown(path.named))


def _of_path(path: PathFact, shown: str) -> Iterator[Fall]:
    if path.secret:
        yield Fall(Column.SECRETS, shown)
    if path.access == "read":
        yield Fall(Column.OUTSIDE_READ if path.zone is Zone.OUTSIDE else Column.READ, shown)
    else:
        inside = path.zone in (Zone.WORKSPACE, Zone.TEMPORARY)
        yield Fall(Column.WRITE if inside else Column.OUTSIDE_WRITE, shown)

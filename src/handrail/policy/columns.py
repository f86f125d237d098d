"""Under which columns of the modes table a piece of a call falls, and what the mode says of the strictest of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from handrail.contract.decision import Decision, FromMode, Outcome
from handrail.contract.values import value
from handrail.policy.facts import Facts, PathFact, ShellFacts, ShellPart
from handrail.policy.modes import ALLOW, STRICTNESS, TABLE, Column, Mode
from handrail.policy.places import Places, Zone
from handrail.policy.policy import Policy
from handrail.policy.wording import shortened

NO_SANDBOX = " (sandboxed: no sandbox is available yet, so this is decided as in default mode)"
BYPASS_FORBIDDEN = " (bypass: {} forbids it, so this is decided as in default mode)"

_VERBS = {Outcome.ALLOW: "allows", Outcome.ASK: "asks about", Outcome.DENY: "denies"}


@value
class Fall:
    """One column a call falls under, and the path or command that puts it there."""

    column: Column
    part: str = ""
    why: str = ""
    """What speaks against the part, as a clause."""
    path: str = ""
    """In the part's place; put into words only where it is told."""


def mode_decision(facts: Facts, policy: Policy) -> Decision:
    """What the mode alone says of a piece: the strictest of its columns."""
    if facts.effects.is_empty and facts.shell is None:
        return _session_only(policy.mode, policy.decides_as, _note(policy))
    row = TABLE[policy.decides_as]
    fall = max(falls(facts, policy), key=lambda fall: STRICTNESS[row[fall.column]])
    part = facts.places.shown(fall.path) if fall.path else fall.part
    return _decision(policy.mode, _note(policy), fall, part, row[fall.column])


def runs_freely(shell: ShellFacts, policy: Policy) -> bool:
    """True for a part of a command that the mode lets run, whatever it says of the paths that its words name."""
    column = _of_command(shell, policy)
    return column is None or TABLE[policy.decides_as][column] is ALLOW


def _of_command(shell: ShellFacts, policy: Policy) -> Column | None:
    """None for a file command of which the mode judges the paths alone."""
    if policy.decides_as is Mode.ACCEPT_EDITS and all(map(_only_edits, shell.parts)):
        return None
    return Column.SHELL_READ if shell.read_only and not shell.opaque else Column.SHELL


def _only_edits(part: ShellPart) -> bool:
    return part.edits and not part.opaque and any(path.access != "mention" for path in part.paths)


@cache
def _session_only(mode: Mode, decides_as: Mode, note: str) -> Decision:
    return _decision(mode, note, Fall(Column.SESSION), "", TABLE[decides_as][Column.SESSION])


def _note(policy: Policy) -> str:
    """Why another mode decides than was asked for."""
    if policy.decides_as is policy.mode:
        return ""
    return NO_SANDBOX if policy.mode is Mode.SANDBOXED else BYPASS_FORBIDDEN.format(policy.bypass_forbidden_by)


def _decision(mode: Mode, note: str, fall: Fall, part: str, outcome: Outcome) -> Decision:
    why = f": {fall.why}" if fall.why else ""
    what = f"{fall.column} ({shortened(part)}{why})" if part else fall.column
    reason = f"It {what}, which {mode} mode {_VERBS[outcome]}{note}."
    return Decision(outcome, FromMode(mode), reason, part)


def falls(facts: Facts, policy: Policy) -> Iterator[Fall]:
    """Every column of a piece, at least one."""
    effects, shell = facts.effects, facts.shell
    if effects.connects:
        yield Fall(Column.NETWORK, ", ".join(sorted(effects.connects)))
    if shell is not None:
        if (column := _of_command(shell, policy)) is not None:
            yield Fall(column, shell.text, shell.unread)
    elif effects.certainty == "unknown" or (effects.destructive and not effects.writes and not effects.connects):
        yield Fall(Column.UNKNOWN)
    elif not facts.paths and not effects.connects:
        yield Fall(Column.SESSION)
    for path in facts.paths:
        if path.access != "mention":
            yield from _of_path(path, facts.places, policy)


def _of_path(path: PathFact, places: Places, policy: Policy) -> Iterator[Fall]:
    if path.secret:
        yield Fall(Column.SECRETS, path=path.named)
    if path.access == "read":
        yield Fall(Column.OUTSIDE_READ if path.zone is Zone.OUTSIDE else Column.READ, path=path.named)
    elif _is_plan_file(path, places, policy.plan_file):
        yield Fall(Column.PLAN_FILE, path=path.named)
    else:
        inside = path.zone in (Zone.WORKSPACE, Zone.TEMPORARY)
        yield Fall(Column.WRITE if inside else Column.OUTSIDE_WRITE, path=path.named)


def _is_plan_file(path: PathFact, places: Places, plan_file: str) -> bool:
    """The file itself, and named as such: the workspace alone may be spelled with links."""
    same_name = places.inner(path.named) == places.inner(plan_file)
    return bool(plan_file) and path.resolved == plan_file and same_name and not path.is_tree

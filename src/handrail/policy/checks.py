"""What no rule and no mode lets through: ruinous removals, protected paths, Handrail's own state and approvals."""

from __future__ import annotations

from collections.abc import Iterator

from handrail.contract.decision import Decision, FromCheck, Outcome
from handrail.contract.tool import Kind
from handrail.policy.facts import Facts, PathFact, Removal
from handrail.policy.wording import shortened

REMOVAL = FromCheck("removal")
PROTECTED_PATH = FromCheck("protected-path")
STATE = FromCheck("state")
SELF_APPROVAL = FromCheck("self-approval")

REMOVING_KINDS = frozenset((Kind.DELETE, Kind.MOVE))


def denials(facts: Facts) -> Iterator[Decision]:
    """Denied in every mode, whatever the rules say."""
    for removal in _removals(facts):
        if not removal.doubt:
            what = f"`{shortened(removal.command)}` would remove {removal.ruins} ({removal.path})"
            reason = f"{what}, which is denied in every mode."
            yield _denied(REMOVAL, reason, removal.command)
    for path in facts.paths:
        if path.state:
            yield _denied(STATE, _state_reason(facts, path), facts.places.shown(path.named))
    if facts.shell is not None and facts.shell.answers_itself:
        reason = (
            f"`{facts.shell.answers_itself}` would answer an approval or change what is allowed from inside a call; "
            "only a person does that, at a surface of their own."
        )
        yield _denied(SELF_APPROVAL, reason, facts.shell.answers_itself)


def asks(facts: Facts) -> Iterator[Decision]:
    """Asked every time: no allow rule answers these, and nobody approves them in advance."""
    for path in facts.paths:
        if path.protected and path.access != "read":
            yield _asked(PROTECTED_PATH, _protected_reason(facts, path), facts.places.shown(path.named))
    for removal in _removals(facts):
        if removal.doubt:
            what = f"`{shortened(removal.command)}` removes {removal.ruins} ({removal.path})"
            yield _asked(REMOVAL, f"{what} {removal.doubt}, so a person is asked every time.", removal.command)
    if facts.shell is not None and facts.shell.unjudged:
        reason = (
            f"The command can't be judged: {facts.shell.opaque}. It seems to remove files or to answer approvals, so a "
            "person is asked every time."
        )
        yield _asked(REMOVAL, reason, "")


def _removals(facts: Facts) -> Iterator[Removal]:
    if facts.shell is not None:
        yield from facts.shell.removals
    if facts.kind in REMOVING_KINDS:
        for path in facts.paths:
            ruins = next((r for s in path.spellings if (r := facts.places.ruined_by_removal(s))), "")
            if path.access == "write" and ruins:
                yield Removal(facts.tool, path.named, ruins)


def _state_reason(facts: Facts, path: PathFact) -> str:
    shown = facts.places.shown(path.named)
    if facts.places.is_state(path.named) or facts.places.is_state(path.resolved):
        return f"{shown} is part of Handrail's own state, which no call may touch."
    return f"{shown} holds Handrail's own state, which no call may touch; name the folders beside it."


def _protected_reason(facts: Facts, path: PathFact) -> str:
    shown = facts.places.shown(path.named)
    how = "is written" if path.access == "write" else "may be written"
    return (
        f"{shown} {how}, and {path.protected} is protected: what it holds decides what runs later, so a person is "
        "asked every time."
    )


def _denied(source: FromCheck, reason: str, part: str) -> Decision:
    return Decision(Outcome.DENY, source, reason, part)


def _asked(source: FromCheck, reason: str, part: str) -> Decision:
    return Decision(Outcome.ASK, source, reason, part, needs_person=True)

"""What a call touches, in the few words that rules have for it. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from handrail.policy.facts import Facts
from handrail.policy.places import Zone


class Effect(StrEnum):
    """The words of a rule's `effect`."""

    READ = "read"
    WRITE = "write"
    RUN = "run"
    """It runs a shell command."""
    CONNECT = "connect"
    DESTRUCTIVE = "destructive"
    """It may lose something, by the tool's own word."""
    UNKNOWN = "unknown"
    """What it touches can't be known: a tool that declares nothing, a command not known to only read."""
    SECRETS = "secret"
    """It touches a file that holds secrets by its name."""
    OUTSIDE = "outside"
    """It touches a path outside the workspace, the added folders and the temporary folder."""


def touched(facts: Facts) -> frozenset[Effect]:
    """All that is known of a call; with `UNKNOWN` among them it may touch anything else as well."""
    return frozenset(_touched(facts))


def _touched(facts: Facts) -> Iterator[Effect]:
    effects = facts.effects
    if facts.shell is not None:
        yield Effect.RUN
    if effects.reads:
        yield Effect.READ
    if effects.writes:
        yield Effect.WRITE
    if effects.connects or (facts.shell is not None and any(part.connects for part in facts.shell.parts)):
        yield Effect.CONNECT
    if effects.certainty == "unknown":
        yield Effect.UNKNOWN
    elif effects.destructive:
        yield Effect.DESTRUCTIVE
    for path in facts.paths:
        if path.access != "mention":
            yield Effect.READ if path.access == "read" else Effect.WRITE
        if path.secret:
            yield Effect.SECRETS
        if path.zone is Zone.OUTSIDE:
            yield Effect.OUTSIDE

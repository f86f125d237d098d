"""The modes, and what each says about each kind of effect: the table of the design, as data."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from handrail.contract.decision import Outcome
from handrail.errors import UsageError


class Mode(StrEnum):
    """How much a session lets through unasked."""

    PLAN = "plan"
    DEFAULT = "default"
    ACCEPT_EDITS = "accept-edits"
    SANDBOXED = "sandboxed"
    """Decides as `default` until a sandbox backend holds what it promises."""
    BYPASS = "bypass"
    """Asks about nothing; checks, protected paths, deny rules and ask rules still hold."""


def mode_of(name: Mode | str) -> Mode:
    """Raises UsageError for what is no mode."""
    if name not in list(Mode):
        raise UsageError(f"there is no mode {name!r}; the modes are {', '.join(Mode)}")
    return Mode(name)


class Column(StrEnum):
    """What a call falls under. The value reads as a clause about the call."""

    SESSION = "touches nothing outside the session"
    READ = "reads in the workspace"
    SECRETS = "touches a secret file"
    PLAN_FILE = "writes the plan file"
    WRITE = "writes in the workspace"
    SHELL_READ = "runs a read-only command"
    SHELL = "runs a command that is not known to be read-only"
    NETWORK = "connects to the network"
    OUTSIDE_READ = "reads outside the workspace"
    OUTSIDE_WRITE = "writes outside the workspace"
    UNKNOWN = "may touch anything: its effects are not declared"


ALLOW, ASK, DENY = Outcome.ALLOW, Outcome.ASK, Outcome.DENY
STRICTNESS: Mapping[Outcome, int] = MappingProxyType({ALLOW: 0, ASK: 1, DENY: 2})

_ROWS: Mapping[Mode, tuple[Outcome, ...]] = {
    #                   session read   secret plan   write  sh-read shell net  outside: r, w  unknown
    Mode.PLAN:         (ALLOW,  ALLOW, ASK,   ALLOW, DENY,  ALLOW,  DENY, ASK, ASK,    DENY,  DENY),
    Mode.DEFAULT:      (ALLOW,  ALLOW, ASK,   ASK,   ASK,   ALLOW,  ASK,  ASK, ASK,    ASK,   ASK),
    Mode.ACCEPT_EDITS: (ALLOW,  ALLOW, ASK,   ALLOW, ALLOW, ALLOW,  ASK,  ASK, ASK,    ASK,   ASK),
    Mode.SANDBOXED:    (ALLOW,  ALLOW, ASK,   ALLOW, ALLOW, ALLOW, ALLOW, ASK, ASK,    ASK,   ASK),
    Mode.BYPASS:       (ALLOW,) * len(Column),
}  # fmt: skip

TABLE: Mapping[Mode, Mapping[Column, Outcome]] = MappingProxyType(
    {mode: MappingProxyType(dict(zip(Column, row, strict=True))) for mode, row in _ROWS.items()}
)

LOOSENESS: Mapping[Mode, int] = MappingProxyType({mode: place for place, mode in enumerate(Mode)})
"""Each mode allows what those before it allow, and more: see the rows."""


def stricter(one: Mode | None, other: Mode | None) -> Mode | None:
    """The less loose of two; None sets no bound."""
    if one is None or other is None:
        return other if one is None else one
    return min(one, other, key=LOOSENESS.__getitem__)

"""What was decided about a call, by what, and why. A decision always carries its source and reason."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias

from handrail.contract.values import value


class Outcome(StrEnum):
    """What a decision says."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


@value
class RuleRef:
    """Where a rule stands, and its text as written there."""

    source: str
    """The file, or the name of the code that gave the rule."""
    line: int
    text: str


@value
class FromRule:
    rule: RuleRef

    def __str__(self) -> str:
        return f"rule:{self.rule.source}:{self.rule.line}"


@value
class FromMode:
    mode: str

    def __str__(self) -> str:
        return f"mode:{self.mode}"


@value
class FromTool:
    """The tool's own opinion, or its `needs_approval`."""

    def __str__(self) -> str:
        return "tool"


@value
class FromGrant:
    grant: str

    def __str__(self) -> str:
        return f"grant:{self.grant}"


@value
class FromHook:
    hook: str

    def __str__(self) -> str:
        return f"hook:{self.hook}"


@value
class FromPerson:
    surface: str

    def __str__(self) -> str:
        return f"person:{self.surface}"


@value
class FromCheck:
    """A check that no rule lifts: removal of whole trees, protected paths."""

    check: str

    def __str__(self) -> str:
        return f"check:{self.check}"


Source: TypeAlias = FromRule | FromMode | FromTool | FromGrant | FromHook | FromPerson | FromCheck


@value
class Decision:
    """Allow, ask or deny, with who says so and why, in words for a person and for the model."""

    outcome: Outcome
    source: Source
    reason: str
    part: str = ""
    """The part of the call that decided: one command of several, or a path."""
    needs_person: bool = False
    """An ask that only a person answers for this one call: no grant, not `--approve all`."""

    @property
    def rule(self) -> RuleRef | None:
        return self.source.rule if isinstance(self.source, FromRule) else None

"""What a call could touch: the one idea that policy, order, sandbox, undo and journal share.

A tool *claims* effects by name (`Claims`), without any I/O. The runtime's resolver turns the names
into canonical paths (`Effects`), once before the decision and once more before execution.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import Literal

from handrail.contract.values import value

Scope = Literal["file", "tree"]
Certainty = Literal["exact", "bounded", "unknown"]
Dialect = Literal["bash", "powershell", "input"]
"""What reads the text of a shell command; `input` is typed to a program that runs already and may be any."""

OPEN_WORLD = "*"
"""In `connects`: any host."""


@value
class PathClaim:
    """A path as the model wrote it, and how far below it the call may reach."""

    path: str
    scope: Scope = "file"
    spares_secrets: bool = False
    """The tool leaves secret files below a tree alone (`grep`), or never reads contents (`glob`)."""


@value
class Claims:
    """What an invocation says it may touch, as named: pure, before anything is looked up.

    Every field is an upper bound. `certainty="unknown"` is honest and the most restrictive answer.
    """

    reads: tuple[PathClaim, ...] = ()
    writes: tuple[PathClaim, ...] = ()
    connects: frozenset[str] = frozenset()
    shell: str | None = None
    """A shell command whose parts the resolver finds and judges."""
    dialect: Dialect = "bash"
    """Of `shell`."""
    keys: frozenset[str] = frozenset()
    destructive: bool = False
    idempotent: bool = False
    certainty: Certainty = "exact"

    @classmethod
    def nothing(cls) -> Claims:
        """Touches nothing outside the session."""
        return _NOTHING_CLAIMED

    @classmethod
    def unknown(cls) -> Claims:
        """May touch anything: asked about, and run alone."""
        return _UNKNOWN_CLAIMED


_NOTHING_CLAIMED = Claims()
_UNKNOWN_CLAIMED = Claims(certainty="unknown")


@value
class PathEffect:
    """One path a call may touch: as given (made absolute), and with every link resolved."""

    named: Path
    resolved: Path
    scope: Scope = "file"
    spares_secrets: bool = False

    def overlaps(self, other: PathEffect) -> bool:
        """True when both could mean one file: compared by the resolved paths."""
        return _covers(self, other.resolved) or _covers(other, self.resolved)


def _covers(effect: PathEffect, path: PurePath) -> bool:
    return effect.resolved == path or (effect.scope == "tree" and effect.resolved in path.parents)


@value
class SimpleCommand:
    """One program run by a shell command: the text as written, and its words where they are known."""

    text: str
    words: tuple[str, ...] = ()
    """Program and arguments after quotes are removed; a word the parser can't know ends the tuple."""
    literal: bool = False
    """Every word is known, and the command has no assignment before it and no redirection."""


@value
class Effects:
    """The most one invocation may read, write, run and connect to."""

    reads: frozenset[PathEffect] = frozenset()
    writes: frozenset[PathEffect] = frozenset()
    connects: frozenset[str] = frozenset()
    runs: tuple[SimpleCommand, ...] = ()
    keys: frozenset[str] = frozenset()
    destructive: bool = False
    idempotent: bool = False
    certainty: Certainty = "exact"

    @classmethod
    def none(cls) -> Effects:
        """No effects: never waits, never makes another call wait."""
        return _NO_EFFECTS

    @classmethod
    def unknown(cls) -> Effects:
        """Anything: conflicts with every other call that has effects."""
        return _UNKNOWN_EFFECTS

    @property
    def is_empty(self) -> bool:
        return self is _NO_EFFECTS or self == _NO_EFFECTS

    @property
    def read_only(self) -> bool:
        """True when the call changes nothing, here or elsewhere, whatever happens."""
        return self.certainty != "unknown" and not (self.writes or self.connects or self.keys or self.destructive)

    @property
    def is_destructive(self) -> bool:
        """True when the call may lose something; `unknown` may."""
        return self.destructive or self.certainty == "unknown"

    @property
    def locations(self) -> tuple[Path, ...]:
        """The paths as given, written ones first, for people."""
        return tuple(sorted({e.named for e in self.writes})) + tuple(sorted({e.named for e in self.reads}))

    def conflicts_with(self, other: Effects) -> bool:
        """True when the order of the two could matter. Symmetric. Reads never conflict with reads."""
        if self.is_empty or other.is_empty:
            return False
        if "unknown" in (self.certainty, other.certainty):
            return True
        return (
            not self.keys.isdisjoint(other.keys)
            or _overlap(self.writes, other.writes)
            or _overlap(self.writes, other.reads)
            or _overlap(self.reads, other.writes)
        )

    def writes_meet(self, other: Effects) -> bool:
        """True when both name a path that they write, or a key: all that a background job holds."""
        return not self.keys.isdisjoint(other.keys) or _overlap(self.writes, other.writes)

    def may_write_for(self, other: Effects) -> bool:
        """True when this may be writing what the other reads or writes. What isn't known may be."""
        if self.read_only or other.is_empty:
            return False
        if "unknown" in (self.certainty, other.certainty):
            return True
        return self.writes_meet(other) or _overlap(self.writes, other.reads)


def _overlap(left: Iterable[PathEffect], right: frozenset[PathEffect]) -> bool:
    return any(a.overlaps(b) for a in left for b in right)


_NO_EFFECTS = Effects()
_UNKNOWN_EFFECTS = Effects(certainty="unknown", destructive=True)

"""What the kit says: problems in words, and notes on what it could not look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing in which a tool or a provider does not keep to its contract."""

    check: str
    """`name`, `schema`, `arguments`, `determinism`, `run`, `effects`, `result` or `cancellation`; of a provider
    `start`, `status`, `tools`, `bad tools`, `refresh`, `determinism` or `cancellation`."""
    text: str
    """What was found, where, and what to do about it."""

    def __str__(self) -> str:
        return f"{self.check}: {self.text}"


@dataclass(frozen=True, slots=True)
class Conformance:
    """A tool that conforms: what was tried, and what could not be seen."""

    tool: str
    examples: int
    cancellations: int
    notes: tuple[str, ...] = ()


class NotConforming(AssertionError):
    """A tool, or a provider, does not keep to its contract. `problems` has every reason; so has the message."""

    def __init__(self, tool: str, problems: Sequence[Problem], notes: Sequence[str] = ()) -> None:
        self.tool = tool
        self.problems = tuple(problems)
        self.notes = tuple(notes)
        count = "1 problem" if len(self.problems) == 1 else f"{len(self.problems)} problems"
        lines = [f"{tool} does not conform ({count}):"]
        lines += [f"- {problem}" for problem in self.problems]
        lines += [f"Note: {note}" for note in self.notes]
        super().__init__("\n".join(lines))

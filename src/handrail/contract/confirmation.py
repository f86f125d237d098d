"""What a person is shown before a call runs, and the answers they may give."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from handrail.contract.basics import JsonObject
from handrail.contract.effects import SimpleCommand

GrantScope = Literal["session", "project", "user"]


@dataclass(frozen=True, slots=True)
class EditConfirmation:
    """One file as it is and as it would be. `old` is None for a new file."""

    title: str
    path: Path
    old: str | None
    new: str


@dataclass(frozen=True, slots=True)
class ExecConfirmation:
    title: str
    command: str
    commands: tuple[SimpleCommand, ...]


@dataclass(frozen=True, slots=True)
class McpConfirmation:
    title: str
    server: str
    tool: str
    arguments: JsonObject


@dataclass(frozen=True, slots=True)
class InfoConfirmation:
    title: str
    text: str
    urls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QuestionConfirmation:
    title: str
    question: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanConfirmation:
    title: str
    plan: str
    path: Path


@dataclass(frozen=True, slots=True)
class SandboxConfirmation:
    """A command wants more than its sandbox allows."""

    title: str
    command: str
    reads: tuple[Path, ...] = ()
    writes: tuple[Path, ...] = ()
    network: bool = False


Confirmation: TypeAlias = (
    EditConfirmation
    | ExecConfirmation
    | McpConfirmation
    | InfoConfirmation
    | QuestionConfirmation
    | PlanConfirmation
    | SandboxConfirmation
)


@dataclass(frozen=True, slots=True)
class GrantOption:
    """An approval that could be remembered: what exactly it would cover, in words, and for how long."""

    label: str
    scope: GrantScope
    tool: str
    pattern: str = ""
    """A command pattern or a path; empty covers only calls with equal arguments."""


@dataclass(frozen=True, slots=True)
class Once:
    """Yes, this call."""


@dataclass(frozen=True, slots=True)
class Always:
    """Yes, and remember one of the offered grants."""

    grant: GrantOption


@dataclass(frozen=True, slots=True)
class EditArguments:
    """Yes, with other arguments: validated and decided again from the start."""

    arguments: JsonObject


@dataclass(frozen=True, slots=True)
class Reject:
    """No; the feedback goes to the model."""

    feedback: str = ""


@dataclass(frozen=True, slots=True)
class CancelCall:
    """Neither yes nor no: stop this call."""


Answer: TypeAlias = Once | Always | EditArguments | Reject | CancelCall

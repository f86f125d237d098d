"""What a person is shown before a call runs, and the answers they may give."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

from handrail.contract.basics import JsonObject
from handrail.contract.effects import SimpleCommand
from handrail.contract.values import value

GrantScope = Literal["session", "project", "user"]


@value
class EditConfirmation:
    """One file as it is and as it would be. `old` is None for a new file."""

    title: str
    path: Path
    old: str | None
    new: str


@value
class ExecConfirmation:
    """A shell command as written, and every simple command found in it."""

    title: str
    command: str
    commands: tuple[SimpleCommand, ...]


@value
class McpConfirmation:
    """A call of a tool at an MCP server."""

    title: str
    server: str
    tool: str
    arguments: JsonObject


@value
class InfoConfirmation:
    """Anything else, in words; `urls` are what the call would fetch."""

    title: str
    text: str
    urls: tuple[str, ...] = ()


@value
class QuestionConfirmation:
    """The model's own question to the person."""

    title: str
    question: str
    options: tuple[str, ...] = ()


@value
class PlanConfirmation:
    """A plan, and the file that it would be written to."""

    title: str
    plan: str
    path: Path


@value
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


@value
class GrantOption:
    """An approval that could be remembered: what exactly it would cover, in words, and for how long."""

    label: str
    scope: GrantScope
    tool: str
    pattern: str = ""
    """A command pattern or a path; empty covers only calls with equal arguments."""


@value
class Once:
    """Yes, this call."""


@value
class Always:
    """Yes, and remember one of the offered grants."""

    grant: GrantOption


@value
class EditArguments:
    """Yes, with other arguments: validated and decided again from the start."""

    arguments: JsonObject


@value
class Reject:
    """No; the feedback goes to the model."""

    feedback: str = ""


@value
class CancelCall:
    """Neither yes nor no: stop this call."""


Answer: TypeAlias = Once | Always | EditArguments | Reject | CancelCall

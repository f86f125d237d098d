"""What a person is shown before a call runs, and the answers they may give."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

from handrail.contract.basics import Json, JsonObject
from handrail.contract.effects import SimpleCommand
from handrail.contract.values import value

GrantScope = Literal["session", "project", "user"]


@value
class EditConfirmation:
    """One file as it is and as it would be. `old` is None for a new file, `new` for one that goes."""

    title: str
    path: Path
    old: str | None
    new: str | None


@value
class PatchConfirmation:
    """Several files, which change together."""

    title: str
    files: tuple[EditConfirmation, ...]


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
    """The model's own question to the person, or that of a server (an elicitation)."""

    title: str
    question: str
    options: tuple[str, ...] = ()
    """Answers to choose from; any other is as good."""
    form: JsonObject | None = None
    """The JSON Schema of the object that is wanted; None wants text."""
    from_server: str = ""
    descriptions: tuple[str, ...] = ()
    """What each option means; empty, or as many as there are options."""
    several: bool = False
    """More than one option may be chosen: the reply may be a list."""


@value
class PlanConfirmation:
    """A plan, and the file that it is in. A yes approves it; so does a reply, which names the mode to go on in."""

    title: str
    plan: str
    path: Path
    next_modes: tuple[str, ...] = ()
    """The modes to choose from; a plain yes means the first."""


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
    | PatchConfirmation
    | ExecConfirmation
    | McpConfirmation
    | InfoConfirmation
    | QuestionConfirmation
    | PlanConfirmation
    | SandboxConfirmation
)


@value
class GrantOption:
    """An approval that could be remembered: what exactly it would cover, in words, and for how long.

    It holds for calls of `tool`. Where it names commands, paths, hosts or arguments, it covers these alone.
    """

    label: str
    scope: GrantScope
    tool: str
    answers: tuple[str, ...] = ()
    """The questions that it answers, and no other: ids of rules, of the tool's own ask, of a mode's default."""
    commands: tuple[str, ...] = ()
    """Patterns as in rules: `git commit *`."""
    reads: tuple[str, ...] = ()
    """Absolute paths; with a slash at the end, all below a folder."""
    writes: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    arguments: JsonObject | None = None
    """Only calls with arguments equal to these."""
    definition: str = ""
    """Of what a server defines, the digest of the tool, or of all its tools: it holds while that is the same."""


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
class Reply:
    """The answer to a question: text, or for a form an object."""

    value: Json


@value
class CancelCall:
    """Neither yes nor no: stop this call."""


Answer: TypeAlias = Once | Always | EditArguments | Reply | Reject | CancelCall
"""A question is answered by `Reply`, any other call by one of the rest; `Reject` and `CancelCall` do for both."""

"""Where tools come from: what a provider is, and the shelf that it puts its tools on.

The built-in tools are one; a folder of Python files, a discovery command, an MCP server are others. What a provider
offers is a tool like any: found, validated, decided, ordered, bounded and journaled by the same pipeline.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from handrail.contract.tool import Tool
from handrail.contract.values import value


class Condition(StrEnum):
    """How it stands with a source of tools."""

    STARTING = "starting"
    READY = "ready"
    FAILED = "failed"
    """It gives no tools now; it may be tried again."""
    NEEDS_LOGIN = "needs login"
    UNTRUSTED = "untrusted"
    """It came with the workspace, and nobody said yes to it."""
    OFF = "off"
    """A person turned it off."""


@value
class SourceStatus:
    """How it stands with one source: a server, a folder, a command."""

    name: str
    condition: Condition
    detail: str = ""
    """For people, a line: what went wrong, and what to do about it; or how many tools there are."""
    problems: tuple[str, ...] = ()
    """What is wrong with single tools of it, a line each: they are left out, the others are there."""


@value
class PromptArgument:
    """One of the values that a prompt is filled in with."""

    name: str
    description: str = ""
    required: bool = False


class Prompt(Protocol):
    """A text that a source has for people to send: a command of theirs, as `/SOURCE:NAME`."""

    @property
    def source(self) -> str:
        """As `SourceStatus` names it."""
        ...

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def arguments(self) -> Sequence[PromptArgument]: ...

    async def text(self, arguments: Mapping[str, str]) -> str:
        """Raises ToolFailed when the source can't give it. What it gives is somebody else's text."""
        ...


class Shelf(Protocol):
    """Where one provider puts what it has. Nothing here waits, and nothing raises."""

    def put(self, tools: Iterable[Tool[Any]], prompts: Iterable[Prompt] = ()) -> Sequence[str]:
        """All that the provider has now: takes the place of what it had put there before, at once.

        A tool that can't be registered (a name that is taken, or that no model's provider accepts) is left out, and
        hides no other. Gives why, a line for each.
        """
        ...

    def say(self, status: SourceStatus) -> None:
        """How it stands with the source of that name; takes the place of what was said of it before."""
        ...

    def notice(self, text: str) -> None:
        """Something that a person should know."""
        ...


class Provider(Protocol):
    """A source of tools, or several. One task of the session runs `provide`; cancelling it ends all of it."""

    name: str
    """Unique in a session; what `handrail tools --all` says the tools come from."""

    async def provide(self, shelf: Shelf) -> None:
        """Puts tools on the shelf, and again when there are others, until it is cancelled or has no more to say.

        The session does not wait for it: nothing of it delays another provider or the first answer. What it raises
        is told as a failure of this provider alone. However it ends, no process of it is left.
        """
        ...

    async def refresh(self) -> None:
        """Called between turns: what is known to have changed is on the shelf when this returns. Bounds itself:
        a turn waits for it."""
        ...


@runtime_checkable
class Foreseeable(Protocol):
    """What a provider is beside, when the name of a tool tells that it can't be one of its own.

    A call of a name that nobody knows waits while such a provider is starting whose tool it could be; one that can't
    tell is waited for whatever the name.
    """

    def may_have(self, tool: str) -> bool: ...


@runtime_checkable
class Prompting(Protocol):
    """What a provider is beside, when it may have prompts, and learns of them later than how it stands."""

    async def prompted(self) -> None:
        """Returns once those that it has are on its shelf, or none are known of. Bounds itself. Raises ToolFailed where
        it does not start."""
        ...


@runtime_checkable
class Aware(Protocol):
    """What a provider is beside, when it knows without a look whether it has anything to refresh: where it hasn't, a
    turn passes it by."""

    @property
    def is_stale(self) -> bool: ...


@runtime_checkable
class Quick(Protocol):
    """What a provider is beside, when all it has lies on this machine: a session opens with its tools on the menu.

    Opening waits until it has put something on its shelf, or said how it stands otherwise than that it is starting.
    """

    opens_within: float
    """Seconds that opening waits at most."""

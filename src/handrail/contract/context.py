"""What a running tool may use: `RunContext`, and the narrow protocols it is made of.

A tool names the ones it takes as parameters of `run`; the runtime hands in those and no others.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal, Protocol

from handrail.contract.agents import Agents
from handrail.contract.basics import CallId, Json, JsonObject
from handrail.contract.confirmation import PlanConfirmation, QuestionConfirmation
from handrail.contract.deferred import DeferredTools
from handrail.contract.jobs import Jobs
from handrail.contract.launching import Launcher
from handrail.contract.plan_mode import PlanMode
from handrail.contract.results import ToolResult
from handrail.contract.session_values import SessionValues
from handrail.contract.skills import SkillOffers, Skills
from handrail.contract.spill import Spill
from handrail.contract.values import value


@value
class Environment:
    """What a tool may ask before it offers itself."""

    platform: str
    """As `sys.platform`."""
    find_program: Callable[[str], Path | None]


@value
class Workspace:
    """Where the session works. Relative paths start at `root`."""

    root: Path
    added: tuple[Path, ...] = ()

    @property
    def folders(self) -> tuple[Path, ...]:
        return (self.root, *self.added)

    def absolute(self, path: str) -> Path:
        """A path as the model wrote it, made absolute: `~` expanded, links and `..` left alone.

        `~name` of somebody who isn't there is a name like any other.
        """
        return self.root / os.path.expanduser(path)

    def shown(self, path: Path) -> str:
        """A path for a message: relative to the workspace where it lies in it."""
        return str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path)


@value
class FileContent:
    """A regular file's bytes, and what a later write compares and keeps."""

    path: Path
    data: bytes
    digest: str
    """SHA-256 of `data`, hexadecimal."""
    mode: int
    """Permission bits."""
    links: int = 1
    """Names that the file has. A write gives its name to a new file: the others keep the old one."""


@value
class Entry:
    """One name in a folder. `kind` is of the entry itself; a link is not followed."""

    name: str
    kind: Literal["file", "folder", "link", "other"]
    size: int
    """Bytes, for files; 0 for the rest."""
    target: str = ""
    """Of a link: where it leads, as written in it."""


@value
class FileChange:
    """What is to become of one file."""

    path: str
    before: FileContent | None
    """What was read; the change fails if the file holds something else. None creates, and fails if one is there."""
    data: bytes | None
    """What it is to hold; None deletes it."""
    mode: int | None = None
    """Permission bits of a file that is created; None leaves them to the umask."""


class FileReader(Protocol):
    """Reads files within the paths that the call's effects name.

    Every method raises ToolFailed with a message for the model: missing path (with the nearest names),
    folder where a file was expected, no permission, special file, or a path the effects don't hold.
    """

    async def read(self, path: str) -> FileContent:
        """The whole file. Raises FileTooLarge, a ToolFailed, for one of more than 256 MiB."""
        ...

    async def scan(self, path: str, take: Callable[[bytes], None]) -> None:
        """Gives the file's bytes to `take` piece by piece, in a thread of its own: a file of up to 16 GiB.

        What `take` raises ends the scan, and is raised.
        """
        ...

    async def entries(self, path: str) -> Sequence[Entry]: ...

    async def exists(self, path: str) -> bool: ...

    async def kind(self, path: str) -> Literal["file", "folder", "other"] | None:
        """What stands there, links followed as far as the effects hold them; None where nothing does."""
        ...


class Files(FileReader, Protocol):
    """Reads and writes files within the paths that the call's effects name."""

    async def write(self, path: str, data: bytes, *, replacing: FileContent | None) -> FileContent:
        """Atomic and durable: afterwards the file holds all of `data`, or what it held before. Gives what it now is.

        `replacing` is what was read; the write fails if the file has changed since. None creates a
        file, with its parent folders, and fails if one appeared meanwhile.
        """
        ...

    async def change(self, changes: Sequence[FileChange]) -> Sequence[FileContent | None]:
        """Several files, all or none, each path once. Gives what each now is; None where it is no more.

        All is made ready before anything is changed. Where a change then fails, those before it are undone; the
        ToolFailed says which were, and which could not be because somebody else had changed the file again.
        """
        ...


class FileLedger(Protocol):
    """What the model of this conversation has been shown of files, by their contents and not by times.

    Paths are resolved ones, as in `FileContent`. A file it has forgotten counts as never shown. A child call
    has a ledger of its own: what a tool's calls give back goes to that tool.
    """

    def last(self, path: Path) -> str | None:
        """The digest of what was last read or written there. None: nothing was, as far as is known."""
        ...

    def shown(self, content: FileContent, view: str) -> bool:
        """Whether exactly this view of exactly this content was shown, and nothing else of the file since."""
        ...

    def note(self, content: FileContent, view: str = "") -> None:
        """After a read, with the view that was shown (which lines, say); after a write, with the new content."""
        ...


class Output(Protocol):
    """Live output, for the surfaces that watch. The last state always arrives; pieces may be merged."""

    def text(self, text: str) -> None: ...

    def progress(self, fraction: float | None, message: str = "") -> None:
        """How far it is, from 0 to 1; None where that is not known. `fraction_of` makes it of steps and a total."""
        ...

    def notice(self, message: str) -> None: ...

    def topic(self, title: str, intent: str, summary: str) -> None:
        """What the model is at from here on."""
        ...


class Calls(Protocol):
    """Makes child calls through the whole pipeline: resolved, decided, ordered and journaled like any."""

    async def call(self, tool: str, arguments: JsonObject) -> ToolResult: ...


class Questions(Protocol):
    """Asks a person. The question is as durable as an approval, and is answered at the same places."""

    async def ask(self, question: QuestionConfirmation | PlanConfirmation) -> Json:
        """The reply: text, for a form an object, for several options a list of them. Of a plan that was approved, the
        mode to go on in. Raises NoReply, a ToolFailed, with why, when nobody gives one.
        """
        ...


class ShellState(Protocol):
    """What the shell commands of a session share. Paths of all other tools start at the workspace's root, always."""

    @property
    def folder(self) -> Path:
        """Where the next command starts."""
        ...

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables that a command gets: none with a secret, save those that the settings name."""
        ...

    async def enter(self) -> Path:
        """The folder, for a command that starts now. Raises ToolFailed where it is gone, and goes back to the root."""
        ...

    async def leave(self, folder: Path) -> bool:
        """A command ended in this folder. False where that is outside, or gone: the next one starts in the root."""
        ...


class ToolNames(Protocol):
    """What the model that made the call knows tools as, for texts that it is told."""

    def of(self, tool: str) -> str:
        """`tool` is the tool's own name, and what is given where the model's family has no other."""
        ...


@value
class RunContext:
    """All that a running tool may use. No field is optional."""

    call: CallId
    parent: CallId | None
    workspace: Workspace
    files: Files
    launcher: Launcher
    output: Output
    calls: Calls
    questions: Questions
    jobs: Jobs
    ledger: FileLedger
    spill: Spill
    shell: ShellState
    skills: Skills
    values: SessionValues
    plan_mode: PlanMode
    deferred: DeferredTools
    agents: Agents
    names: ToolNames


CAPABILITIES: dict[type, Callable[[RunContext], object]] = {
    RunContext: lambda context: context,
    Workspace: lambda context: context.workspace,
    FileReader: lambda context: context.files,
    Files: lambda context: context.files,
    Launcher: lambda context: context.launcher,
    Output: lambda context: context.output,
    Calls: lambda context: context.calls,
    Questions: lambda context: context.questions,
    Jobs: lambda context: context.jobs,
    FileLedger: lambda context: context.ledger,
    Spill: lambda context: context.spill,
    ShellState: lambda context: context.shell,
    SkillOffers: lambda context: context.skills,
    Skills: lambda context: context.skills,
    SessionValues: lambda context: context.values,
    PlanMode: lambda context: context.plan_mode,
    DeferredTools: lambda context: context.deferred,
    Agents: lambda context: context.agents,
    ToolNames: lambda context: context.names,
}
"""Which part of the context a parameter of `run` gets, by its annotation."""

CALL_MAKING = frozenset(CAPABILITIES[each] for each in (RunContext, Calls, Questions, Agents))
"""Whoever takes one of these may make calls of its own; a question is one."""

"""The port through which every child process of the runtime starts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from handrail.contract.effects import Effects

OutputSink = Callable[[bytes], None]
"""Called on the event loop with each piece of a child's output, as it comes."""


@dataclass(frozen=True, slots=True)
class LaunchSpec:
    """One child process to start. It never gets a terminal, and its stdin is closed."""

    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]
    effects: Effects = field(default_factory=Effects.unknown)
    """What the sandbox is cut to."""
    timeout: float | None = None
    """Seconds; None waits for ever."""
    keep_output: int = 1_000_000
    """Bytes kept in memory of all that is printed: the first and the last half of this each."""


@dataclass(frozen=True, slots=True)
class Finished:
    """How a child ended. `head` and `tail` are stdout and stderr as one stream, in arrival order."""

    ending: Literal["exited", "signalled", "timeout"]
    exit_code: int | None
    signal: int | None
    head: bytes
    tail: bytes
    dropped: int
    """Bytes between head and tail that were not kept."""
    seconds: float
    pid: int


class Launcher(Protocol):
    """Starts every child process of the runtime, in its own session and process group.

    Cancelling `run` kills the child with all its descendants before the cancellation goes on; so does
    the timeout. Raises LauncherError when the child can't be started.
    """

    async def run(self, spec: LaunchSpec, on_output: OutputSink | None = None) -> Finished: ...

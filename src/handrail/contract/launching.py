"""The port through which every child process of the runtime starts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, Protocol

from handrail.contract.effects import Effects
from handrail.contract.values import value

OutputSink = Callable[[bytes], None]
"""Called on the event loop with each piece of a child's output, as it comes."""


class Child(Protocol):
    """A child process that runs. All methods but `drained` return at once, and do nothing once it has ended."""

    pid: int

    def stop(self) -> None:
        """Has it ended with all that came from it, as when its time is up; `Launcher.run` then gives its end."""
        ...

    def hold_output(self) -> None:
        """Takes no more of its output, so that it waits when the pipe is full, until `take_output`."""
        ...

    def take_output(self) -> None: ...

    def send(self, data: bytes) -> bool:
        """Puts data in line for its stdin. False when that is closed, or it has too much yet to read."""
        ...

    async def drained(self) -> None:
        """Waits until little stands in line for its stdin, or that is closed."""
        ...

    def end_input(self) -> None:
        """Closes its stdin behind what stands in line."""
        ...


@value
class LaunchSpec:
    """One child process to start. It never gets a terminal."""

    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]
    effects: Effects = Effects.unknown()
    """What the sandbox is cut to."""
    timeout: float | None = None
    """Seconds; None waits for ever."""
    keep_output: int = 1_000_000
    """Bytes kept in memory of all that is printed: the first and the last half of this each."""
    most_memory: int | None = None
    """Bytes of its own that each of its processes can get, where the platform can bound that; files mapped in aside."""
    stdin: Literal["closed", "open"] = "closed"
    """Open: what `Child.send` gives comes there."""
    handles: tuple[int, ...] = ()
    """Open descriptors that the child inherits under the same numbers."""
    on_start: Callable[[Child], None] | None = None
    """Called on the event loop as soon as the child runs."""
    on_error: OutputSink | None = None
    """Gets stderr, which then is apart from the output and never held; None leaves it among the output."""


@value
class Finished:
    """How a child ended. `head` and `tail` are stdout and stderr as one stream, in arrival order; with `on_error`
    they are stdout alone."""

    ending: Literal["exited", "signalled", "timeout", "stopped"]
    """`stopped`: by `Child.stop`."""
    exit_code: int | None
    signal: int | None
    head: bytes
    tail: bytes
    dropped: int
    """Bytes between head and tail that were not kept."""
    seconds: float
    pid: int
    stopped: int = 0
    """Processes that came from the child, were alive when it ended or ran out of time, and were ended."""
    left: int = 0
    """Processes that could not be ended: another user's, or stuck in the kernel."""


class Launcher(Protocol):
    """Starts every child process of the runtime, in its own session and process group.

    Cancelling `run` kills the child with all its descendants before the cancellation goes on; so does
    the timeout. Raises LauncherError when the child can't be started.
    """

    async def run(self, spec: LaunchSpec, on_output: OutputSink | None = None) -> Finished: ...

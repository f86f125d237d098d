"""Runs ripgrep below one folder, and gives what it finds as it comes.

Its configuration file is not read, links are not followed, and `.gitignore` counts whether or not there
is a repository. Names go in and out delimited by NUL or in JSON, so that any name survives.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from handrail.contract.context import Workspace
from handrail.contract.launching import Finished, Launcher, LaunchSpec
from handrail.contract.values import value
from handrail.errors import LauncherError, ToolFailed
from handrail.runtime.environment import child_environment
from handrail.tools.search.endless import endless_ignore_file, stuck
from handrail.tools.search.program import Programs
from handrail.tools.text.beside import beside_the_loop

_ALWAYS = ("--no-config", "--hidden", "--no-require-git", "--crlf", "--color=never", "--glob=!.git")
_NEVER_MATCHES = "[a&&b]"
_KEPT = 20_000
"""Bytes kept of what it prints: its complaint, when there is nothing else. Results are read as they come."""
_MOST_COMPLAINTS = 5
_MOST_MEMORY = 2_000_000_000
"""Bytes. It takes tens of millions, unless it is led to hold a whole file: by an ignore file that is a link to
`/dev/zero`, say, as one that comes with a repository may be, or by a search across lines."""
_LEAST_TIME = 1.0
"""Seconds that the last step of a search gets, whatever the steps before it took."""
LONGEST_RECORD = 16 * 1024 * 1024
"""Bytes of one record: a match on a longer line is told of but not shown."""

Take = Callable[[list[bytes]], bool]
"""Takes whole records, several at once; False stops the search: enough was found."""


class BadSearch(Exception):
    """ripgrep can't use the pattern, or an option; the message is its own."""


@value
class Ended:
    """How a search ended, apart from what it found."""

    complete: bool = True
    """False if it was stopped because enough was found."""
    timed_out: bool = False
    troubled: bool = False
    """Something could not be read."""
    stuck_at: str = ""
    """Where it timed out: an ignore file that explains it."""


@value
class Bounds:
    """Where a search looks, and how long."""

    folder: Path
    """Names that are found are relative to it."""
    ignored: bool
    """Also what `.gitignore` leaves out."""
    timeout: float
    """Seconds, for all steps of the search together."""


class Ripgrep:
    """The steps of one search."""

    def __init__(self, programs: Programs, launcher: Launcher, workspace: Workspace, bounds: Bounds) -> None:
        self._programs = programs
        self._launcher = launcher
        self._workspace = workspace
        self._bounds = bounds
        self._always = (*_ALWAYS, "--no-ignore") if bounds.ignored else _ALWAYS
        self._began = time.monotonic()

    async def run(self, options: Sequence[str], targets: Sequence[str], delimiter: bytes, take: Take) -> Ended:
        """Gives the records of the output to `take`. Raises BadSearch, or ToolFailed if it can't run."""
        finished = await self._launch(("--no-messages", *options), targets, _Records(delimiter, take))
        if finished is None:
            return Ended(complete=False)
        if finished.ending == "timeout":
            return Ended(timed_out=True, stuck_at=await beside_the_loop(endless_ignore_file, self._bounds.folder))
        if finished.ending == "signalled":
            raise ToolFailed(await self._broken(finished))
        if finished.exit_code in (0, 1):
            return Ended()
        complaint = (finished.head + finished.tail).decode(errors="replace")
        if complaint.startswith("rg: "):
            raise BadSearch(_in_short(complaint))
        return Ended(troubled=True)

    async def _broken(self, finished: Finished) -> str:
        why = "it took more memory than it is given" if b"memory" in finished.head else "it was killed"
        said = f"The search broke off: ripgrep was ended by signal {finished.signal}, as {why}."
        if name := await beside_the_loop(endless_ignore_file, self._bounds.folder):
            return f"{said} {stuck(name)}"
        return f"{said} Narrow path or glob, or search without multiline=true, which takes whole files into memory."

    async def complaints(self, options: Sequence[str], targets: Sequence[str]) -> list[str]:
        """What can't be read there, as `name: why`: said by a search that finds nothing and is not told to be quiet."""
        found: list[str] = []

        def take(lines: list[bytes]) -> bool:
            found.extend(
                os.fsdecode(line.removeprefix(b"rg: ").removeprefix(b"./")).split(" (os error")[0] for line in lines
            )
            return len(found) < _MOST_COMPLAINTS

        await self._launch((f"--regexp={_NEVER_MATCHES}", *options), targets, _Records(b"\n", take))
        return found[:_MOST_COMPLAINTS]

    async def _launch(self, options: Sequence[str], targets: Sequence[str], records: _Records) -> Finished | None:
        """None if it was stopped because enough was found."""
        import asyncio  # as long to load as all the tools together, and whoever only lists them needs none of it

        environment = child_environment(os.environ)
        program = await self._programs.find(self._launcher, self._workspace, environment)
        spec = LaunchSpec(
            (str(program), *self._always, *options, "--", *targets),
            cwd=self._bounds.folder,
            env=environment,
            timeout=max(_LEAST_TIME, self._bounds.timeout - (time.monotonic() - self._began)),
            keep_output=_KEPT,
            most_memory=_MOST_MEMORY,
        )
        search = asyncio.ensure_future(self._launcher.run(spec, records.add))
        records.on_enough = search.cancel
        try:
            return await search
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if records.enough and not (task is not None and task.cancelling()):
                return None
            raise
        except LauncherError as error:
            raise ToolFailed(f"The search could not run. {error}") from error


class _Records:
    """Cuts a stream of bytes into records; one that is too long is cut short."""

    def __init__(self, delimiter: bytes, take: Take) -> None:
        self._delimiter = delimiter
        self._take = take
        self._begun: list[bytes] = []
        self._length = 0
        self.enough = False
        self.on_enough: Callable[[], object] = lambda: None

    def add(self, piece: bytes) -> None:
        *records, rest = piece.split(self._delimiter)
        if records:
            self._begin(records[0])
            records[0] = b"".join(self._begun)
            self._begun, self._length = [], 0
            if not self.enough and not self._take(records):
                self.enough = True
                self.on_enough()
        self._begin(rest)

    def _begin(self, piece: bytes) -> None:
        if self._length < LONGEST_RECORD:
            self._begun.append(piece)
            self._length += len(piece)


def _in_short(complaint: str) -> str:
    """ripgrep shows the pattern and a caret, then `error: …`; its advice about PCRE2 is no use here."""
    lines = complaint.removeprefix("rg: ").splitlines()
    error = next((line.removeprefix("error: ") for line in lines if line.startswith("error: ")), None)
    return error or lines[0].removeprefix("grep config error: ")

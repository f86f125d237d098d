"""Runs ripgrep: the user's own `rg` if it is on PATH, else the one that came with Handrail.

Its configuration file is not read, links are not followed, and `.gitignore` counts whether or not there
is a repository. Names go in and out delimited by NUL or in JSON, so that any name survives.
"""

from __future__ import annotations

import os
import shutil
import sysconfig
from collections.abc import Callable, Sequence
from pathlib import Path

from handrail.contract.context import Workspace
from handrail.contract.launching import Finished, Launcher, LaunchSpec
from handrail.contract.values import value
from handrail.errors import LauncherError, ToolFailed
from handrail.runtime.environment import child_environment
from handrail.tools.search.globs import GlobPattern

TIMEOUT = 30.0
"""Seconds for one search."""
_ALWAYS = ("--no-config", "--hidden", "--no-require-git", "--crlf", "--color=never", "--glob=!.git")
_NEVER_MATCHES = "[a&&b]"
_KEPT = 20_000
"""Bytes kept of what it prints: its complaint, when there is nothing else. Results are read as they come."""
_MOST_COMPLAINTS = 5
LONGEST_RECORD = 16 * 1024 * 1024
"""Bytes of one record: a match on a longer line is told of but not shown."""

Take = Callable[[bytes], bool]
"""Takes one record; False stops the search: enough was found."""


class BadSearch(Exception):
    """ripgrep can't use the pattern or glob; the message is its own."""


@value
class Ended:
    """How a search ended, apart from what it found."""

    complete: bool = True
    """False if it was stopped because enough was found."""
    timed_out: bool = False
    troubled: bool = False
    """Something could not be read."""


class Ripgrep:
    """Searches below one folder, with names relative to it."""

    def __init__(self, launcher: Launcher, workspace: Workspace, folder: Path, *, ignored: bool) -> None:
        self._launcher = launcher
        self._workspace = workspace
        self._folder = folder
        self._always = (*_ALWAYS, "--no-ignore") if ignored else _ALWAYS

    async def run(self, options: Sequence[str], target: str, delimiter: bytes, take: Take) -> Ended:
        """Gives each record of the output to `take`. Raises BadSearch, or ToolFailed if it can't run."""
        finished = await self._launch(("--no-messages", *options), target, _Records(delimiter, take))
        if finished is None:
            return Ended(complete=False)
        if finished.ending == "timeout":
            return Ended(timed_out=True)
        if finished.exit_code in (0, 1):
            return Ended()
        complaint = (finished.head + finished.tail).decode(errors="replace")
        if complaint.startswith("rg: "):
            raise BadSearch(_in_short(complaint))
        return Ended(troubled=True)

    async def complaints(self, options: Sequence[str], target: str) -> list[str]:
        """What can't be read there, as `name: why`: said by a search that finds nothing and is not told to be quiet."""
        found: list[str] = []

        def take(line: bytes) -> bool:
            found.append(os.fsdecode(line.removeprefix(b"rg: ").removeprefix(b"./")).split(" (os error")[0])
            return len(found) < _MOST_COMPLAINTS

        await self._launch((f"--regexp={_NEVER_MATCHES}", *options), target, _Records(b"\n", take))
        return found

    async def _launch(self, options: Sequence[str], target: str, records: _Records) -> Finished | None:
        """None if it was stopped because enough was found."""
        import asyncio  # as long to load as all the tools together, and whoever only lists them needs none of it

        search = asyncio.ensure_future(self._launcher.run(self._spec(options, target), records.add))
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

    def _spec(self, options: Sequence[str], target: str) -> LaunchSpec:
        environment = child_environment(os.environ)
        program = _program(environment.get("PATH", os.defpath), self._workspace)
        return LaunchSpec(
            (str(program), *self._always, *options, "--", target),
            cwd=self._folder,
            env=environment,
            timeout=TIMEOUT,
            keep_output=_KEPT,
        )


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
        for record in records:
            self._begin(record)
            if not self.enough and not self._take(b"".join(self._begun)):
                self.enough = True
                self.on_enough()
            self._begun, self._length = [], 0
        self._begin(rest)

    def _begin(self, piece: bytes) -> None:
        if self._length < LONGEST_RECORD:
            self._begun.append(piece)
            self._length += len(piece)


def names_like(pattern: GlobPattern) -> list[str]:
    """Leaves it to ripgrep to drop most names: a file type, unlike a glob, does not bring ignored files back."""
    types = [f"--type-add=wanted:{name}" for name in pattern.last_names]
    return [*types, "--type=wanted"] if types else []


def _program(path: str, workspace: Workspace) -> Path:
    """Never one that lies in the workspace: what comes with a workspace is not run unasked."""
    untrusted = [Path(os.path.realpath(folder)) for folder in workspace.folders]
    trusted = [
        folder
        for folder in path.split(os.pathsep)
        if os.path.isabs(folder) and not any(Path(os.path.realpath(folder)).is_relative_to(f) for f in untrusted)
    ]
    if found := shutil.which("rg", path=os.pathsep.join(trusted)):
        return Path(found)
    if (own := _own_program()) is not None:
        return own
    raise ToolFailed("ripgrep is not installed: there is no rg on PATH. Install it, or search with the shell.")


def _own_program() -> Path | None:
    """Where pip puts programs: beside this Python, or in the user's own folder."""
    schemes = (sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user"))
    return next(
        (found for scheme in schemes if (found := Path(sysconfig.get_path("scripts", scheme), "rg")).exists()), None
    )


def _in_short(complaint: str) -> str:
    """ripgrep shows the pattern and a caret, then `error: …`; its advice about PCRE2 is no use here."""
    lines = complaint.removeprefix("rg: ").splitlines()
    error = next((line.removeprefix("error: ") for line in lines if line.startswith("error: ")), None)
    return error or lines[0]

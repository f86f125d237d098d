"""Results that are too long for a model, kept whole in files that it can look at. One folder for each session."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import stat
from contextlib import suppress
from pathlib import Path

from handrail.contract.basics import CallId, SessionId
from handrail.contract.spill import Kept
from handrail.sandbox.finishing import to_the_end

READERS = frozenset({"read_file", "grep"})
"""The tools that may read a session's own spilled results."""

_FOLDER = "results"
_UNFIT = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST_STEM = 60
_FLAGS = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)

MOST_OF_A_CALL = 64_000_000
"""Bytes of the file that a call itself writes its output to. Claude Code keeps as much of a command's output."""


def spill_folder(state: Path, session: SessionId) -> Path:
    """Where a session's spilled results lie in the state folder; nothing is made yet."""
    return state / _FOLDER / _stem(session)


class SpillFolder:
    """The spilled results of one session, in files named by their calls. All methods block."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, call: CallId, text: str) -> Path:
        """Writes the whole text, readable by its owner alone. Raises OSError, and leaves no half of it behind."""
        path = self._folder / f"{_stem(call)}.txt"
        self.append(path, text.encode("utf-8", "backslashreplace"), anew=True)
        return path

    def output(self, call: CallId) -> Path:
        """Where a call's own output goes: no result has this name."""
        return self._folder / f"{_stem(call)}.output.txt"

    def append(self, path: Path, data: bytes, *, anew: bool) -> None:
        """Appends, or begins a file. Raises OSError, and leaves no half of a file that was begun."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            with open(os.open(path, _FLAGS | (os.O_TRUNC if anew else os.O_APPEND), 0o600), "wb") as file:
                file.write(data)
        except OSError:
            if anew:
                _remove(path)
            raise

    def discard(self, call: CallId) -> None:
        """Takes away what the call kept of its output. Raises OSError."""
        self.output(call).unlink(missing_ok=True)


class CallSpill:
    """Implements `contract.spill.Spill` for one call."""

    def __init__(self, folder: SpillFolder, call: CallId, most: int = MOST_OF_A_CALL) -> None:
        self._folder = folder
        self._path = folder.output(call)
        self._most = most
        self._size = self._dropped = 0
        self._why_not = ""
        self._turn = asyncio.Lock()

    @property
    def kept(self) -> Kept:
        return Kept(self._path if self._size else None, self._size, self._dropped, self._why_not)

    async def add(self, data: bytes) -> None:
        async with self._turn:
            fitting = b"" if self._why_not else data[: self._most - self._size]
            if fitting and not await to_the_end(asyncio.to_thread(self._append, fitting)):
                fitting = b""
            self._size += len(fitting)
            self._dropped += len(data) - len(fitting)

    def _append(self, data: bytes) -> bool:
        try:
            self._folder.append(self._path, data, anew=not self._size)
        except OSError as error:
            self._why_not = error.strerror or type(error).__name__
        return not self._why_not


class NoSpill:
    """Implements `contract.spill.Spill` for a session that keeps nothing."""

    kept = Kept(None)

    async def add(self, data: bytes) -> None: ...


def _remove(path: Path) -> None:
    """A file, and nothing else that may stand there: a device is nobody's to take away."""
    with suppress(OSError):
        if stat.S_ISREG(path.lstat().st_mode):
            path.unlink()


def _stem(id: str) -> str:
    """A name for a file. Ids come from models and may hold anything: what is changed of one is told apart by a hash."""
    plain = _UNFIT.sub("-", id)[:_LONGEST_STEM].strip("-")
    if plain == id:
        return plain
    return f"{plain or 'call'}-{hashlib.sha256(id.encode('utf-8', 'backslashreplace')).hexdigest()[:10]}"

"""Trust: a person's yes to the exact content of something that came with a workspace, kept in the state folder.

One JSON file for all workspaces, for its owner alone. It is replaced whole, under a lock, so that two who trust at
once both have their way. A file that can't be believed trusts nothing.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import cast

from handrail.contract.basics import Instant
from handrail.contract.values import value
from handrail.errors import UsageError
from handrail.settings.private_files import locked, replace
from handrail.settings.reading import doubt_about

FILE = "trust.json"
VERSION = 1

_MAX_BYTES = 16 * 1024 * 1024


class TrustKind(StrEnum):
    """What came with the workspace."""

    SETTINGS = "settings"
    """What a config.toml loosens: the starting mode, further folders, …"""
    POLICY = "policy"
    """What a policy file loosens: its allow rules, and the effects it declares."""
    SKILL = "skill"
    """A skill, with all files of its folder."""
    TOOLS = "tools"
    """The tool files of `.handrail/tools`, with all else that lies there."""
    SERVERS = "servers"
    """A file that configures MCP servers: what they run, and where they connect to."""
    COMMAND = "command"
    """A settings file of another agent, for the commands in it that discover tools and run them."""
    AGENT = "agent"
    """A kind of agent: what it is told, which tools and which mode it has."""


@value
class TrustKey:
    """What a yes is about. Another content is another key: a change voids the trust."""

    workspace: str
    """Its real path."""
    kind: str
    """A TrustKind; or what a later version knows, which is kept as it is."""
    path: str
    """Relative to the workspace, with slashes."""
    digest: str
    """SHA-256 of the content, hexadecimal."""


@value
class TrustBook:
    """All that was trusted, and when."""

    entries: Mapping[TrustKey, Instant]
    problem: str = ""
    """Why the file can't be believed; then nothing is trusted."""

    def trusts(self, key: TrustKey) -> bool:
        return key in self.entries

    def of(self, workspace: str) -> list[TrustKey]:
        return sorted((key for key in self.entries if key.workspace == workspace), key=lambda key: (key.path, key.kind))


class TrustStore:
    """The trust file of one state folder. Blocks: small reads, and a lock held for one write."""

    def __init__(self, state: Path) -> None:
        self._file = state / FILE
        self._lock = state / f"{FILE}.lock"

    def read(self) -> TrustBook:
        """Never raises: what can't be believed is an empty book that says why."""
        try:
            return TrustBook(_entries(_content(self._file)))
        except FileNotFoundError:
            return TrustBook({})
        except _Unbelievable as error:
            return _nothing(self._file, str(error))
        except OSError as error:
            return _nothing(self._file, f"can't be read: {error.strerror}")

    def add(self, keys: Iterable[TrustKey], at: Instant) -> None:
        """Takes the place of what was trusted before of the same path and kind. Raises UsageError."""
        new = dict.fromkeys(keys, at)
        places = {(key.workspace, key.kind, key.path) for key in new}
        with self._changing() as entries:
            for key in [key for key in entries if (key.workspace, key.kind, key.path) in places]:
                del entries[key]
            entries.update(new)

    def remove(self, workspace: str, paths: Iterable[str] | None = None) -> list[TrustKey]:
        """What is no longer trusted. `paths` None: everything of the workspace. Raises UsageError."""
        chosen = None if paths is None else frozenset(paths)
        with self._changing() as entries:
            gone = [key for key in entries if key.workspace == workspace and (chosen is None or key.path in chosen)]
            for key in gone:
                del entries[key]
        return gone

    @contextlib.contextmanager
    def _changing(self) -> Iterator[dict[TrustKey, Instant]]:
        """The entries as they are now, written back at the end, with nobody in between."""
        try:
            with locked(self._lock):
                book = self.read()
                if book.problem:
                    raise UsageError(book.problem)
                entries = dict(book.entries)
                yield entries
                replace(self._file, _text(entries))
        except OSError as error:
            raise UsageError(f"the trust file {self._file} can't be written: {error.strerror}") from error


class _Unbelievable(Exception):
    """The message completes `the trust file FILE …`."""


def _nothing(file: Path, problem: str) -> TrustBook:
    return TrustBook({}, f"the trust file {file} {problem}. Nothing is trusted; repair or remove the file")


def _content(file: Path) -> bytes:
    handle = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    with open(handle, "rb") as opened:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise _Unbelievable("is not an ordinary file")
        if doubt := doubt_about(file, found):
            raise _Unbelievable(f"can't be believed: {doubt}")
        if found.st_size > _MAX_BYTES:
            raise _Unbelievable(f"is larger than {_MAX_BYTES} bytes")
        return opened.read(_MAX_BYTES)


def _entries(content: bytes) -> dict[TrustKey, Instant]:
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise _Unbelievable("is damaged: it is not JSON") from error
    if not isinstance(document, dict) or document.get("version") != VERSION:
        raise _Unbelievable(f"is damaged, or of another version than {VERSION}")
    listed = document.get("trusted")
    if not isinstance(listed, list):
        raise _Unbelievable("is damaged: it has no list")
    return dict(_entry(each) for each in listed)


def _entry(each: object) -> tuple[TrustKey, Instant]:
    names = ("workspace", "kind", "path", "sha256")
    if not isinstance(each, dict) or not all(isinstance(each.get(name), str) for name in names):
        raise _Unbelievable("is damaged: an entry lacks something")
    at = each.get("at")
    if isinstance(at, bool) or not isinstance(at, (int, float)):
        raise _Unbelievable("is damaged: an entry has no time")
    workspace, kind, path, digest = (cast(str, each[name]) for name in names)
    return TrustKey(workspace, kind, path, digest), Instant(at)


def _text(entries: Mapping[TrustKey, Instant]) -> bytes:
    trusted = [
        {"workspace": key.workspace, "kind": key.kind, "path": key.path, "sha256": key.digest, "at": at}
        for key, at in entries.items()
    ]
    # ASCII: the name of a file may hold bytes that are no text.
    return (json.dumps({"version": VERSION, "trusted": trusted}, indent=1) + "\n").encode("ascii")

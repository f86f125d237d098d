"""What is kept on disk: the state folder, and the journal of this workspace."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from handrail.errors import JournalError, UsageError
from handrail.runtime.journal_file import reading
from handrail.runtime.stored_sessions import stored_sessions
from handrail.settings.places import folders, journal_file, state_folder
from handrail.surfaces.cli.doctor.finding import Finding, Health

LITTLE = 200 * 1024 * 1024
"""Bytes; below it a journal may not be writable before the day is over."""


def kept(workspace: Path, environ: Mapping[str, str]) -> Iterator[Finding]:
    state = folders(environ).state
    folder = _folder(state)
    yield folder
    if folder.health is not Health.FAIL:
        yield from _disk(state)
        yield from _journal(journal_file(state, workspace))


def _folder(state: Path) -> Finding:
    if not os.path.lexists(state):
        return Finding("state", Health.OK, f"{state} is not there yet: the first session makes it")
    try:
        state_folder()
    except UsageError as error:
        return Finding("state", Health.FAIL, str(error), "without it no session starts")
    mode = stat.S_IMODE(state.stat().st_mode)
    if mode & 0o077:
        found = f"{state} can be read by others (mode {mode:04o}): it holds what tools printed"
        return Finding("state", Health.WARN, found, f"chmod 700 '{state}'")
    return Finding("state", Health.OK, f"{state}, for you alone")


def _disk(state: Path) -> Iterator[Finding]:
    there = next(folder for folder in (state, *state.parents) if folder.exists())
    free = shutil.disk_usage(there).free
    if free < LITTLE:
        found = f"{free / 1e6:,.0f} MB are free where {state} lies: nothing runs once the journal can't be written"
        yield Finding("disk", Health.WARN, found, "free some space; `handrail sessions prune` deletes what is old")


def _journal(path: Path) -> Iterator[Finding]:
    if not path.exists():
        yield Finding("journal", Health.OK, "no session has run in this workspace yet")
        return
    try:
        with reading(path, oldest=1) as connection:
            (said,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        sessions = stored_sessions(path)
    except JournalError as error:
        yield Finding("journal", Health.FAIL, str(error), "until then no session starts in this workspace")
        return
    if said != "ok":
        mend = "move it away, with its -wal and -shm files; a new one is made"
        yield Finding("journal", Health.FAIL, f"{path} is damaged: {said}", mend)
        return
    size = path.stat().st_size / 1e6
    yield Finding("journal", Health.OK, f"{path}, {len(sessions):,} sessions, {size:,.1f} MB")
    if waiting := sum(session.waiting for session in sessions):
        calls = "1 call waits" if waiting == 1 else f"{waiting} calls wait"
        yield Finding("approvals", Health.WARN, f"{calls} for an answer", "handrail approvals list")

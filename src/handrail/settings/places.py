"""Where Handrail's own files lie on this platform."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from pathlib import Path

import platformdirs

from handrail.errors import UsageError

STATE_VARIABLE = "HANDRAIL_STATE"
"""Names another state folder: for tests, and for homes on a network file system."""

_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH
_STEM_LENGTH = 40


def state_folder() -> Path:
    """The folder for journals, payloads and trust; made with mode 0700 when it isn't there.

    Raises UsageError when it can't be made, or when anybody else could write to it: whoever can,
    decides what Handrail remembers.
    """
    named = os.environ.get(STATE_VARIABLE)
    folder = Path(named).expanduser() if named else platformdirs.user_state_path("handrail", appauthor=False)
    folder = folder.absolute()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.stat()
    except OSError as error:
        raise UsageError(
            f"the state folder {folder} can't be used: {error.strerror}; set {STATE_VARIABLE} to a folder you own"
        ) from error
    if found.st_uid != os.geteuid():
        raise UsageError(
            f"the state folder {folder} belongs to another user (uid {found.st_uid}); "
            f"set {STATE_VARIABLE} to a folder you own"
        )
    if found.st_mode & _OTHERS_MAY_WRITE:
        raise UsageError(
            f"the state folder {folder} can be written by others (mode {stat.S_IMODE(found.st_mode):04o}); "
            f"run: chmod 700 '{folder}'"
        )
    return folder


def journal_file(state: Path, workspace: Path) -> Path:
    """The one journal of a workspace: its folder's name for people, a hash of its real path for certainty."""
    resolved = workspace.resolve()
    stem = re.sub(r"[^A-Za-z0-9._-]+", "-", resolved.name).strip("-.")[:_STEM_LENGTH] or "workspace"
    digest = hashlib.sha256(os.fsencode(resolved)).hexdigest()[:12]
    return state / f"{stem}-{digest}.sqlite"

"""Where Handrail's own files lie on this platform."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import sys
from collections.abc import Mapping
from pathlib import Path

from handrail.contract.values import value
from handrail.errors import UsageError

STATE_VARIABLE = "HANDRAIL_STATE"
"""Names another state folder: for tests, and for homes on a network file system."""

CONFIG_VARIABLE = "HANDRAIL_CONFIG"
"""Names another folder for the user's settings."""

NO_HOME = "nobody knows where your home folder is: HOME is not set, or no whole path; set it to a folder of yours"

WORKSPACE_FOLDER = ".handrail"

_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH
_STEM_LENGTH = 40


@value
class Folders:
    """Our folders outside any workspace. None of them need be there."""

    system: Path
    """The administrator's settings. No variable moves it: it binds whoever works here."""
    user: Path
    state: Path


def folders(environ: Mapping[str, str]) -> Folders:
    """Raises UsageError where there is no home folder that they could lie in."""
    return Folders(_system_folder(), _user_folder(environ), _state_path(environ))


def state_folder() -> Path:
    """The folder for journals, payloads and trust; made with mode 0700 when it isn't there.

    Raises UsageError when it can't be made, or when anybody else could write to it: whoever can,
    decides what Handrail remembers.
    """
    folder = _state_path(os.environ)
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


def _state_path(environ: Mapping[str, str]) -> Path:
    if named := environ.get(STATE_VARIABLE):
        return Path(os.path.expanduser(named)).absolute()
    if _is_linux():
        return _xdg(environ, "XDG_STATE_HOME", "~/.local/state")
    import platformdirs

    return platformdirs.user_state_path("handrail", appauthor=False)


def _user_folder(environ: Mapping[str, str]) -> Path:
    if named := environ.get(CONFIG_VARIABLE):
        return Path(os.path.expanduser(named)).absolute()
    if _is_linux():
        return _xdg(environ, "XDG_CONFIG_HOME", "~/.config")
    import platformdirs

    return platformdirs.user_config_path("handrail", appauthor=False)


def _system_folder() -> Path:
    if _is_linux():
        return Path("/etc/handrail")
    import platformdirs

    return platformdirs.site_config_path("handrail", appauthor=False)


def _is_linux() -> bool:
    return sys.platform == "linux"


def _xdg(environ: Mapping[str, str], variable: str, default: str) -> Path:
    """As platformdirs has it, without its import, which costs as much as half an interpreter's start.

    The XDG Base Directory Specification: a variable that is empty or relative says nothing. Raises UsageError where
    nobody knows the home folder: what lies in the current one must not be taken for the person's own.
    """
    named = environ.get(variable, "").strip()
    path = os.path.expanduser(named if os.path.isabs(named) else default)
    if not os.path.isabs(path):
        raise UsageError(NO_HOME)
    return Path(path) / "handrail"

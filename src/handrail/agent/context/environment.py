"""Where the model works: platform, folder, date, branch. Read once, so that what it is told stays the same."""

from __future__ import annotations

import os
import platform
import re
import time
from pathlib import Path

from handrail.settings.reading import Unreadable, read_own

_HEAD = re.compile(r"ref: refs/heads/(?P<branch>[^\x00-\x20\x7f]{1,200})[ \t\r\n]*")
_ELSEWHERE = re.compile(r"gitdir: (?P<folder>[^\x00-\x1f\x7f]{1,4000})[\r\n]*")
"""A file in the place of `.git`, as worktrees and submodules have it: git-scm.com/docs/gitrepository-layout."""


def environment_text(workspace: Path, now: float) -> str:
    """A line for each fact. `now`: seconds since the epoch. Blocks."""
    branch = branch_of(workspace)
    lines = [
        f"Working folder: {workspace}",
        f"Platform: {platform.system()} {platform.release()} ({platform.machine()})",
        f"Date: {time.strftime('%Y-%m-%d', time.localtime(now))}",
        f"Git branch: {branch}" if branch else "Git: this folder is not a repository's, or its branch is not known",
    ]
    return "\n".join(lines)


def branch_of(workspace: Path) -> str:
    """As `HEAD` of the nearest `.git` names it; empty where no branch is checked out, or this is no repository.

    No program is run.
    """
    found = next((at for at in (workspace, *workspace.parents) if os.path.lexists(at / ".git")), None)
    if found is None:
        return ""
    elsewhere = _ELSEWHERE.fullmatch(_text(found / ".git"))
    head = _HEAD.fullmatch(_text(found / (elsewhere["folder"] if elsewhere else ".git") / "HEAD"))
    return head["branch"] if head else ""


def _text(path: Path) -> str:
    """Of an ordinary file; empty for all else."""
    try:
        found = read_own(path)
    except Unreadable:
        return ""
    return "" if found is None else found.text

"""Where the model works: platform, folder, date, branch. Read once, so that what it is told stays the same."""

from __future__ import annotations

import platform
import re
import time
from pathlib import Path

_HEAD = re.compile(r"ref: refs/heads/(?P<branch>[^\x00-\x20\x7f]{1,200})\s*")
_MOST = 4_096


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
    """As `.git/HEAD` names it; empty where no branch is checked out, or this is no repository. No program is run."""
    for folder in (workspace, *workspace.parents):
        try:
            with (folder / ".git" / "HEAD").open("rb") as file:
                found = _HEAD.fullmatch(file.read(_MOST).decode("utf-8", "replace"))
        except OSError:
            continue
        return found["branch"] if found else ""
    return ""

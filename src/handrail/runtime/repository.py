"""Looks at the repository that git would find, for what would make its read-only commands run other programs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from handrail.policy.shell.git_settings import RUN_HOOKS, odd_setting

MAX_CONFIG_BYTES = 65_536
"""A longer `.git/config` is not read, and git is asked about there."""

MAX_INDEX_BYTES = 64 * 1024 * 1024
"""A longer index is not read, and git is asked about there."""

_GITLINK = (0o160000).to_bytes(4, "big")
"""The mode of an entry of the index that is a repository of its own, as git writes it: see `git help format-index`.
Where there is one git runs itself in that folder, with that folder's settings, and without those given by us."""

_BARE = ("objects", "commondir")
"""With one of these beside a HEAD, git may take a folder for a repository without a working tree."""
_ELSEWHERE = ("commondir", "modules")
"""Settings that lie in another folder, and repositories within the repository: not followed."""


def running_settings(folder: str) -> str:
    """Why git may run other programs in `folder`, as a clause; empty when nothing says that it would.

    Looks in every folder from there up, further than git does: what git passes over is looked at too.
    """
    return next((problem for at in _upwards(folder) if (problem := _problem(at))), "")


def _upwards(folder: str) -> Iterator[Path]:
    here = Path(os.path.realpath(folder))
    yield from (here, *here.parents)


def _problem(folder: Path) -> str:
    repository = folder / ".git"
    try:
        if _is_there(folder / "HEAD") and any(_is_there(folder / name) for name in _BARE):
            return f"{folder} is itself a repository, without a working tree"
        if not _is_there(repository):
            return ""
        if not repository.is_dir():
            return f"the repository of {folder} lies elsewhere"
        linked = next((name for name in _ELSEWHERE if _is_there(repository / name)), "")
        if linked:
            return f"{repository / linked} leads to more repositories"
        hook = next((name for name in RUN_HOOKS if _is_there(repository / "hooks" / name)), "")
        if hook:
            return f"{repository / 'hooks' / hook} runs with it"
        return _config_problem(repository / "config") or _index_problem(repository)
    except OSError as error:
        return f"{repository} can't be looked at: {error.strerror}"


def _is_there(path: Path) -> bool:
    return os.path.lexists(path)


def _config_problem(config: Path) -> str:
    try:
        with config.open("rb") as file:
            text = file.read(MAX_CONFIG_BYTES + 1)
    except FileNotFoundError:
        return ""
    if len(text) > MAX_CONFIG_BYTES:
        return f"{config} is too long to look at"
    odd = odd_setting(text.decode("utf-8", errors="replace"))
    return f"{config} has settings that may run programs ({odd})" if odd else ""


def _index_problem(repository: Path) -> str:
    """Found by its bytes: where they stand by chance, once in some gigabytes, a person is asked in vain."""
    for index in (repository / "index", *repository.glob("sharedindex.*")):
        try:
            with index.open("rb") as file:
                entries = file.read(MAX_INDEX_BYTES + 1)
        except FileNotFoundError:
            continue
        if len(entries) > MAX_INDEX_BYTES:
            return f"{index} is too long to look at"
        if _GITLINK in entries:
            return f"{index} names a repository within the repository"
    return ""

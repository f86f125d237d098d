"""Looks at the file system for the resolver, without ever touching much of it: links, patterns, what a tree holds."""

from __future__ import annotations

import os
import posixpath
import re
import stat
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase, translate

from handrail.contract.values import value
from handrail.policy.protected import protection
from handrail.policy.secrets import BEGINNINGS, ENDINGS, NAMES, is_secret_name

MAX_ENTRIES = 10_000
"""Names looked at below one tree. What a larger one holds is not known, and the worst is assumed."""

MAX_MATCHES = 500
"""Names that one pattern is written out to."""

_SPLITS = re.compile(r"[\s'\"\\]")
_GLOBBING = frozenset("*?[")


def real(path: str) -> str | None:
    """The path with every link resolved, whether it exists or not; None for one that no file can have, or that leads
    through a link that can't be read."""
    try:
        return os.path.realpath(path)
    except (ValueError, OSError):  # a NUL, or half of a surrogate pair; another user's `/proc/1/cwd`
        return None


def real_but_for_the_last(path: str) -> str | None:
    """The same, but a link at the end stays: what is removed is the link."""
    parent, name = posixpath.split(path)
    resolved = real(parent)
    return posixpath.join(resolved, name) if resolved is not None else None


def is_folder(path: str) -> bool:
    return os.path.isdir(path)


def is_file(path: str) -> bool:
    return os.path.isfile(path)


def readable_by_all(path: str) -> bool:
    """True for a file or folder that exists and that every user of this machine may read."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return bool(mode & stat.S_IROTH) and (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


@value
class Holdings:
    """What lies below a folder, as far as it matters."""

    secret: bool = False
    protected: str = ""


def holdings(folder: str, inner: str, *, follows: bool = False, only: tuple[str, ...] = ()) -> Holdings:
    """Whether secret or protected files lie below `folder`, which is called `inner` where names matter.

    A tree of more than MAX_ENTRIES counts as holding secrets; so does one with a link, where links are followed.
    `only`: patterns for the names of the files that count, in any case.
    """
    chosen = re.compile("|".join(translate(pattern.lower()) for pattern in only))
    secret, protected, seen = False, "", 0
    waiting = [(folder, inner)]
    while waiting and not (secret and protected):
        path, name = waiting.pop()
        for entry in _entries(path):
            seen += 1
            if seen > MAX_ENTRIES:
                return Holdings(secret or may_choose_secrets(only), protected)
            below = posixpath.join(name, entry.name)
            counts = not only or (bool(chosen.match(entry.name.lower())) and not entry.is_dir(follow_symlinks=False))
            secret = secret or (counts and (is_secret_name(below) or (follows and entry.is_symlink())))
            protected = protected or protection(below)
            if entry.is_dir(follow_symlinks=False):
                waiting.append((entry.path, below))
    return Holdings(secret, protected)


def holds_links(folder: str) -> bool:
    """True where a link lies below a folder, or it is too large to tell."""
    return _any_below(folder, lambda entry: entry.is_symlink())


def holds_odd_names(folder: str) -> bool:
    """True where a name below a folder has blanks or quotes in it, at which it would be split; or it is too large."""
    return _any_below(folder, lambda entry: _SPLITS.search(entry.name) is not None)


def _any_below(folder: str, test: Callable[[os.DirEntry[str]], bool]) -> bool:
    waiting, seen = [folder], 0
    while waiting:
        for entry in _entries(waiting.pop()):
            seen += 1
            if seen > MAX_ENTRIES or test(entry):
                return True
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
    return False


def may_choose_secrets(only: tuple[str, ...]) -> bool:
    """True where files with names like these are usually secret, or where all files count."""
    usual = (*NAMES, *(f"x{ending}" for ending in ENDINGS), *(f"{beginning}x" for beginning in BEGINNINGS))
    return not only or any(fnmatchcase(name, pattern.lower()) for pattern in only for name in usual)


def fixed_part(pattern: str) -> str:
    """The folder in which a pattern starts to vary."""
    parts = pattern.split("/")
    fixed = next((i for i, part in enumerate(parts) if not _GLOBBING.isdisjoint(part)), len(parts))
    return "/".join(parts[:fixed]) or "/"


def matches(pattern: str) -> list[str] | None:
    """The paths that a shell would put in for an absolute pattern; None when they are too many to look at."""
    if (
        "[:" in pattern or "[." in pattern or "[=" in pattern or "**" in pattern
    ):  # `**` goes deep where a shell is told so
        return None
    found, budget = ["/"], MAX_ENTRIES
    for part in pattern.replace("[^", "[!").strip("/").split("/"):
        if _GLOBBING.isdisjoint(part):
            found = [posixpath.join(path, part) for path in found]
            continue
        further: list[str] = []
        for path in found:
            for entry in _entries(path):
                budget -= 1
                if fnmatchcase(entry.name, part) and (part.startswith(".") or not entry.name.startswith(".")):
                    further.append(posixpath.join(path, entry.name))
                if budget < 0 or len(further) > MAX_MATCHES:
                    return None
        found = further
    return found


def _entries(folder: str) -> Iterator[os.DirEntry[str]]:
    """The entries of a folder; none where it can't be read, for then nothing else can read it either."""
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except (OSError, ValueError):
        return

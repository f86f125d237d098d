"""What lies in a folder, and how two looks at it differ."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Entry:
    """One name. A folder changes with what is in it, so its own size and time say nothing."""

    kind: Literal["file", "folder", "link", "other"]
    mode: int
    """Permission bits."""
    content: str = ""
    """The SHA-256 of a file, hexadecimal; what a link says."""
    size: int = 0
    changed: int = 0
    """Nanoseconds since the epoch."""

    @property
    def lasting(self) -> Entry:
        """Without the time, which is another in every run."""
        return replace(self, changed=0)


Listing: TypeAlias = Mapping[str, Entry]
"""By path, relative to the folder that was listed."""


@dataclass(frozen=True, slots=True)
class Change:
    path: str
    did: Literal["created", "removed", "changed"]


def listing_of(root: Path) -> Listing:
    """Everything below a folder; links are not followed."""
    return dict(_below(root, ""))


def changes(before: Listing, after: Listing) -> list[Change]:
    """In order of the paths."""
    found: list[Change] = []
    for path in sorted(before.keys() | after.keys()):
        if path not in before:
            found.append(Change(path, "created"))
        elif path not in after:
            found.append(Change(path, "removed"))
        elif before[path] != after[path]:
            found.append(Change(path, "changed"))
    return found


def lasting(listing: Listing) -> Listing:
    """What two runs of the same call can have in common."""
    return {path: entry.lasting for path, entry in listing.items()}


def _below(folder: Path, path: str) -> Iterator[tuple[str, Entry]]:
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda item: item.name)
    for item in entries:
        here = f"{path}/{item.name}" if path else item.name
        yield here, _entry(item)
        if item.is_dir(follow_symlinks=False):
            yield from _below(Path(item.path), here)


def _entry(item: os.DirEntry[str]) -> Entry:
    found = item.stat(follow_symlinks=False)
    mode = stat.S_IMODE(found.st_mode)
    if item.is_symlink():
        return Entry("link", mode, os.readlink(item.path), changed=found.st_mtime_ns)
    if item.is_dir(follow_symlinks=False):
        return Entry("folder", mode)
    if not stat.S_ISREG(found.st_mode):
        return Entry("other", mode)
    with open(item.path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Entry("file", mode, digest, found.st_size, found.st_mtime_ns)

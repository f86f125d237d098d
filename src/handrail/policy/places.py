"""Where a path lies. Pure: every folder is known in each of its spellings, links resolved or not."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from enum import StrEnum

from handrail.contract.values import value

SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store")
"""Programs and libraries: reading them is free, secret files aside."""

HARMLESS_DEVICES = frozenset(("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random", "/dev/stdin"))
"""Reading these tells nothing about anything."""

TOP_FOLDERS = frozenset((
    "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib32", "/lib64", "/media", "/mnt", "/opt", "/proc", "/root",
    "/run", "/sbin", "/srv", "/sys", "/usr", "/var",
))  # fmt: skip
"""What stands below `/` on every Linux."""

BELOW_ROOT = "a folder of the system"
"""What any child of `/` counts as."""


_OF_A_PROCESS = re.compile(r"/proc/[^/]+(?:/task/[^/]+)?/(?:cwd|root|fd|map_files)(?:/|\Z)|/dev/fd/")
_OWN_DESCRIPTOR = re.compile(r"/dev/fd/\d+|/proc/(?:self|thread-self)/fd/\d+")


def leads_elsewhere(path: str) -> bool:
    """True for an absolute path that leads through what a process has open or stands in: a link that each process
    sees another way (proc(5)). What a command was given by its shell, `/dev/fd/3`, is no such path."""
    single = re.sub("/+", "/", path)
    return _OF_A_PROCESS.match(single) is not None and not _OWN_DESCRIPTOR.fullmatch(single)


class Zone(StrEnum):
    """Where a path lies, from the freest to the strictest."""

    WORKSPACE = "workspace"
    """In the workspace or a folder added to it."""
    TEMPORARY = "temporary"
    SYSTEM = "system"
    """Programs, libraries, and what everybody may read in /etc."""
    OUTSIDE = "outside"


_BY_STRICTNESS = tuple(Zone)


def strictest(*zones: Zone) -> Zone:
    return max(zones, key=_BY_STRICTNESS.index)


def within(path: str, folder: str) -> bool:
    """True for the folder itself and all below it. Both are absolute and normal."""
    return path == folder or path.startswith(folder if folder.endswith("/") else folder + "/")


def normal(path: str) -> str:
    """`.`, `..` and doubled slashes worked out by name alone, as if nothing were a link."""
    normed = posixpath.normpath(path)
    return normed[1:] if normed.startswith("//") else normed


def _upwards(path: str) -> Iterator[str]:
    """The folder and those that hold it, `/` left out."""
    while path != "/":
        yield path
        path = posixpath.dirname(path)


@value
class Places:
    """The folders that matter, each as it was given and with links resolved."""

    root: tuple[str, ...]
    """The workspace."""
    added: tuple[str, ...] = ()
    home: tuple[str, ...] = ()
    temporary: tuple[str, ...] = ()
    state: tuple[str, ...] = ()
    """Handrail's own."""
    results: tuple[str, ...] = ()
    """In the state: where the session keeps results that were too long, for the model to look at."""
    settings: tuple[str, ...] = ()
    """Folders and files of settings and policies outside the workspace: what they hold decides what may run."""
    system: tuple[str, ...] = SYSTEM_FOLDERS

    @property
    def folders(self) -> tuple[str, ...]:
        return self.root + self.added

    def zone(self, path: str, *, readable_by_all: bool = False) -> Zone:
        """The zone of an absolute, normal path. `readable_by_all` matters below /etc alone."""
        if any(within(path, folder) for folder in self.folders):
            return Zone.WORKSPACE
        if any(within(path, folder) for folder in self.temporary):
            return Zone.TEMPORARY
        if path in HARMLESS_DEVICES or any(within(path, folder) for folder in self.system):
            return Zone.SYSTEM
        if readable_by_all and within(path, "/etc"):
            return Zone.SYSTEM
        return Zone.OUTSIDE

    def inner(self, path: str) -> str:
        """The part of a path below the workspace folder that it lies in; else the whole path."""
        for folder in self.folders:
            if within(path, folder):
                return posixpath.relpath(path, folder)
        return path

    def shown(self, path: str) -> str:
        """A path for a message: relative to the workspace where it lies in it."""
        return next((posixpath.relpath(path, root) for root in self.root if within(path, root)), path)

    def is_state(self, path: str) -> bool:
        return any(within(path, folder) for folder in self.state)

    def is_result(self, path: str) -> bool:
        return any(within(path, folder) for folder in self.results)

    def is_setting(self, path: str) -> bool:
        return any(within(path, place) for place in self.settings)

    def holds_setting(self, path: str) -> bool:
        return any(within(place, path) for place in self.settings)

    def holds_state(self, path: str) -> bool:
        return any(within(folder, path) for folder in self.state)

    @property
    def must_stay(self) -> tuple[str, ...]:
        """Folders whose removal ruins something: the workspace, home and the state, and all that they lie in."""
        kept = self.folders + self.home + self.state
        return tuple(dict.fromkeys(above for folder in kept for above in _upwards(folder)))

    def ruined_by_removal(self, path: str) -> str:
        """What the removal of a path would take away, in words; empty when it is an ordinary path."""
        if path == "/":
            return "the whole file system"
        if any(within(root, path) for root in self.root):
            return "the workspace" if path in self.root else "a folder that holds the workspace"
        if any(within(folder, path) for folder in self.added):
            return "a folder that was added to the workspace"
        if any(within(home, path) for home in self.home):
            return "the home folder" if path in self.home else "a folder that holds the home folder"
        if self.holds_state(path):
            return "Handrail's own state"
        return BELOW_ROOT if posixpath.dirname(path) == "/" else ""

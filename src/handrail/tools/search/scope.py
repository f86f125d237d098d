"""Where a search looks, and how its paths are shown."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from handrail.contract.context import FileReader, Workspace
from handrail.errors import ToolFailed
from handrail.policy import secrets
from handrail.runtime.names import shown_name

_MOST_NAMED = 5
_TELLING = secrets.FOLDERS | {path.rpartition("/")[2] for path in secrets.PATHS}
"""Names without which neither a path nor one that it leads to is secret for its folders."""


class Scope:
    """A folder to search below, or one file."""

    def __init__(self, named: Path, real: str, shown: str, base: str, file: str = "") -> None:
        """`named` and `real`: the folder, as given and with its links resolved; `shown`: for messages.

        `base` leads to the folder from where relative paths start, empty for the workspace itself; `file` is the
        name of the one file.
        """
        self.folder = named
        self.shown = shown
        self.is_file = bool(file)
        self.targets = (f"./{file}",) if file else (".",)
        self._base = base
        self.roots = {str(named), real}
        self._secret_folders: dict[str, bool] = {}
        self.all_secret = not file and self._secret("_")
        """Whatever lies below is."""

    def is_secret(self, name: str) -> bool:
        """By either way to it: a link does not make a secret file an open one."""
        folder, _, last = name.lower().rpartition("/")
        inside = self._secret_folders.get(folder)
        if inside is None:
            tells = self.all_secret or not _TELLING.isdisjoint(folder.split("/"))
            inside = self._secret_folders[folder] = tells and self._secret(f"{folder}/_")
        return inside or secrets.is_secret_alone(last) or (last in _TELLING and self._secret(name))

    def path_of(self, name: str) -> str:
        """A path as the next call can use it, relative to the workspace if it lies in it."""
        return shown_name(os.path.join(self._base, name))

    def _secret(self, name: str) -> bool:
        return any(secrets.is_secret_name(f"{root}/{name}") for root in self.roots)


async def scope_of(path: str, files: FileReader, workspace: Workspace) -> Scope:
    """Raises ToolFailed for what is not there, or neither file nor folder."""
    import asyncio

    named = workspace.absolute(path)
    shown = shown_name(workspace.shown(named))
    match await files.kind(path):
        case "folder":
            folder, file, shown = named, "", "the workspace" if shown == "." else shown
        case "file":
            folder, file = named.parent, named.name
        case None:
            await files.entries(path)  # raises, with the nearest names
            raise ToolFailed(f"{shown} was there, and is no longer. Look again.")
        case "other":
            raise ToolFailed(
                f"{shown} is neither a file nor a folder, so there is nothing to search. Use another path."
            )
    base = workspace.shown(folder)
    real = await asyncio.to_thread(os.path.realpath, folder)
    return Scope(folder, real, shown, "" if base == "." else base, file)


def names_of(records: list[bytes]) -> list[str]:
    """The names that ripgrep lists below `.`, delimited by NUL."""
    return [name[2:] for name in os.fsdecode(b"\0".join(records)).split("\0")]


def in_order(name: str) -> str:
    """Sorts by folder, then name: what separates them comes before any character of a name."""
    return name.replace("/", "\0")


def secrets_note(names: Sequence[str], scope: Scope, verb: str) -> str:
    """How many secret files were passed by, and which."""
    named = ", ".join(scope.path_of(name) for name in names[:_MOST_NAMED])
    more = ", …" if len(names) > _MOST_NAMED else ""
    files = "1 secret file was" if len(names) == 1 else f"{len(names):,} secret files were"
    return f"[{files} not {verb}: {named}{more}.]"


def passed_by(*others: str, ignored: bool) -> str:
    """The rules by which files are left out, for a search that found nothing."""
    hint = () if ignored else ("what .gitignore leaves out (include_ignored=true looks there too)",)
    return f"Not looked at: {', '.join((*hint, *others, '.git'))}, and where links lead."

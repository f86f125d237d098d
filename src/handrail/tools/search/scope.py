"""Where a search looks, and how its paths are shown."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from handrail.contract.context import FileReader, Workspace
from handrail.contract.values import value
from handrail.errors import ToolFailed
from handrail.policy.secrets import is_secret_name
from handrail.runtime.names import shown_name

IGNORED_HINT = "What .gitignore leaves out was not looked at; include_ignored=true looks there too."
_MOST_NAMED = 5


@value
class Scope:
    folder: Path
    """Absolute; the search runs here."""
    real: str
    """The folder with its links resolved."""
    target: str
    """`.`, or the one file."""
    base: str
    """What leads from the workspace to the folder, for messages; empty for the workspace itself."""
    shown: str
    """What is searched, for messages."""

    @property
    def is_file(self) -> bool:
        return self.target != "."

    def is_secret(self, name: str) -> bool:
        """By either way to it: a link does not make a secret file an open one."""
        return any(is_secret_name(f"{folder}/{name}") for folder in {str(self.folder), self.real})

    def path_of(self, name: str) -> str:
        """A path as the next call can use it, relative to the workspace if it lies in it."""
        return shown_name(str(PurePosixPath(self.base, name)))


async def scope_of(path: str, files: FileReader, workspace: Workspace) -> Scope:
    """Raises ToolFailed for what is not there, or neither file nor folder."""
    named = workspace.absolute(path)
    shown = shown_name(workspace.shown(named))
    match await files.kind(path):
        case "folder":
            return _scope(named, ".", "the workspace" if shown == "." else shown, workspace)
        case "file":
            return _scope(named.parent, f"./{named.name}", shown, workspace)
        case None:
            await files.entries(path)  # raises, with the nearest names
    raise ToolFailed(f"{shown} is neither a file nor a folder, so there is nothing to search. Use another path.")


def _scope(folder: Path, target: str, shown: str, workspace: Workspace) -> Scope:
    base = workspace.shown(folder)
    return Scope(folder, os.path.realpath(folder), target, "" if base == "." else base, shown)


def secrets_note(names: Sequence[str], scope: Scope, verb: str) -> str:
    """How many secret files were passed by, and which."""
    named = ", ".join(scope.path_of(name) for name in names[:_MOST_NAMED])
    more = ", …" if len(names) > _MOST_NAMED else ""
    files = "1 secret file was" if len(names) == 1 else f"{len(names):,} secret files were"
    return f"[{files} not {verb}: {named}{more}.]"

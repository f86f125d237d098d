"""What the file system answered, in words for a person and a model: what happened, where, what to do next."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Sequence

from handrail.contract.context import Workspace
from handrail.runtime.folders import Folder, LinkInTheWay
from handrail.runtime.names import shown_name, similar

_KINDS = (
    (stat.S_ISFIFO, "a FIFO (named pipe)"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)

_ANSWERS = {
    errno.EACCES: "{path} can't be used: permission denied. Ask the user for access, or use another path.",
    errno.EPERM: "{path} can't be used: permission denied. Ask the user for access, or use another path.",
    errno.ENOTDIR: "{path} can't be used: a file stands where its path needs a folder. Correct the path.",
    errno.EISDIR: "{path} is a folder, not a file. List it to see what is in it.",
    errno.EEXIST: "{path} appeared meanwhile and was left as it is. Read it and try again.",
    errno.ENAMETOOLONG: "{path} can't be used: the name is too long. Use a shorter one.",
    errno.ENOSPC: "{path} was not changed: the disk is full. Free some space and try again.",
    errno.EDQUOT: "{path} was not changed: the disk quota is used up. Free some space and try again.",
    errno.EROFS: "{path} was not changed: the file system is read-only. Use a path elsewhere.",
    errno.EAGAIN: "{path} has nothing to read now, and may never have. Use the shell with a timeout.",
    errno.ELOOP: "{path} can't be used: links lead in a circle. Use a path without them.",
}


class Missing(Exception):
    """Nothing is there. Holds the deepest folder on the way that exists, what it lacks, and what it has."""

    def __init__(self, folder: Folder, absent: Sequence[str]) -> None:
        super().__init__(folder.path, absent)
        self.folder = folder.path
        self.wanted = absent[0]
        self.is_last = len(absent) == 1
        self.names: Sequence[str] = ()
        with contextlib.suppress(PermissionError):
            self.names = folder.names()


def missing(workspace: Workspace, shown: str, error: Missing) -> str:
    """Names of neighbours are told only inside the workspace: elsewhere the call was allowed one path, no folder."""
    roots = [os.path.realpath(folder) for folder in workspace.folders]
    root = next((root for root in roots if error.folder.is_relative_to(root)), None)
    if root is None:
        return f"There is no {shown}. Correct the path."
    below = error.folder.relative_to(root)
    where = shown_name(str(below)) if below.parts else "the workspace"
    what = "" if error.is_last else f": {where} has no folder {shown_name(error.wanted)}"
    near = ", ".join(map(shown_name, similar(error.wanted, error.names)))
    if near:
        return f"There is no {shown}{what}. Nearest names in {where}: {near}."
    return f"There is no {shown}{what}. No name in {where} is like it; list the folder, or search for the name."


def moved(shown: str) -> str:
    return (
        f"{shown} leads to another place now than when this call was decided: a link on its path has changed. "
        "Nothing was done; call again if that is right."
    )


def a_link(shown: str, path: str | os.PathLike[str]) -> str:
    """One stands at `path`, where links are resolved: it was put there meanwhile, or leads to itself."""
    try:
        os.stat(path)
    except OSError as error:
        if error.errno == errno.ELOOP:
            return _ANSWERS[errno.ELOOP].format(path=shown)
    return moved(shown)


def changed(shown: str) -> str:
    return f"{shown} has changed since it was read, and was left as it is. Read it again and repeat the change."


def no_end(shown: str, most: int) -> str:
    return (
        f"{shown} says that it is smaller, but goes on after {most:,} bytes, and may have no end. "
        "Use the shell, with a timeout and head."
    )


def too_large(shown: str, size: int, most: int) -> str:
    return (
        f"{shown} has {size:,} bytes; files of more than {most:,} are not read whole. "
        "Search it for the part you need, or use the shell."
    )


def not_a_file(shown: str, mode: int) -> str:
    if stat.S_ISDIR(mode):
        return _ANSWERS[errno.EISDIR].format(path=shown)
    what = next((name for test, name in _KINDS if test(mode)), "not a regular file")
    return f"{shown} is {what}, and only regular files are read or written. Use another path."


def only_a_link(shown: str) -> str:
    return f"{shown} is a link to a file, and was left as it is: only files are deleted or moved here. Use the shell."


def no_name(shown: str) -> str:
    return (
        f"{shown} was not created: the path given ends with a slash, which is how folders are named. "
        "Add the file's name, or leave the slash out."
    )


def refused(shown: str, error: OSError) -> str:
    if isinstance(error, LinkInTheWay):
        return a_link(shown, error.filename)
    answer = _ANSWERS.get(error.errno or 0)
    if answer is not None:
        return answer.format(path=shown)
    return f"{shown} can't be used: {error.strerror or os.strerror(error.errno or 0)}. Use another path."

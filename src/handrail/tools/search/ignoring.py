"""Which entries of a folder `.gitignore` leaves out, by the files from the workspace's root down to it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from handrail.contract.context import FileReader
from handrail.contract.effects import PathClaim

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

NAME = ".gitignore"


def ignore_files(path: str) -> tuple[str, ...]:
    """The `.gitignore` files on the way from the workspace's root to a folder below it, itself aside.

    By name alone, so that they can be claimed: none for a path that is absolute or goes up.
    """
    given = PurePosixPath(path)
    if given.is_absolute() or ".." in given.parts or path.startswith("~"):
        return ()
    return tuple(str(PurePosixPath(*given.parts[:depth], NAME)) for depth in range(len(given.parts)))


def ignore_claims(path: str) -> tuple[PathClaim, ...]:
    return tuple(map(PathClaim, ignore_files(path)))


class Ignoring:
    """The rules that hold in one folder, the nearest last: the last one that says anything decides."""

    def __init__(self, folder: PurePosixPath, rules: Sequence[tuple[PurePosixPath, GitIgnoreSpec]]) -> None:
        self._folder = folder
        self._rules = rules
        if self._ignores(folder, is_folder=True):
            self._rules = ()  # named on purpose, so its own rules would only hide what is wanted

    @classmethod
    async def read(cls, path: str, files: FileReader) -> Ignoring:
        from pathspec import GitIgnoreSpec  # costs 8 ms, which only a listing need pay

        folder = PurePosixPath(path)
        rules = []
        for name in (*ignore_files(path), str(folder / NAME)):
            if await files.kind(name) == "file":
                content = await files.read(name)
                lines = content.data.decode(errors="replace").splitlines()
                rules.append((PurePosixPath(name).parent, GitIgnoreSpec.from_lines(lines)))
        return cls(folder, rules)

    def ignores(self, name: str, *, is_folder: bool) -> bool:
        return self._ignores(self._folder / name, is_folder=is_folder)

    def _ignores(self, path: PurePosixPath, *, is_folder: bool) -> bool:
        for base, spec in reversed(self._rules):
            if path != base:
                below = str(path.relative_to(base)).encode(errors="surrogateescape").decode(errors="replace")
                verdict = spec.check_file(below + ("/" if is_folder else "")).include
                if verdict is not None:
                    return verdict
        return False

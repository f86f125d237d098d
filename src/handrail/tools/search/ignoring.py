"""Which entries of a folder `.gitignore` leaves out, by the files from the workspace's root down to it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from handrail.contract.context import FileReader
from handrail.contract.effects import PathClaim
from handrail.tools.text.beside import beside_the_loop

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

NAME = ".gitignore"
_MOST_LINES = 10_000
"""Of one file: nobody writes more of them."""


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
        folder = PurePosixPath(path)
        rules = []
        for name in (*ignore_files(path), str(folder / NAME)):
            if await files.kind(name) == "file":
                content = await files.read(name)
                rules.append((PurePosixPath(name).parent, await beside_the_loop(_spec, content.data)))
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


def _spec(data: bytes) -> GitIgnoreSpec:
    """Its rules. As for git, a line that is no pattern matches nothing, and the others hold."""
    import re2
    from pathspec import GitIgnoreSpec  # costs 8 ms, which only a listing need pay

    errors = (ValueError, re.error, re2.error)

    def is_pattern(line: str) -> bool:
        try:
            GitIgnoreSpec.from_lines((line,))
        except errors:
            return False
        return True

    lines = data.decode(errors="replace").splitlines()[:_MOST_LINES]
    try:
        return GitIgnoreSpec.from_lines(lines)
    except errors:
        return GitIgnoreSpec.from_lines(filter(is_pattern, lines))

"""Keeps a search away from secret files, and finds out which ones it passes by.

ripgrep is told by rules of names what not to open, so that even a file that appears meanwhile stays closed. File types
serve for that: unlike globs they have exceptions, and no `.gitignore` is stronger. A second run lists the files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import PurePath

from handrail.policy import secrets
from handrail.tools.search.ripgrep import Ended, Ripgrep
from handrail.tools.search.scope import Scope, in_order, names_of
from handrail.tools.search.wanted import Wanted


def keeping_closed(selected: Sequence[str], scope: Scope) -> list[str]:
    """Options for a search in a folder that selects these types; none stand for all files.

    A file that only looks secret is left out where a type was asked for: ripgrep would bring it whatever its type.
    """
    every = () if selected else ("--type-add=any:*", "--type=any")
    back = () if any(option.startswith("--type=") and option != "--type=wanted" for option in selected) else _open()
    folders = (f"--iglob=!{glob}" for glob in (*_below_folders(), *_below_roots(scope)))
    return [*every, *selected, *_closed(), *back, *folders]


async def secret_files(ripgrep: Ripgrep, scope: Scope, wanted: Wanted) -> tuple[list[str], Ended]:
    """Relative to the scope's folder, in order; and how the look for them ended.

    Those that .gitignore names count too: they are passed by as well.
    """
    found: list[str] = []

    def take(records: list[bytes]) -> bool:
        found.extend(name for name in names_of(records) if scope.is_secret(name) and wanted.holds(name))
        return True

    candidates = () if scope.all_secret else (*_names(), *_below_folders(), *_below_roots(scope))
    globs = [f"--iglob={glob}" for glob in candidates]
    ended = await ripgrep.run(["--files", "--null", *globs], scope.targets, b"\0", take)
    return sorted(found, key=in_order), ended


def _names() -> Iterator[str]:
    """All that are secret by their last name, and some that are not: `OPEN_NAMES` has the last word."""
    yield from sorted(secrets.NAMES)
    yield from (f"{beginning}*" for beginning in secrets.BEGINNINGS)
    yield from (f"*{ending}" for ending in secrets.ENDINGS)


def _below_folders() -> Iterator[str]:
    yield from (f"**/{folder}/**" for folder in sorted(secrets.FOLDERS))
    yield from (glob for path in secrets.PATHS for glob in (f"**/{path}", f"**/{path}/**"))


def _below_roots(scope: Scope) -> Iterator[str]:
    """What completes a path that began above the folder searched."""
    for path in secrets.PATHS:
        parts = path.split("/")
        for cut in range(1, len(parts)):
            if any(PurePath(root.lower()).parts[-cut:] == tuple(parts[:cut]) for root in scope.roots):
                rest = "/".join(parts[cut:])
                yield from (f"/{rest}", f"/{rest}/**")


@cache
def _closed() -> tuple[str, ...]:
    return (*(f"--type-add=secret:{_in_any_case(name)}" for name in _names()), "--type-not=secret")


@cache
def _open() -> tuple[str, ...]:
    return (*(f"--type-add=open:{_in_any_case(name)}" for name in sorted(secrets.OPEN_NAMES)), "--type=open")


def _in_any_case(glob: str) -> str:
    """Types, unlike globs, know no flag for it."""
    return "".join(f"[{letter}{letter.upper()}]" if letter.isalpha() else letter for letter in glob)

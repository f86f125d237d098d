"""Finds the secret files that a search would meet, so that it can pass them by and say how many there are."""

from __future__ import annotations

import os
import re

from handrail.policy import secrets
from handrail.tools.search.globs import GlobPattern
from handrail.tools.search.ripgrep import Ripgrep
from handrail.tools.search.scope import Scope

MOST_EXCLUDED = 1_000
"""Named to ripgrep one by one; any further are kept out of the result alone."""

_SPECIAL = re.compile(r"([*?\[\]{}\\])")


async def secret_files(ripgrep: Ripgrep, scope: Scope, wanted: GlobPattern | None) -> list[str]:
    """Relative to the scope's folder, in order. Those that .gitignore names count too: they are passed by as well."""
    found: list[str] = []

    def take(record: bytes) -> bool:
        name = os.fsdecode(record).removeprefix("./")
        if name and scope.is_secret(name) and (wanted is None or wanted.matches(name)):
            found.append(name)
        return True

    globs = [] if scope.is_secret("") else [f"--iglob={glob}" for glob in _globs()]  # in a secret folder, all are
    await ripgrep.run(["--files", "--null", *globs], ".", b"\0", take)
    return sorted(found)


def excluding(names: list[str]) -> list[str]:
    """Options that keep ripgrep from opening these files."""
    return ["--glob=!/" + _SPECIAL.sub(r"\\\1", name) for name in names[:MOST_EXCLUDED] if _is_utf8(name)]


def _globs() -> list[str]:
    """All that could be secret by name, and some that are not: `is_secret` has the last word."""
    return [
        *sorted(secrets.NAMES),
        *(f"{beginning}*" for beginning in secrets.BEGINNINGS),
        *(f"*{ending}" for ending in secrets.ENDINGS),
        *(f"**/{folder}/**" for folder in sorted(secrets.FOLDERS)),
        *(glob for path in secrets.PATHS for glob in (f"**/{path}", f"**/{path}/**")),
    ]


def _is_utf8(name: str) -> bool:
    return not any(0xD800 <= ord(character) <= 0xDFFF for character in name)

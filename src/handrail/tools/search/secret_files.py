"""Finds the secret files that a search would meet, so that it can pass them by and say how many there are."""

from __future__ import annotations

import re

from handrail.policy import secrets
from handrail.tools.search.ripgrep import Ended, Ripgrep
from handrail.tools.search.scope import Scope, in_order, names_of
from handrail.tools.search.wanted import Wanted

MOST_EXCLUDED = 1_000
"""Named to ripgrep one by one; any further are kept out of the result alone."""

_SPECIAL = re.compile(r"([*?\[\]{}\\])")


async def secret_files(ripgrep: Ripgrep, scope: Scope, wanted: Wanted) -> tuple[list[str], Ended]:
    """Relative to the scope's folder, in order; and how the look for them ended.

    Those that .gitignore names count too: they are passed by as well. The one file that was named does not: reading
    it was asked about if it is secret.
    """
    if scope.is_file:
        return [], Ended()
    found: list[str] = []

    def take(records: list[bytes]) -> bool:
        found.extend(name for name in names_of(records) if scope.is_secret(name) and wanted.holds(name))
        return True

    globs = [] if scope.is_secret("") else [f"--iglob={glob}" for glob in _globs()]  # in a secret folder, all are
    ended = await ripgrep.run(["--files", "--null", *globs], (".",), b"\0", take)
    return sorted(found, key=in_order), ended


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

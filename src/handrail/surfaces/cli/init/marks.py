"""Looks for the marks of a project in its folder: which files there are, and what they name. Reads little of each."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

MOST_FILES = 50
"""Of one glob: a project says early what it is."""
MOST_BYTES = 256 * 1024
"""Of one file."""

_TARGET = re.compile(r"^@?([A-Za-z0-9][\w.:/-]*)(?:[ \t]+[^:=\n]*)?:(?!:?=)", re.MULTILINE)
"""A target of a Makefile or a recipe of a justfile: a name that begins a line, then a colon that assigns nothing."""


def has_mark(root: Path, mark: str) -> bool:
    """`FILE`, or `FILE TEXT`; FILE may be a glob."""
    name, _, text = mark.partition(" ")
    return any(not text or text in read(path) for path in _files(root, name))


def script_names(root: Path, file: str) -> tuple[str, ...]:
    """The names in the object `scripts` of a JSON file; none where there is no such file, or it is none."""
    try:
        content = json.loads(read(root / file) or "{}")
    except (ValueError, RecursionError):
        return ()
    scripts = content.get("scripts") if isinstance(content, dict) else None
    return tuple(scripts) if isinstance(scripts, dict) else ()


def target_names(root: Path, file: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found[1] for found in _TARGET.finditer(read(root / file))))


def read(path: Path) -> str:
    """The beginning of an ordinary file; empty for all else. Never waits."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        with open(handle, "rb") as opened:
            return opened.read(MOST_BYTES).decode("utf-8", "replace") if os.path.isfile(path) else ""
    except OSError:
        return ""


def _files(root: Path, name: str) -> Iterator[Path]:
    if not any(sign in name for sign in "*?["):
        yield from (path for path in [root / name] if path.is_file())
        return
    yield from (path for path in islice(root.glob(name), MOST_FILES) if path.is_file())

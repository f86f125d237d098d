"""Files of a call whose effects are taken as the runtime takes them: links resolved now, before the call."""

from __future__ import annotations

import os
from pathlib import Path

from handrail.contract.context import Workspace
from handrail.contract.effects import Effects, PathEffect, Scope
from handrail.runtime.files import WorkspaceFiles

HANG = 60
"""Seconds after which a test that would wait for ever fails."""


def effect(root: Path, path: str, scope: Scope = "file") -> PathEffect:
    named = Workspace(root).absolute(path)
    return PathEffect(named, Path(os.path.realpath(named)), scope)


def reading(root: Path, *paths: str, scope: Scope = "file") -> WorkspaceFiles:
    effects = Effects(reads=frozenset(effect(root, path, scope) for path in paths))
    return WorkspaceFiles(Workspace(root), effects)


def writing(root: Path, *paths: str) -> WorkspaceFiles:
    return WorkspaceFiles(Workspace(root), Effects(writes=frozenset(effect(root, path) for path in paths)))


def temporary_files(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if ".handrail-" in path.name]

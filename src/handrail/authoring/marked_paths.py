"""Marked paths, as the function gets them: absolute. Pure.

What a model calls `notes.md` lies in the workspace; that is what was judged. To a function that opens it, the
name would mean the folder the process happens to run in.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from types import SimpleNamespace
from typing import Any

from pydantic import BaseModel

from handrail.contract.context import Workspace
from handrail.contract.tool import Reads, Writes


def with_absolute_paths(params: Any, marked: Iterable[tuple[str, object]], workspace: Workspace) -> Any:
    """The same arguments, with every path that is marked as read or written seen from the workspace."""
    names = {name for name, mark in marked if isinstance(mark, (Reads, Writes))}
    if not names:
        return params
    values = params if isinstance(params, Mapping) else {name: getattr(params, name) for name in names}
    changed = {name: _absolute(values[name], workspace) for name in names if name in values}
    match params:
        case SimpleNamespace():
            return SimpleNamespace(**{**vars(params), **changed})
        case BaseModel():
            return params.model_copy(update=changed)
        case Mapping():
            return {**params, **changed}
        case _:
            return dataclasses.replace(params, **changed)


def _absolute(value: Any, workspace: Workspace) -> Any:
    match value:
        case PurePath():
            return type(value)(workspace.absolute(str(value)))
        case str():
            return str(workspace.absolute(value))
        case Mapping():
            return {_absolute(key, workspace): _absolute(item, workspace) for key, item in value.items()}
    for kind in (list, tuple, set, frozenset):
        if isinstance(value, kind):
            return kind(_absolute(item, workspace) for item in value)
    return value

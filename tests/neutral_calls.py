"""Responses in the neutral form, and what became of them, for tests of whole turns."""

from __future__ import annotations

from typing import Any

from handrail.runtime.turns import Turn

Named = tuple[str, dict[str, Any]]


def calls(*named: Named) -> dict[str, Any]:
    return {"calls": [{"id": f"c{i}", "name": name, "arguments": given} for i, (name, given) in enumerate(named, 1)]}


def write(path: str, content: str = "x") -> Named:
    return "write_file", {"file_path": path, "content": content}


def read(path: str) -> Named:
    return "read_file", {"file_path": path}


def kinds(turn: Turn) -> list[type]:
    return [type(call) for call in turn.calls]

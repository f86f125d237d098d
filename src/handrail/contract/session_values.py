"""What tools keep for the rest of a session: lists of todos and tasks, say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from handrail.contract.basics import Json


class SessionValues(Protocol):
    """Values by name, shared by all calls of a session, those of its subagents too.

    Never blocks. A value that was put is there again when the session is taken up: it becomes durable before the
    outcome of the call that put it. Whoever reads one and puts another declares the name as an exclusive key.
    """

    def get(self, name: str) -> Json:
        """None where nothing was put."""
        ...

    def put(self, name: str, value: Json) -> None:
        """Raises ToolFailed for more than a session keeps under one name."""
        ...

    def put_all(self, values: Mapping[str, Json]) -> None:
        """Puts several, by name, that belong together: whoever takes the session up finds all of them, or none.
        Raises ToolFailed, and has put none, where one of them is too much."""
        ...

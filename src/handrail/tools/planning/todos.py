"""The model's own short list for the work at hand: always written whole. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, TypeAlias, get_args

from handrail.contract.basics import Json
from handrail.contract.results import TodoDisplay, TodoItem, ToolResult
from handrail.contract.session_values import SessionValues

KEY = "todos"
"""Of the session's values, and what calls exclude each other by."""

Status: TypeAlias = Literal["pending", "in_progress", "completed", "cancelled", "blocked"]
STATUSES: Sequence[Status] = get_args(Status)

_MARKS = {"pending": "[ ]", "in_progress": "[>]", "completed": "[x]", "cancelled": "[-]", "blocked": "[!]"}


def problem_of(items: Sequence[TodoItem]) -> str | None:
    """What is wrong with a list, and how to put it right; None when nothing is."""
    empty = [number for number, item in enumerate(items, 1) if not item.text]
    if empty:
        return f"Todo {empty[0]} has no text. Say what is to be done, or leave it out."
    active = [f"{number} ({item.text})" for number, item in enumerate(items, 1) if item.status == "in_progress"]
    if len(active) > 1:
        return f"{len(active)} todos are in progress: {', '.join(active)}. Keep one, and set the others to pending."
    return None


def kept(values: SessionValues) -> tuple[TodoItem, ...]:
    """The session's list; empty where there is none."""
    listed = values.get(KEY)
    return tuple(_items(listed)) if isinstance(listed, list) else ()


def keep(values: SessionValues, items: Iterable[TodoItem]) -> None:
    values.put(KEY, [{"text": item.text, "status": item.status} for item in items])


def told(items: Sequence[TodoItem], empty: str) -> ToolResult:
    """The list as its result: numbered for the model, a display for people."""
    lines = [f"{number}. {_MARKS[item.status]} {item.text} ({item.status})" for number, item in enumerate(items, 1)]
    listed: Json = [{"text": item.text, "status": item.status} for item in items]
    return ToolResult.of_text("\n".join(lines) or empty, display=TodoDisplay(tuple(items)), data={"todos": listed})


def _items(listed: Sequence[Json]) -> Iterator[TodoItem]:
    for entry in listed:
        if isinstance(entry, dict):
            found = [status for status in STATUSES if status == entry.get("status")]
            yield TodoItem(str(entry.get("text", "")), found[0] if found else "pending")

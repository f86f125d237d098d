"""A folder's entries as rows: folders first, then by name."""

from __future__ import annotations

from collections.abc import Sequence

from handrail.contract.context import Entry
from handrail.runtime.names import shown_name
from handrail.tools.text.counting import counted


def in_order(entries: Sequence[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda entry: (entry.kind != "folder", entry.name))


def row(entry: Entry) -> str:
    name = shown_name(entry.name)
    match entry.kind:
        case "folder":
            return f"{name}/"
        case "file":
            return f"{name}  ({counted(entry.size, 'byte')})"
        case "link":
            return f"{name}  (link to {shown_name(entry.target)})"
        case "other":
            return f"{name}  (not a regular file)"

"""What becomes of a file's other names when it is written anew. Pure."""

from __future__ import annotations

from handrail.contract.context import FileContent


def links_note(before: FileContent | None) -> str:
    """A sentence to add to the report of a write; empty for a file of one name."""
    if before is None or before.links < 2:
        return ""
    others = "the other keeps" if before.links == 2 else "the others keep"
    return f" It had {before.links:,} names (hard links): {others} the old content."

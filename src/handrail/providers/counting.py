"""How many tools there are, in words."""

from __future__ import annotations


def tools_text(count: int) -> str:
    """`no tools`, `1 tool`, `12 tools`."""
    return "1 tool" if count == 1 else f"{count or 'no'} tools"

"""Numbers with their nouns. Pure."""

from __future__ import annotations


def counted(number: int, thing: str, things: str = "") -> str:
    """`1 line`, `2,000 lines`; `things` where the plural is not made with an s."""
    return f"{number:,} {thing if number == 1 else things or f'{thing}s'}"

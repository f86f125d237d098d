"""What one read shows."""

from __future__ import annotations

from handrail.contract.basics import JsonObject
from handrail.contract.results import Part, TextPart
from handrail.contract.values import value

MOST_CHARACTERS = 100_000
"""Of one result: about what 25,000 tokens hold."""


@value
class View:
    """`name` says which part of the file it is: two views of the same content and name are the same."""

    name: str
    parts: tuple[Part, ...]
    data: JsonObject

    @classmethod
    def of_text(cls, name: str, rows: list[str], data: JsonObject) -> View:
        return cls(name, (TextPart("\n".join(rows)),), data)


def range_name(thing: str, first: int, last: int, total: int) -> str:
    """`Lines 1-9 of 20`."""
    return f"{thing} {first:,}-{last:,} of {total:,}"

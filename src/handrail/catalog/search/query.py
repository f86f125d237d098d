"""What a model may ask for: tools by name, or by words of which some must be in the name. Pure."""

from __future__ import annotations

from handrail.catalog.search.words import words_of
from handrail.contract.values import value

SELECT = "select:"


@value
class Query:
    """Either names, or words."""

    names: tuple[str, ...] = ()
    """Of tools that are wanted by name, as written."""
    required: tuple[str, ...] = ()
    """What a tool's name must hold, in lower case."""
    words: tuple[str, ...] = ()
    """What tools are ranked by; the required words are among them."""

    @property
    def is_empty(self) -> bool:
        return not (self.names or self.required or self.words)

    def admits(self, name: str) -> bool:
        lowered = name.lower()
        return all(required in lowered for required in self.required)


def parsed(text: str) -> Query:
    """`select:A,B` names tools; else `+word` must be in a tool's name, and every other word helps to find it."""
    stripped = text.strip()
    if stripped[: len(SELECT)].lower() == SELECT:
        names = (name.strip() for name in stripped[len(SELECT) :].split(","))
        return Query(names=tuple(dict.fromkeys(name for name in names if name)))
    required = [part[1:].lower() for part in stripped.split() if part.startswith("+") and part[1:]]
    return Query(required=tuple(dict.fromkeys(required)), words=tuple(dict.fromkeys(words_of(stripped))))

"""A group of models that were trained on one vocabulary."""

from __future__ import annotations

from collections.abc import Mapping

from handrail.contract.values import value


@value
class Family:
    """Knows names alone: what else a face has is read when one is called or shown."""

    name: str
    models: tuple[str, ...]
    """A model whose name holds one of these belongs to the family."""
    names: Mapping[str, str]
    """The family's name → the tool. Of several for one tool the first is on the menu."""
    past: Mapping[str, str]
    """A name that the family's models once knew → the one that stands for it."""
    lacks: frozenset[str]
    """Tools of ours that its vocabulary has no word for, since it does the same by other means."""
    base: str = ""
    """The family whose faces it takes over; its own replace them."""

    def name_of(self, tool: str) -> str | None:
        """The family's name for a tool; None where it has none of its own."""
        return next((name for name, known in self.names.items() if known == tool), None)

    def called(self, name: str) -> str | None:
        """The face that answers to a name, now or in the past; None where none does."""
        name = self.past.get(name, name)
        return name if name in self.names else None

    def all_names_of(self, tool: str) -> tuple[str, ...]:
        names = [name for name, known in self.names.items() if known == tool]
        return (*names, *(name for name, now in self.past.items() if now in names))


OURS = Family("handrail", (), {}, {}, frozenset())

"""What was said so far, by whom, and what the model's calls gave: encoded for a wire when a model is asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from handrail.contract.basics import JsonObject
from handrail.contract.values import value
from handrail.runtime.turns import Turn
from handrail.wire import Wire
from handrail.wire.user import encode_user


@value
class Told:
    """What the user said, or what the model is to know beside it."""

    text: str


@value
class CarriedOut:
    """A response, and the results of all its calls."""

    turn: Turn


Entry: TypeAlias = Told | CarriedOut


class Conversation:
    """Entries in their order. Each call stands in one entry with its result, so that nothing parts the two."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def tell(self, text: str) -> None:
        self.entries.append(Told(text))

    def carried_out(self, turn: Turn) -> None:
        self.entries.append(CarriedOut(turn))

    def clear(self) -> None:
        self.entries.clear()

    def messages(self, wire: Wire) -> tuple[JsonObject, ...]:
        """In the form of a wire, the oldest first."""
        return tuple(self._encoded(wire))

    def _encoded(self, wire: Wire) -> Iterator[JsonObject]:
        for entry in self.entries:
            if isinstance(entry, Told):
                yield encode_user(entry.text, wire)
            else:
                yield from entry.turn.messages

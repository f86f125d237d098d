"""What was said so far, by whom, and what the model's calls gave: encoded for a wire when a model is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from handrail.contract.basics import JsonObject
from handrail.contract.values import value
from handrail.runtime.turns import Turn
from handrail.wire import Answer, Response, Wire, encode
from handrail.wire.retelling import retold
from handrail.wire.user import encode_user, in_turn


@value
class Told:
    """What the user said."""

    text: str


@value
class Noted:
    """What the model is to know beside what the user said: the mode is another, a subagent has come to its end."""

    text: str


@value
class CarriedOut:
    """A response, and the results of all its calls, in its order."""

    response: Response
    answers: tuple[Answer, ...]

    def messages(self, wire: Wire, stem: str) -> tuple[JsonObject, ...]:
        """As it was received, where the wire is its own; else told in that one, with ids that begin with `stem`."""
        if self.response.wire is wire:
            return encode(self.response, self.answers)
        response = retold(self.response, wire, stem)
        answers = [replace(answer, request=call) for answer, call in zip(self.answers, response.calls, strict=True)]
        return encode(response, answers)


Entry: TypeAlias = Told | Noted | CarriedOut


class Conversation:
    """Entries in their order. Each call stands in one entry with its result, so that nothing parts the two."""

    def __init__(self, entries: Sequence[Entry] = ()) -> None:
        self.entries: list[Entry] = list(entries)

    def tell(self, text: str) -> None:
        self.entries.append(Told(text))

    def note(self, text: str) -> None:
        self.entries.append(Noted(text))

    def carried_out(self, turn: Turn) -> None:
        """A turn none of whose calls waits. One that says nothing at all leaves nothing."""
        if turn.response.assistant:
            self.entries.append(CarriedOut(turn.response, turn.answers))

    def messages(self, wire: Wire) -> tuple[JsonObject, ...]:
        """In the form of a wire, the oldest first. Well paired, whatever happened to the calls."""
        return in_turn(self._encoded(wire), wire)

    def _encoded(self, wire: Wire) -> Iterator[JsonObject]:
        for place, entry in enumerate(self.entries, 1):
            match entry:
                case Told(text):
                    yield encode_user(text, wire)
                case Noted(text):
                    yield encode_user(f"<note>\n{text}\n</note>", wire)
                case CarriedOut():
                    yield from entry.messages(wire, f"call_{place}")

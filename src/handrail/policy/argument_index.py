"""Conditions on arguments by the texts that they ask for; regular expressions are tried many at a time. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from handrail.contract.basics import Json, JsonObject
from handrail.contract.values import mutable
from handrail.policy.argument_conditions import (
    ArgumentCondition,
    Equals,
    Expression,
    Regex,
    TextGlob,
    as_text,
    compiled,
    values_of,
)
from handrail.policy.patterns import BadPattern
from handrail.policy.tries import Prefixes, literal_start

GLOB = "*?["
MOST_JOINED = 256
"""Expressions that are tried as one. A set matcher would tell which of them hold, but it holds for nothing once it
runs out of memory; one expression goes on, slower."""


def filed_by_arguments(conditions: tuple[ArgumentCondition, ...]) -> ArgumentCondition | None:
    """The first condition that the index can file better than under everything."""
    return next((each for each in conditions if all(map(_is_fileable, each.tests))), None)


def _is_fileable(test: TextGlob | Equals | Regex) -> bool:
    match test:
        case TextGlob(text):
            return bool(literal_start(text, GLOB))
        case Equals(wanted):
            return isinstance(wanted, str)
        case Regex():
            return True


class ArgumentIndex:
    """Positions by conditions."""

    def __init__(self) -> None:
        self._by_name: dict[str, _Values] = {}

    def add(self, condition: ArgumentCondition, position: int) -> None:
        values = self._by_name.setdefault(condition.name, _Values())
        for test in condition.tests:
            match test:
                case Regex(text):
                    values.add_regex(text, position)
                case Equals(wanted):
                    values.exact.setdefault(as_text(wanted), []).append(position)
                case TextGlob(text):
                    values.globs.add(literal_start(text, GLOB), position)

    def of(self, arguments: JsonObject) -> Iterator[int]:
        for name, values in self._by_name.items():
            for given in values_of(arguments, name):
                yield from values.of(given)


class _Joined:
    """Regular expressions of which one at least is found in a text, or none."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.positions: list[int] = []
        self._expression: Expression | None = None
        self._fails = False

    def of(self, text: str) -> list[int]:
        if self._expression is None and not self._fails:
            try:
                self._expression = compiled("|".join(f"(?:{each})" for each in self.texts))
            except BadPattern:  # together they are too large, or two groups have one name: each is tried alone
                self._fails = True
        held = self._expression is None or self._expression.search(text) is not None
        return self.positions if held else []


@mutable
class _Values:
    """What is asked of one parameter."""

    exact: dict[str, list[int]] = field(default_factory=dict)
    globs: Prefixes = field(default_factory=Prefixes)
    joined: list[_Joined] = field(default_factory=list)

    def add_regex(self, text: str, position: int) -> None:
        if not self.joined or len(self.joined[-1].texts) == MOST_JOINED:
            self.joined.append(_Joined())
        self.joined[-1].texts.append(text)
        self.joined[-1].positions.append(position)

    def of(self, given: Json) -> Iterator[int]:
        text = as_text(given)
        yield from self.exact.get(text, ())
        yield from self.globs.of(text)
        for joined in self.joined:
            yield from joined.of(text)

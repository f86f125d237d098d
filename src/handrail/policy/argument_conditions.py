"""Conditions on the arguments of a call: a parameter, perhaps within another, and what its value must be. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Protocol, TypeAlias

from handrail.contract.basics import Json, JsonObject
from handrail.contract.values import value
from handrail.policy.patterns import MAX_STARS, BadPattern

LONGEST_REGEX = 1_000
"""Characters. The engine is linear in the text; a longer expression is a mistake, or slow to build."""


class Expression(Protocol):
    """A compiled expression of an engine that takes linear time."""

    def search(self, text: str) -> object: ...


@value
class TextGlob:
    """A glob over the whole text of a value."""

    text: str

    @classmethod
    def parse(cls, text: str) -> TextGlob:
        if not text:
            raise BadPattern('is empty; for an empty text write { equals = "" }')
        if text.count("*") > MAX_STARS:
            raise BadPattern(f"holds more than {MAX_STARS} '*'")
        return cls(text)

    def holds(self, given: Json) -> bool:
        return fnmatchcase(as_text(given), self.text)


@value
class Equals:
    """One value and no other: `1` is not `true`, and `"1"` is not `1`."""

    wanted: Json

    def holds(self, given: Json) -> bool:
        return same_json(self.wanted, given)


@dataclass(frozen=True, slots=True)
class Regex:
    """A regular expression that is found somewhere in the text; `^` and `$` tie it to its ends."""

    text: str
    expression: Expression = field(compare=False, repr=False)

    @classmethod
    def parse(cls, text: str) -> Regex:
        if not text:
            raise BadPattern("is empty, which fits every text")
        if len(text) > LONGEST_REGEX:
            raise BadPattern(f"is longer than {LONGEST_REGEX:,} characters")
        return cls(text, compiled(text))

    def holds(self, given: Json) -> bool:
        return self.expression.search(as_text(given)) is not None


def compiled(regex: str) -> Expression:
    """Raises BadPattern for what the engine can't take: it has no look-around and no references back."""
    import re2  # loaded only where a rule needs it: it costs more than a whole decision

    quiet = re2.Options()
    quiet.log_errors = False
    try:
        expression: Expression = re2.compile(regex, quiet)
    except re2.error as error:
        said = error.args[0].decode(errors="replace") if isinstance(error.args[0], bytes) else str(error)
        raise BadPattern(f"is no regular expression that takes linear time: {said}") from error
    return expression


ArgumentTest: TypeAlias = TextGlob | Equals | Regex


@value
class ArgumentCondition:
    """One parameter, and the tests of which its value must meet one."""

    name: str
    """The name of a parameter; with dots, of one within another."""
    tests: tuple[ArgumentTest, ...]

    def holds(self, arguments: JsonObject, *, all_of_them: bool) -> bool:
        """True when the value meets a test; of a list, one element or all of them. A parameter left out meets none."""
        values = list(values_of(arguments, self.name))
        met = (any(test.holds(value) for test in self.tests) for value in values)
        return bool(values) and (all(met) if all_of_them else any(met))


def values_of(arguments: JsonObject, name: str) -> Iterator[Json]:
    """The values of a parameter, lists taken apart."""
    for found in _values(arguments, name):
        yield from _elements(found)


def _values(arguments: Json, name: str) -> Iterator[Json]:
    """What the arguments hold under a name; in a list, in each of its elements."""
    if isinstance(arguments, Mapping):
        if name in arguments:
            yield arguments[name]
        first, dot, rest = name.partition(".")
        while dot:
            if first in arguments:
                yield from _values(arguments[first], rest)
            further, dot, rest = rest.partition(".")
            first = f"{first}.{further}"
    elif isinstance(arguments, (list, tuple)):
        for element in arguments:
            yield from _values(element, name)


def _elements(given: Json) -> Iterator[Json]:
    if isinstance(given, (list, tuple)):
        for element in given:
            yield from _elements(element)
    else:
        yield given


def as_text(given: Json) -> str:
    """A text itself; of anything else its JSON, keys in order."""
    if isinstance(given, str):
        return given.encode(errors="replace").decode()
    return json.dumps(given, sort_keys=True, separators=(",", ":"), default=str)


def same_json(one: Json, other: Json) -> bool:
    """Equality as JSON has it: a number is no boolean, and 1 is 1.0."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same_json(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same_json, one, other))
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return one == other
    return type(one) is type(other) and one == other

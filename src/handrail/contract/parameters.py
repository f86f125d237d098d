"""How a tool says what it takes, and how arguments are checked against that.

Two kinds: a pydantic model (what Python authors write: `contract.models`) and raw JSON Schema (what servers send).
Both report every problem of one call at once. Nothing is coerced but a whole float for an integer,
which JSON can't tell apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from handrail.contract.basics import JsonObject
from handrail.errors import ArgumentProblem

T_co = TypeVar("T_co", covariant=True)


class BadArguments(ValueError):
    """The problems of one set of arguments; the tool's name is added by who knows it."""

    def __init__(self, problems: Sequence[ArgumentProblem]) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = tuple(problems)


class ParameterSchema(Protocol[T_co]):
    """What a tool takes: a JSON Schema to show, and a check that gives the tool's own value."""

    @property
    def schema(self) -> JsonObject: ...

    def validate(self, arguments: JsonObject) -> T_co:
        """Raises BadArguments with every problem."""
        ...


class SchemaParameters:
    """Parameters given as raw JSON Schema. The check is compiled by whoever registers the tool."""

    def __init__(self, schema: JsonObject, check: Callable[[JsonObject], Sequence[ArgumentProblem]]) -> None:
        self.schema = schema
        self.problems = check

    def validate(self, arguments: JsonObject) -> JsonObject:
        problems = self.problems(arguments)
        if problems:
            raise BadArguments(problems)
        return arguments

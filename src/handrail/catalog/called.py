"""What a call may mean: a name is in several vocabularies, and the arguments tell which one was spoken."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cached_property
from typing import Any, Protocol

from handrail.catalog.faces.face import Face
from handrail.catalog.faces.schema import checked_schema
from handrail.catalog.later import itself
from handrail.catalog.shell_forms import WIRE_FORMS, in_own_words
from handrail.contract.basics import JsonObject
from handrail.contract.calls import CallForm
from handrail.contract.parameters import BadArguments, ParameterSchema
from handrail.contract.tool import Invocation, Tool
from handrail.errors import InvalidArguments


class Reading(Protocol):
    """One way to understand a call's arguments."""

    @property
    def tool(self) -> Tool[Any]: ...

    def bind(self, arguments: JsonObject) -> Invocation:
        """Raises InvalidArguments, in the words of this vocabulary."""
        ...


class OwnReading:
    """In our own vocabulary."""

    def __init__(self, tool: Tool[Any]) -> None:
        self.tool = tool

    def bind(self, arguments: JsonObject) -> Invocation:
        return self.tool.bind(arguments)


class FaceReading:
    """In a family's vocabulary. The arguments are checked as the family knows them, so that what is wrong is said in
    its names and units; then they become the tool's own, and are checked as such."""

    def __init__(self, face: Face, tool: Tool[Any]) -> None:
        self.face = face
        self.tool = tool

    @cached_property
    def _parameters(self) -> ParameterSchema[JsonObject] | None:
        """Compiled for the first call."""
        if self.face.parameters is None:
            return None
        # Here, since sessions in our own vocabulary have no use for it.
        from handrail.authoring.json_schema import schema_parameters

        return schema_parameters(checked_schema(self.face, self.tool.parameters.schema), f"{self.face.name}'s schema")

    def bind(self, arguments: JsonObject) -> Invocation:
        try:
            if self._parameters is not None:
                self._parameters.validate(arguments)
            own = self.face.own_arguments(arguments)
            tool = itself(self.tool)
            return Invocation(tool, tool.parameters.validate(own), own)
        except BadArguments as error:
            raise InvalidArguments(self.face.name, [self.face.problem(found) for found in error.problems]) from None


class Called:
    """A tool that was called by some name."""

    def __init__(self, first: Reading, others: Callable[[], Iterable[Reading]] = tuple) -> None:
        """`others` gives the less likely readings, in their order; it is asked when the first one does not fit."""
        self.tool = first.tool
        self._first = first
        self._others = others

    @cached_property
    def _readings(self) -> tuple[Reading, ...]:
        return (self._first, *self._others())

    def bind(self, form: CallForm, arguments: JsonObject, *, as_sent: bool) -> Invocation:
        """`as_sent`: they are the model's, in the words it chose, and the first reading that they fit counts. Else
        somebody was shown the tool's own words and changed them. Raises InvalidArguments; as sent, as the most likely
        reading says it."""
        if form in WIRE_FORMS or not as_sent:
            return self.tool.bind(in_own_words(form, arguments))
        try:
            return self._first.bind(arguments)
        except InvalidArguments:
            for reading in self._readings[1:]:
                with suppress(InvalidArguments):
                    return reading.bind(arguments)
            raise

    def of_text(self, text: str) -> JsonObject | None:
        """The arguments that a call in plain text stands for; None where no vocabulary has such calls."""
        faces = (reading.face for reading in self._readings if isinstance(reading, FaceReading))
        return next((face.own_text(text) for face in faces if face.text), None)

    def wording(self, text: str) -> str:
        """What a tool says of its arguments, in the words of whoever called."""
        return self._first.face.wording(text) if isinstance(self._first, FaceReading) else text

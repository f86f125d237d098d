"""One parameter as a model family knows it, and how its value becomes one of the tool's own. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping

from handrail.contract.basics import Json, JsonObject
from handrail.contract.values import value


@value
class FaceParameter:
    """What is not said here is as the tool's own parameter has it."""

    to: str
    """The tool's own parameter; empty where the tool has no use for it, so that it is taken and left out of account."""
    per: int = 1
    """How many of the family's units make one of the tool's: 1000 for milliseconds where the tool takes seconds."""
    values: Mapping[str, Json] | None = None
    """The family's words → the tool's."""
    negated: bool = False
    """It says the opposite of the tool's parameter."""
    default: Json = None
    """What its absence means, where the tool's own default means something else."""
    required: bool | None = None
    """None: as the tool's own."""
    hidden: bool = False
    """Taken, and not shown: a spelling of the past, or of another product of the family."""
    fields: Mapping[str, FaceParameter] | None = None
    """It is an object, whose parts are parameters of the tool, or of an item."""
    items: Mapping[str, FaceParameter] | None = None
    """It is a list of objects, whose parts have other names than in the tool's list."""
    schema: JsonObject | None = None
    """JSON Schema that replaces what the tool's own parameter says: words of its description, or its type."""


def in_own_words(parameters: Mapping[str, FaceParameter], arguments: JsonObject) -> dict[str, Json]:
    """The tool's arguments, from arguments that fit the face's schema."""
    own: dict[str, Json] = {}
    for name, parameter in parameters.items():
        sent = arguments.get(name, parameter.default)
        if parameter.fields is not None:
            own |= in_own_words(parameter.fields, sent if isinstance(sent, dict) else {})
        elif parameter.to and (name in arguments or parameter.default is not None):
            own[parameter.to] = own_value(parameter, sent)
    return own


def own_value(parameter: FaceParameter, sent: Json) -> Json:
    if parameter.items is not None and isinstance(sent, list):
        return [in_own_words(parameter.items, item) if isinstance(item, dict) else item for item in sent]
    if parameter.values is not None:
        return parameter.values.get(str(sent), sent)
    if parameter.negated:
        return not sent
    if parameter.per != 1 and isinstance(sent, (int, float)):
        return math.ceil(sent / parameter.per)
    return sent


def names_by_own(parameters: Mapping[str, FaceParameter]) -> dict[str, str]:
    """The tool's own name of each parameter → the family's; of several the first that is shown."""
    names: dict[str, str] = {}
    for name, parameter in sorted(parameters.items(), key=lambda item: item[1].hidden):
        if parameter.fields is not None:
            for own, inner in names_by_own(parameter.fields).items():
                names.setdefault(own, f"{name}.{inner}")
        elif parameter.to:
            names.setdefault(parameter.to, name)
    return names

"""Arguments that a person puts in the place of a call's: whether they fit the tool, before they count as an answer.

They are checked again when the call goes on: here it is so that a slip of the pen leaves the question open.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handrail.contract.basics import JsonObject
from handrail.contract.parameters import BadArguments, ParameterSchema
from handrail.errors import UsageError
from handrail.runtime.batches import WAIT
from handrail.runtime.guard import Returned, guarded_call


def check_edit(tool: str, parameters: ParameterSchema[Any], arguments: JsonObject) -> None:
    """Raises UsageError with every problem."""
    named = parameters.schema.get("properties")
    is_its_own = isinstance(named, Mapping) and WAIT in named
    given = arguments if is_its_own else {name: each for name, each in arguments.items() if name != WAIT}
    found = guarded_call(lambda: _problems(parameters, given))
    problems = found.value if isinstance(found, Returned) else (f"they could not be checked: {found.message}",)
    if problems:
        lines = "\n".join(f"- {problem}" for problem in problems)
        raise UsageError(f"these arguments do not fit {tool}, so they are no answer; give all of them again:\n{lines}")


def _problems(parameters: ParameterSchema[Any], arguments: JsonObject) -> tuple[str, ...]:
    try:
        parameters.validate(arguments)
    except BadArguments as error:
        return tuple(map(str, error.problems))
    return ()

"""`define_tool`: a tool from parameters that were written elsewhere, and a function that gets them as one value."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Unpack

from handrail.authoring.callable_tool import CallableTool
from handrail.authoring.docstrings import read_docstring
from handrail.authoring.options import ToolOptions
from handrail.authoring.parameters import ParameterSource, parameters_from
from handrail.authoring.signatures import read_run
from handrail.authoring.work import code_of
from handrail.contract.tool import Tool
from handrail.errors import ToolDefinitionError


def define_tool(
    *,
    name: str,
    parameters: ParameterSource,
    run: Callable[..., object] | None = None,
    **options: Unpack[ToolOptions],
) -> Tool[Any]:
    """A tool with the parameters of a pydantic model, a dataclass, a TypedDict or a JSON Schema.

    `run` gets the checked arguments first: the model, the dataclass, or a dict; after them it may take parts
    of the context, as a function of `@tool` may. Without `run` the tool is for the client.

    Raises ToolDefinitionError for parameters or a function that can't be used.
    """
    if run is None and not options.get("client_side"):
        raise ToolDefinitionError(f"{name} has nothing to run; give it run=…, or client_side=True")
    scope = sys._getframe(1).f_locals
    work = None if run is None else read_run(run, name, scope)
    description = "" if run is None else read_docstring(code_of(run).__doc__).description
    options = {"description": description, **options}
    return CallableTool(name, parameters_from(parameters, name), work, options)

"""`@tool`: a function as a tool, which can still be called as the function it is."""

from __future__ import annotations

import copy
import functools
import sys
from collections.abc import Callable, Mapping
from typing import Any, Generic, ParamSpec, TypeVar, Unpack, cast, overload

from handrail.authoring.callable_tool import CallableTool
from handrail.authoring.docstrings import read_docstring
from handrail.authoring.options import ToolOptions
from handrail.authoring.parameters import parameters_of
from handrail.authoring.signatures import read_signature
from handrail.authoring.work import code_of
from handrail.contract.tool import check_name
from handrail.errors import ToolDefinitionError

A = ParamSpec("A")
R = TypeVar("R")


class FunctionTool(CallableTool, Generic[A, R]):
    """A function that a model can call. Checked arguments are a namespace: `params.port`."""

    def __init__(self, function: Callable[A, R], name: str, scope: Mapping[str, object], options: ToolOptions) -> None:
        """`scope` has the names that annotations may use beside those of the function's module."""
        where = _where(function)
        signature = read_signature(function, where, scope)
        documented = read_docstring(code_of(function).__doc__)
        parameters = parameters_of(signature.taken, documented.parameters, where)
        functools.update_wrapper(cast("Any", self), function)
        options = {"description": documented.description, **options}
        super().__init__(_name_of(function, name), parameters, signature.work, options)
        self._function = function
        self.is_named = bool(name)
        """Whether its author gave it the name; else it is the function's."""

    def __call__(self, *args: A.args, **kwargs: A.kwargs) -> R:
        """The plain function: nothing is checked, asked or recorded."""
        return self._function(*args, **kwargs)

    def renamed(self, name: str) -> FunctionTool[A, R]:
        """The same under another name. Raises ToolDefinitionError for one that can't be used."""
        check_name(name)
        other = copy.copy(self)
        other.name = name
        return other

    def _handed(self, params: Any) -> tuple[tuple[object, ...], Mapping[str, object]]:
        return (), vars(params)


@overload
def tool(function: Callable[A, R], /, *, name: str = "", **options: Unpack[ToolOptions]) -> FunctionTool[A, R]: ...


@overload
def tool(
    function: None = None, /, *, name: str = "", **options: Unpack[ToolOptions]
) -> Callable[[Callable[A, R]], FunctionTool[A, R]]: ...


def tool(function: Callable[..., Any] | None = None, /, *, name: str = "", **options: Unpack[ToolOptions]) -> Any:
    """Makes a tool of a function: `@tool`, or `@tool(needs_approval="once")`.

    The parameters' types make the schema, and the docstring describes them; `Files`, `Output` and their like
    are handed in by the runtime. A path that is marked, `Annotated[Path, Writes]`, arrives absolute. A plain
    `def` runs in a thread, which can't be stopped: when cancelled, the call waits a while for its end, and
    after a timeout says that it may still be at work; one that never ends keeps the program from ending. An
    `async def` that yields streams: every string is live output and part of the result, a ToolResult ends it.

    Raises ToolDefinitionError for a function that a model could not call.
    """
    scope = sys._getframe(1).f_locals

    def make(made_of: Callable[..., Any]) -> FunctionTool[..., Any]:
        return FunctionTool(made_of, name, scope, options)

    return make if function is None else make(function)


def _where(function: Callable[..., object]) -> str:
    named = getattr(function, "__qualname__", "")
    return f"{function.__module__}.{named}" if named else repr(function)


def _name_of(function: Callable[..., object], given: str) -> str:
    own = getattr(function, "__name__", "")
    if given or own.isidentifier():
        return given or own
    raise ToolDefinitionError(f"{_where(function)} has no name that a model could call it by. Give it one: name='…'")

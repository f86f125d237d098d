"""Reads a function's signature: what a model gives, what the runtime hands in, and what can't be a tool."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, NoReturn, Union, get_args, get_origin, get_type_hints

from pydantic.fields import FieldInfo

from handrail.authoring.work import Pick, Work, code_of
from handrail.contract.context import CAPABILITIES, Output, RunContext, Workspace
from handrail.contract.tool import Tool
from handrail.errors import ToolDefinitionError

_USABLE_WITHOUT_AWAIT = (RunContext, Workspace, Output)
_CAPABILITIES = ", ".join(sorted(part.__name__ for part in CAPABILITIES))


@dataclass(frozen=True, slots=True)
class Taken:
    """One parameter that the model gives. `default` is `inspect.Parameter.empty` where there is none."""

    name: str
    annotation: object
    default: object


@dataclass(frozen=True, slots=True)
class Signature:
    taken: tuple[Taken, ...]
    work: Work


def read_signature(function: Callable[..., object], where: str, scope: Mapping[str, object]) -> Signature:
    """What the model gives, and what the runtime does. Names in annotations are looked up where the function
    was written, and in `scope`.

    Raises ToolDefinitionError for a parameter that can't be given by name, that doesn't say its type, or
    whose default all calls would share.
    """
    taken: list[Taken] = []
    injected: dict[str, Pick] = {}
    for parameter in _parameters(function, where):
        annotation = _resolved(parameter, function, where, scope)
        capability = capability_in(annotation)
        if capability is not None:
            _check_usable(function, parameter.name, capability, where)
            injected[parameter.name] = CAPABILITIES[capability]
        else:
            _check_default(parameter, where)
            taken.append(Taken(parameter.name, annotation, parameter.default))
    return Signature(tuple(taken), Work(function, injected))


def read_run(function: Callable[..., object], where: str, scope: Mapping[str, object]) -> Work:
    """The same for a function that gets all arguments as its first parameter; the runtime gives the others."""
    parameters = _parameters(function, where)
    if not parameters or parameters[0].kind in (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD):
        _refuse(where, "takes nothing by position. Its first parameter gets the arguments: 'def run(params): …'.")
    injected: dict[str, Pick] = {}
    for parameter in parameters[1:]:
        annotation = _resolved(parameter, function, where, scope)
        capability = capability_in(annotation)
        if capability is None:
            _refuse(
                where, f"takes {parameter.name!r} after its arguments, but there it can only take: {_CAPABILITIES}."
            )
        _check_usable(function, parameter.name, capability, where)
        injected[parameter.name] = CAPABILITIES[capability]
    return Work(function, injected)


def capability_in(annotation: object) -> type | None:
    """The part of the context that `Files`, `Files | None` or `Annotated[Files, …]` asks for."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return capability_in(arguments[0])
    if origin in (Union, types.UnionType):
        wanted = [part for part in arguments if part is not type(None)]
        return capability_in(wanted[0]) if len(wanted) == 1 else None
    return annotation if isinstance(annotation, type) and annotation in CAPABILITIES else None


def _parameters(function: Callable[..., object], where: str) -> list[inspect.Parameter]:
    """All but what a partial has bound by name: that is settled, and not for a model to change."""
    if isinstance(function, Tool):
        _refuse(where, "is a tool already.")
    if isinstance(function, type):
        _refuse(where, "is a class. Write a function, or a subclass of Tool.")
    if not callable(function):
        _refuse(where, f"is no function, but a value of type {type(function).__name__}.")
    if inspect.isgeneratorfunction(code_of(function)):
        _refuse(where, "is a generator that can't wait. Declare it with 'async def', and its text is streamed.")
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except ValueError:
        _refuse(where, "doesn't say what it takes. Wrap it in a function with annotated parameters.")
    bound = function.keywords if isinstance(function, functools.partial) else {}
    return [parameter for parameter in parameters if parameter.name not in bound]


def _check_kind(parameter: inspect.Parameter, where: str) -> None:
    name = parameter.name
    match parameter.kind:
        case inspect.Parameter.VAR_POSITIONAL:
            _refuse(where, f"takes *{name}, and a model gives arguments by name. Take a list: '{name}: list[str]'.")
        case inspect.Parameter.VAR_KEYWORD:
            _refuse(where, f"takes **{name}, and a model must know the names. Name each, or take a dict[str, str].")
        case inspect.Parameter.POSITIONAL_ONLY:
            _refuse(where, f"takes {name!r} by position only, and a model gives arguments by name. Remove the '/'.")


def _resolved(
    parameter: inspect.Parameter, function: Callable[..., object], where: str, scope: Mapping[str, object]
) -> object:
    """The annotation as a type, with all that `Annotated` says beside it, of a parameter that has a name."""
    _check_kind(parameter, where)
    name, annotation = parameter.name, parameter.annotation
    if annotation is inspect.Parameter.empty:
        if name in ("self", "cls"):
            _refuse(where, f"takes {name!r}: it is a method. Make the tool of a bound one: tool(instance.method).")
        _refuse(where, f"doesn't say what {name!r} is. Annotate it: '{name}: str'.")
    names = getattr(inspect.unwrap(code_of(function)), "__globals__", {})
    holder = types.SimpleNamespace(__annotations__={name: annotation})
    try:
        return get_type_hints(holder, names, dict(scope), include_extras=True)[name]
    except (NameError, AttributeError, TypeError, SyntaxError) as error:
        _refuse(
            where,
            f"annotates {name!r} with {annotation!r}, which can't be resolved: {error}. "
            "Define or import it at the top of the module, not under 'if TYPE_CHECKING'.",
        )


def _check_default(parameter: inspect.Parameter, where: str) -> None:
    default = parameter.default
    if type(default).__hash__ is None and not isinstance(default, FieldInfo):
        kind = type(default).__name__
        _refuse(
            where,
            f"gives {parameter.name!r} a default that all calls would share: a {kind}. Use None or a tuple, or "
            f"Annotated[…, Field(default_factory={kind})] without a default.",
        )


def _check_usable(function: Callable[..., object], name: str, capability: type, where: str) -> None:
    if capability not in _USABLE_WITHOUT_AWAIT and Work(function, {}).blocks:
        _refuse(where, f"takes {name!r}, a {capability.__name__}, whose methods are awaited. Declare it 'async def'.")


def _refuse(where: str, why: str) -> NoReturn:
    raise ToolDefinitionError(f"{where} can't be a tool: it {why}")

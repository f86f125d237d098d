"""Which tools a module holds, and what they are called."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from functools import partial
from types import ModuleType
from typing import Any

from handrail.authoring.function_tool import FunctionTool
from handrail.catalog.checking import check_definition
from handrail.contract.tool import Tool
from handrail.contract.values import value
from handrail.errors import ToolDefinitionError
from handrail.runtime.guard import Returned, guarded_call

_NO_TOOL = "it defines no tool. Write @tool above a function, or a subclass of Tool"


@value
class Held:
    """Tools that can be offered, and what is wrong with others."""

    tools: tuple[Tool[Any], ...] = ()
    problems: tuple[str, ...] = ()


def held_by(module: ModuleType, name: str) -> Held:
    """The tools of a module: what `__all__` lists; without it, all public ones that are not functions from elsewhere.

    A tool that is alone in its module and says no name has `name`.
    """
    found = tuple(_found(module))
    if not found:
        return Held(problems=(_NO_TOOL,))
    return checked(found, name if len(found) == 1 else "")


def checked(found: Iterable[Tool[Any] | type[Tool[Any]]], name: str = "") -> Held:
    """Tools as they are offered: classes as instances, each with a name; `name` is that of one that says none."""
    tools: list[Tool[Any]] = []
    problems: list[str] = []
    for one in found:
        outcome = guarded_call(partial(_offered, one, name))
        if isinstance(outcome, Returned):
            tools.append(outcome.value)
        else:
            problems.append(outcome.message)
    return Held(tuple(tools), tuple(problems))


def _found(module: ModuleType) -> Iterator[Tool[Any] | type[Tool[Any]]]:
    """In the order in which they were defined; classes that others are made of are no tools of their own."""
    listed = getattr(module, "__all__", None)
    names = [name for name in vars(module) if not name.startswith("_")] if listed is None else list(listed)
    held = [getattr(module, name) for name in names]
    classes = [one for one in held if _is_class(one) and (listed is not None or one.__module__ == module.__name__)]
    instances = [one for one in held if isinstance(one, Tool) and (listed is not None or _is_own(one, module))]
    seen: set[int] = set()
    for one in held:
        wanted = any(one is each for each in instances) or (
            any(one is each for each in classes)
            and not any(issubclass(other, one) for other in classes if other is not one)
            and not any(type(instance) is one for instance in instances)
        )
        if wanted and id(one) not in seen:
            seen.add(id(one))
            yield one


def _is_class(one: object) -> bool:
    if not isinstance(one, type) or not issubclass(one, Tool) or inspect.isabstract(one):
        return False
    return hasattr(one, "run") or one.execute is not Tool.execute or one.client_side


def _is_own(one: Tool[Any], module: ModuleType) -> bool:
    """A function that was made a tool elsewhere may be here to be called."""
    return not isinstance(one, FunctionTool) or one.__module__ == module.__name__


def _offered(one: Tool[Any] | type[Tool[Any]], name: str) -> Tool[Any]:
    """Raises ToolDefinitionError."""
    tool = _instance(one) if isinstance(one, type) else one
    if name and isinstance(tool, FunctionTool) and not tool.is_named:
        tool = tool.renamed(name)
    if not hasattr(tool, "name"):
        if not name:
            raise ToolDefinitionError(f'{type(tool).__name__} has no name, and is not alone; give it one: name = "…"')
        tool.name = name
    check_definition(tool)
    return tool


def _instance(made_of: type[Tool[Any]]) -> Tool[Any]:
    needed = [
        parameter.name
        for parameter in inspect.signature(made_of).parameters.values()
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    if needed:
        called = made_of.__name__
        raise ToolDefinitionError(
            f"{called} can't be made without {', '.join(needed)}. Make one in the file: {called.upper()} = {called}(…)"
        )
    return made_of()

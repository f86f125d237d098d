"""What `@tool(...)` and `define_tool(...)` take beside the function: the attributes of `Tool`, by their names."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal, TypedDict

from handrail.contract.context import Workspace
from handrail.contract.effects import Claims
from handrail.contract.tool import Kind, NeedsApproval
from handrail.errors import ToolDefinitionError


class ToolOptions(TypedDict, total=False):
    title: str
    description: str
    """Instead of the docstring's."""
    kind: Kind
    aliases: Sequence[str]
    needs_approval: NeedsApproval
    client_side: bool
    on_cancel: Literal["cancel", "finish"]
    """For a function that runs in a thread, `finish` is the default."""
    timeout: float | None
    max_result_chars: int
    output_is_markdown: bool
    defers_loading: bool
    effects: Callable[[Any], Claims]
    """What a call may touch, from its checked arguments; without it, what marked parameters and `kind` say."""
    check: Callable[[Any, Workspace], str | Awaitable[str | None] | None]
    """What is wrong with arguments that fit the schema, or None."""


_FITTING: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "kind": (lambda kind: kind in tuple(Kind), ", ".join(map(repr, map(str, Kind)))),
    "needs_approval": (
        lambda need: need is None or isinstance(need, bool) or need in ("always", "never", "once") or callable(need),
        "True, False, 'always', 'never', 'once', a function, or None",
    ),
    "on_cancel": (lambda word: word in ("cancel", "finish"), "'cancel' or 'finish'"),
    "timeout": (
        lambda seconds: seconds is None or (isinstance(seconds, (int, float)) and seconds > 0),
        "a number of seconds, more than 0, or None",
    ),
    "aliases": (lambda names: not isinstance(names, str), "a tuple of names"),
    "effects": (callable, "a function of the checked arguments"),
    "check": (callable, "a function of the checked arguments and the workspace"),
}
"""What an option can be, and that in words. A misspelt word would loosen without anybody seeing it."""


def check_options(options: ToolOptions, where: str) -> None:
    """Raises ToolDefinitionError for an option that there is not, or that can't be what it is."""
    for name, value in options.items():
        if name not in ToolOptions.__annotations__:
            known = ", ".join(ToolOptions.__annotations__)
            raise ToolDefinitionError(f"{where}: there is no option {name!r}; the options are: {known}")
        fits, words = _FITTING.get(name, (None, ""))
        if fits is not None and not fits(value):
            raise ToolDefinitionError(f"{where}: {name} is {value!r}; it can be: {words}")

"""What a tool says of itself is what it should be: else it would fail far away, in a menu, a decision or a journal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from handrail.contract.tool import Kind, Tool, check_name
from handrail.errors import ToolDefinitionError

_APPROVALS = ("always", "never", "once")


def check_definition(tool: Tool[Any]) -> None:
    """Raises ToolDefinitionError, which says the first thing that is wrong and how it should be."""
    called = type(tool).__name__
    for name in _names(tool, called):
        if not isinstance(name, str):
            raise ToolDefinitionError(f"{name!r} can't name {called}: it is no text")
        check_name(name)
    for attribute, (is_right, wanted) in _RIGHT.items():
        said = getattr(tool, attribute)
        if not is_right(said):
            raise ToolDefinitionError(f"{tool.name} has {attribute} = {said!r}; it has to be {wanted}")
    if not isinstance(getattr(getattr(tool, "parameters", None), "schema", None), Mapping):
        raise ToolDefinitionError(f"{tool.name} says nowhere what it takes: write class {called}(Tool[Params])")


def _names(tool: Tool[Any], called: str) -> Iterator[object]:
    yield getattr(tool, "name", None)
    if not isinstance(tool.aliases, (tuple, list)):
        raise ToolDefinitionError(f"{called} has aliases that are no tuple of names: {tool.aliases!r}")
    yield from tool.aliases


def _is_text(said: object) -> bool:
    return isinstance(said, str)


def _is_switch(said: object) -> bool:
    return isinstance(said, bool)


def _is_approval(said: object) -> bool:
    return said is None or isinstance(said, bool) or callable(said) or said in _APPROVALS


def _is_number(said: object) -> bool:
    return isinstance(said, (int, float)) and not isinstance(said, bool) and said > 0


_TEXT = (_is_text, "a text")
_SWITCH = (_is_switch, "True or False")
_RIGHT: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "title": _TEXT,
    "description": _TEXT,
    "kind": (lambda said: isinstance(said, Kind), "a Kind, as Kind.READ"),
    "needs_approval": (_is_approval, 'a function, True, False, "always", "never" or "once"'),
    "client_side": _SWITCH,
    "on_cancel": (lambda said: said in ("cancel", "finish"), '"cancel" or "finish"'),
    "timeout": (lambda said: said is None or _is_number(said), "seconds, or None"),
    "max_result_chars": (lambda said: isinstance(said, int) and _is_number(said), "a whole number above 0"),
    "output_is_markdown": _SWITCH,
    "output_streams": _SWITCH,
    "defers_loading": _SWITCH,
    "leads": _SWITCH,
}

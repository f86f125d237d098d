"""Every tool that could be called in one session, by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from handrail.catalog.faces import face_name, family_of, tool_of_face
from handrail.contract.tool import Tool, check_name
from handrail.contract.values import value
from handrail.errors import ToolDefinitionError, UnknownTool

BUILT_IN = "built-in"
_SUGGESTIONS = 3


@value
class Registered:
    """A tool, and where it comes from."""

    tool: Tool[Any]
    provider: str
    server: str = ""


class Registry:
    """The tools of one session, in the order they were added. Names and aliases never overlap."""

    def __init__(self, tools: Iterable[Tool[Any]] = ()) -> None:
        self._tools: dict[str, Registered] = {}
        self._names: dict[str, str] = {}
        """Every name and alias → the tool's name."""
        for tool in tools:
            self.add(tool)

    def add(self, tool: Tool[Any], provider: str = BUILT_IN, server: str = "") -> None:
        """Raises ToolDefinitionError when it is no tool, its name can't be used, or a name or alias is taken."""
        if not isinstance(tool, Tool):
            raise ToolDefinitionError(f"{tool!r} is no tool; if it is a function, write @tool above it")
        names = (tool.name, *tool.aliases)
        for name in names:
            check_name(name)
            if name in self._names:
                raise ToolDefinitionError(
                    f"{tool.name} can't be added: the name {name!r} is taken by {self._names[name]!r}. "
                    "Give one of the two another name."
                )
        self._tools[tool.name] = Registered(tool, provider, server)
        self._names.update(dict.fromkeys(names, tool.name))

    def __iter__(self) -> Iterator[Registered]:
        return iter(self._tools.values())

    def resolve(self, name: str, model: str = "") -> Tool[Any]:
        """The tool of this name, alias or face. Raises UnknownTool with the closest names `model` knows."""
        known = self._name_of(name)
        if known is None:
            raise UnknownTool(f"There is no tool named {name!r}. The closest names are: {self._closest(name, model)}.")
        return self._tools[known].tool

    def knows(self, name: str) -> bool:
        return self._name_of(name) is not None

    def _name_of(self, name: str) -> str | None:
        return self._names.get(name) or self._names.get(tool_of_face(name) or "")

    def _closest(self, name: str, model: str) -> str:
        """The three most similar names in the model's vocabulary, however far they are."""
        family = family_of(model)
        import difflib  # only for names that are not known

        names = [face_name(entry.tool, family) for entry in self]
        lowered = {known.lower(): known for known in names}
        close = difflib.get_close_matches(name.lower(), lowered, n=_SUGGESTIONS, cutoff=0.0)
        return ", ".join(lowered[match] for match in close) or "none, for no tool is registered"

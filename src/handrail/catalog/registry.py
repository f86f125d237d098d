"""Every tool that could be called in one session, by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from handrail.catalog.called import Called, FaceReading, OwnReading, Reading
from handrail.catalog.checking import check_definition
from handrail.catalog.faces import OURS, Family, face, families, family_of
from handrail.contract.tool import Tool
from handrail.contract.values import value
from handrail.errors import ToolDefinitionError, UnknownTool

BUILT_IN = "built-in"
_SUGGESTIONS = 3
_MOST_GONE = 10_000
"""Names of tools that were there that are known; a server may have others at every turn."""


@value
class Registered:
    """A tool, and where it comes from."""

    tool: Tool[Any]
    provider: str

    @property
    def server(self) -> str:
        return self.tool.server


class Registry:
    """The tools of one session: provider by provider in the order in which these are known, so that neither the order
    of a menu nor who has a name depends on who was ready first. Names and aliases never overlap."""

    def __init__(self, tools: Iterable[Tool[Any]] = ()) -> None:
        self._sections: dict[str, dict[str, Registered]] = {BUILT_IN: {}}
        """By provider, by the tool's name."""
        self._tools: dict[str, Registered] = {}
        self._names: dict[str, str] = {}
        """Every name and alias → the tool's name."""
        self._gone: dict[str, str] = {}
        """Names of tools that were there, and their provider."""
        self._called: dict[tuple[str, str], Called] = {}
        """By name and family, what was called before."""
        for tool in tools:
            self.add(tool)

    def expect(self, provider: str) -> None:
        """A provider that will have tools, which come behind those of all providers known before."""
        self._sections.setdefault(provider, {})

    def add(self, tool: Tool[Any], provider: str = BUILT_IN) -> None:
        """Raises ToolDefinitionError when it is no tool, its name can't be used, or a name or alias is taken."""
        _check(tool, self._names)
        self._sections.setdefault(provider, {})[tool.name] = Registered(tool, provider)
        self._put_together()

    def put(self, provider: str, tools: Iterable[Tool[Any]]) -> tuple[str, ...]:
        """All tools that a provider has now. One that can't be registered is left out; gives why, a line for each.

        A name that a provider behind it had goes over to it; see `displaced`.
        """
        self.expect(provider)
        before = self._sections[provider]
        taken, section = self._names_before(provider), dict[str, Registered]()
        problems: list[str] = []
        for tool in tools:
            try:
                _check(tool, taken)
            except ToolDefinitionError as error:
                problems.append(str(error))
            else:
                section[tool.name] = Registered(tool, provider)
                taken |= dict.fromkeys((tool.name, *tool.aliases), tool.name)
        self._sections[provider] = section
        self._put_together()
        self._gone |= {name: provider for name in before if name not in self._tools}
        for name in list(self._gone)[: max(0, len(self._gone) - _MOST_GONE)]:
            del self._gone[name]
        return tuple(problems)

    def displaced(self) -> tuple[Registered, ...]:
        """Tools that a provider has, and whose name or alias went over to one before it."""
        entries = (entry for section in self._sections.values() for entry in section.values())
        return tuple(entry for entry in entries if self._tools.get(entry.tool.name) is not entry)

    def _names_before(self, provider: str) -> dict[str, str]:
        """As `_names`, of the providers before this one."""
        names: dict[str, str] = {}
        for other, section in self._sections.items():
            if other == provider:
                break
            for entry in section.values():
                names |= dict.fromkeys((entry.tool.name, *entry.tool.aliases), entry.tool.name)
        return names

    def _put_together(self) -> None:
        self._tools, self._names = {}, {}
        for section in self._sections.values():
            for entry in section.values():
                names = (entry.tool.name, *entry.tool.aliases)
                if self._names.keys().isdisjoint(names):
                    self._tools[entry.tool.name] = entry
                    self._names |= dict.fromkeys(names, entry.tool.name)
        for name in self._tools:
            self._gone.pop(name, None)
        self._called.clear()

    def __iter__(self) -> Iterator[Registered]:
        return iter(self._tools.values())

    def of(self, provider: str) -> tuple[Tool[Any], ...]:
        """The tools that a provider has now."""
        return tuple(entry.tool for entry in self if entry.provider == provider)

    def resolve(self, name: str, model: str = "") -> Tool[Any]:
        """The tool of this name, alias or face. Raises UnknownTool with the closest names `model` knows."""
        return self.called(name, model).tool

    def called(self, name: str, model: str = "") -> Called:
        """The tool of this name, alias or face, with the vocabularies in which it may have been called: the model's
        first. Raises UnknownTool with the closest names `model` knows."""
        family = family_of(model)
        known = self._called.get((name, family.name))
        if known is None:
            readings = self._readings(name, family)
            first = next(readings, None)
            if first is None:
                if name in self._gone:
                    raise UnknownTool(f"{name} is no longer available: {self._gone[name]} does not offer it any more.")
                closest = self._closest(name, family)
                raise UnknownTool(f"There is no tool named {name!r}. The closest names are: {closest}.")
            known = self._called[name, family.name] = Called(first, lambda: readings)
        return known

    def shown_as(self, tool: str, model: str) -> str:
        """What the menu of `model` calls the tool of this name; of one that is not here, what its family does."""
        entry, family = self._tools.get(tool), family_of(model)
        name = family.name_of(tool) or tool if entry is None else shown_name(entry.tool, family)
        return tool if name in self._tools else name

    def knows(self, name: str) -> bool:
        return any(self._readings(name, OURS))

    def _readings(self, name: str, family: Family) -> Iterator[Reading]:
        """The family's, ours, then the other families'. Our own words come last under a name that is not ours, for a
        model may have taken them from a result."""
        own = self._tools.get(self._names.get(name, ""))
        yield from self._faces(name, (family,), own)
        if own is not None:
            yield OwnReading(own.tool)
        others = tuple(self._faces(name, _others(family), own))
        yield from others
        if own is None:
            named = (*self._faces(name, (family,), own), *others)
            yield from (OwnReading(tool) for tool in {reading.tool.name: reading.tool for reading in named}.values())

    def _faces(self, name: str, spoken: Iterable[Family], own: Registered | None) -> Iterator[Reading]:
        """Whose tool is there, and no other tool has that name."""
        for family in spoken:
            known = family.called(name)
            entry = self._tools.get(family.names.get(known or "", ""))
            if known is not None and entry is not None and own in (None, entry):
                yield FaceReading(face(family.name, known), entry.tool)

    def _closest(self, name: str, family: Family) -> str:
        """The three most similar names that the model may see on a menu, however far they are."""
        import difflib  # only for names that are not known

        names = [
            shown_name(entry.tool, family)
            for entry in self
            if entry.provider != BUILT_IN or entry.tool.name not in family.lacks
        ]
        lowered = {known.lower(): known for known in names}
        close = difflib.get_close_matches(name.lower(), lowered, n=_SUGGESTIONS, cutoff=0.0)
        return ", ".join(lowered[match] for match in close) or "none, for no tool is registered"


def shown_name(tool: Tool[Any], family: Family) -> str:
    """What a tool is called on the menu of a family's models, where no other tool has that name."""
    if tool.server:
        return tool.known_as.get(family.base or family.name, tool.name)
    return family.name_of(tool.name) or tool.name


def _check(tool: Tool[Any], taken: Mapping[str, str]) -> None:
    """Raises ToolDefinitionError. `taken` has the tool's name by each name and alias."""
    if not isinstance(tool, Tool):
        raise ToolDefinitionError(f"{tool!r} is no tool; if it is a function, write @tool above it")
    check_definition(tool)
    for name in (tool.name, *tool.aliases):
        if name in taken:
            raise ToolDefinitionError(
                f"{tool.name} can't be added: the name {name!r} is taken by {taken[name]!r}. "
                "Give one of the two another name."
            )


def _others(family: Family) -> Iterator[Family]:
    """A family with a base differs from it in wording alone."""
    return (each for each in families() if not each.base and each.name not in (family.name, family.base))

"""The tools of a session as its policy lets them be seen: on the menu, hidden, or to be found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from handrail.catalog.faces import faces_of
from handrail.catalog.menu import Behind, Menu, menu_for, this_machine, unusable
from handrail.catalog.registry import Registry
from handrail.catalog.search.deferred import SessionDeferredTools
from handrail.contract.provider import Condition, SourceStatus
from handrail.contract.tool import Tool
from handrail.policy import Policy, hidden_reason
from handrail.policy.facts import MAIN_AGENT, Caller

TOOL_SEARCH = "tool_search"
ACTIVATE_SKILL = "activate_skill"

MOST_SOURCES = 20
"""Names of sources that a model is told of."""


class Toolbox:
    """Menus of one registry. The policy in force is asked for each time."""

    def __init__(
        self,
        registry: Registry,
        policy: Callable[[], Policy],
        skills: str = "",
        agents: Callable[[], Mapping[str, str]] = dict,
        sources: Callable[[], Sequence[SourceStatus]] = tuple,
    ) -> None:
        """`skills` is what a model is told of those that it can take up; empty where there are none. `agents` gives the
        same for tools that need agents, by the tools' names. `sources` says how it stands now with where tools come
        from."""
        self._registry = registry
        self._policy = policy
        self._skills = skills
        self._agents = agents
        self._sources = sources
        self._environment = this_machine()
        self.deferred = SessionDeferredTools(registry, self._never_shown)

    def menu(self, model: str, caller: Caller = MAIN_AGENT) -> Menu:
        """The tools that `model` should see now, and why others are hidden."""
        sources = tuple(self._sources())
        names = self.deferred.note(model)
        note = [f"Names of what there is: {names}"] if names else []
        told = {ACTIVATE_SKILL: self._skills, TOOL_SEARCH: "\n\n".join((*note, *_absent(sources, bool(names))))}
        behind = Behind({**told, **self._agents()}, self.deferred.found, sources)
        return menu_for(self._registry, model, self._environment, partial(self._denied, caller=caller), behind)

    def _denied(self, tool: Tool[Any], caller: Caller = MAIN_AGENT) -> str | None:
        policy = self._policy()
        return hidden_reason(tool, policy, faces_of(tool.name) if policy.rules or caller.reach else (), caller)

    def _never_shown(self, tool: Tool[Any]) -> str | None:
        return unusable(tool, self._environment) or self._denied(tool)


def _absent(sources: Sequence[SourceStatus], searched: bool) -> Iterator[str]:
    """Whose tools are not there now. A source that failed is told of where there are tools to search for: else its
    tools would be looked for; one that starts, always."""
    starting = [source.name for source in sources if source.condition is Condition.STARTING]
    failed = [source.name for source in sources if source.condition in (Condition.FAILED, Condition.NEEDS_LOGIN)]
    if starting:
        yield f"Starting, so that their tools are not there yet, but come in a later turn: {_listed(starting)}"
    if failed and (searched or starting):
        yield f"Without tools now, for they failed: {_listed(failed)}"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:MOST_SOURCES])
    return shown if len(names) <= MOST_SOURCES else f"{shown}, and {len(names) - MOST_SOURCES} more"

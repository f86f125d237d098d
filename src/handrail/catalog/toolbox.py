"""The tools of a session as its policy lets them be seen: on the menu, hidden, or to be found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from handrail.catalog.faces import faces_of
from handrail.catalog.menu import Behind, Menu, menu_for, this_machine, unusable
from handrail.catalog.registry import Registry
from handrail.catalog.search.deferred import SessionDeferredTools
from handrail.contract.tool import Tool
from handrail.policy import Policy, hidden_reason
from handrail.policy.facts import MAIN_AGENT, Caller

TOOL_SEARCH = "tool_search"
ACTIVATE_SKILL = "activate_skill"


class Toolbox:
    """Menus of one registry. The policy in force is asked for each time."""

    def __init__(
        self,
        registry: Registry,
        policy: Callable[[], Policy],
        skills: str = "",
        agents: Callable[[], Mapping[str, str]] = dict,
    ) -> None:
        """`skills` is what a model is told of those that it can take up; empty where there are none. `agents` gives the
        same for tools that need agents, by the tools' names.
        """
        self._registry = registry
        self._policy = policy
        self._skills = skills
        self._agents = agents
        self._environment = this_machine()
        self.deferred = SessionDeferredTools(registry, self._never_shown)

    def menu(self, model: str, caller: Caller = MAIN_AGENT) -> Menu:
        """The tools that `model` should see now, and why others are hidden."""
        names = self.deferred.note()
        told = {ACTIVATE_SKILL: self._skills, TOOL_SEARCH: names and f"Names of what there is: {names}"}
        told |= self._agents()
        behind = Behind(told, self.deferred.found)
        return menu_for(self._registry, model, self._environment, partial(self._denied, caller=caller), behind)

    def _denied(self, tool: Tool[Any], caller: Caller = MAIN_AGENT) -> str | None:
        policy = self._policy()
        return hidden_reason(tool, policy, faces_of(tool.name) if policy.rules or caller.reach else (), caller)

    def _never_shown(self, tool: Tool[Any]) -> str | None:
        return unusable(tool, self._environment) or self._denied(tool)

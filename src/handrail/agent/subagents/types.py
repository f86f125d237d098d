"""The kinds of agents of a session: ours, and those that files describe."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from handrail.policy.reach import Reach
from handrail.runtime.subagents import AGENT
from handrail.settings.agents.agent_type import AgentType
from handrail.settings.agents.reading import read_agent

GENERAL = "general"

_OURS = ("explore", "plan", GENERAL)

_THEIR_NAMES: Mapping[str, str] = MappingProxyType({"general-purpose": GENERAL, "Explore": "explore", "Plan": "plan"})
"""code.claude.com/docs, "Create custom subagents": the built-in ones."""

NOT_FOR_SUBAGENTS = Reach(never=("enter_plan_mode", "exit_plan_mode", "ask_user", "update_topic"))
"""What steers the session, or speaks to the person in the main agent's name."""

NO_AGENTS = Reach(never=(AGENT,))
"""Of those that stand as deep as agents may."""


def kinds_with(found: Iterable[AgentType]) -> Mapping[str, AgentType]:
    """By name; one that a file describes takes the place of ours of the same name."""
    return {**{kind.name: kind for kind in built_in()}, **{kind.name: kind for kind in found}}


def kind_named(name: str, kinds: Mapping[str, AgentType]) -> AgentType | None:
    """As models name it: they may know ours as Claude Code's `general-purpose`, `Explore` and `Plan`."""
    return kinds.get(name) or kinds.get(_THEIR_NAMES.get(name, ""))


@cache
def built_in() -> tuple[AgentType, ...]:
    return tuple(kind for name in _OURS if (kind := _of_ours(name)) is not None)


def listed(kinds: Iterable[AgentType]) -> str:
    """For the menu: a line for each."""
    return "The kinds of agents:\n" + "\n".join(f"- {kind.name}: {kind.description}" for kind in kinds)


def _of_ours(name: str) -> AgentType | None:
    text = files("handrail.agent.subagents").joinpath("kinds", f"{name}.md").read_text("utf-8")
    return read_agent(text, name).type

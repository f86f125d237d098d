"""The kinds of agents of a session: ours, and those that files describe."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType

from handrail.contract.agents import AGENT, SEND_MESSAGE
from handrail.policy.reach import Reach
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


_LISTED = "The kinds of agents:"


@cache
def built_in() -> tuple[AgentType, ...]:
    return tuple(kind for name in _OURS if (kind := _of_ours(name)) is not None)


def told_without_session(found: Iterable[AgentType], *, deepest: int) -> Mapping[str, str]:
    """What the menu tells of agents, by tool, where none is open yet. `deepest`: how many agents may stand between one
    and the person."""
    return {AGENT: listed(kinds_with(found).values())} if deepest else {AGENT: "", SEND_MESSAGE: ""}


def listed(kinds: Iterable[AgentType]) -> str:
    """For the menu: a line for each."""
    return "\n".join((_LISTED, *(f"- {kind.name}: {kind.description}" for kind in kinds)))


def listed_in(description: str) -> Sequence[str]:
    """The lines of `listed` in what a tool's menu entry tells; none where it tells of no kinds."""
    _, _, kinds = description.partition(f"{_LISTED}\n")
    return kinds.splitlines()


def _of_ours(name: str) -> AgentType | None:
    text = (Path(__file__).parent / "kinds" / f"{name}.md").read_text("utf-8")
    return read_agent(text, name).type

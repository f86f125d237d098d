"""Every setting there is: the table that files, variables, flags and `handrail config show` go by."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from handrail.contract.values import value
from handrail.policy.modes import Mode
from handrail.settings.origin import Layer
from handrail.settings.provider_tables import NO_PROVIDERS, ProviderRows, ProviderTables
from handrail.settings.value_types import (
    NEVER,
    Choice,
    CommandLine,
    Count,
    Counts,
    Name,
    Names,
    Paths,
    Seconds,
    Switch,
    ValueType,
)

T = TypeVar("T")

MOST_AT_ONCE = 10
"""Leaf calls that run together; Claude Code's default too."""

_EVERYWHERE = tuple(layer for layer in Layer if layer is not Layer.DEFAULT)
_OF_THE_PERSON = tuple(layer for layer in _EVERYWHERE if layer is not Layer.PROJECT)
_NOT_OF_WORKSPACE = tuple(layer for layer in _EVERYWHERE if not layer.is_of_workspace)


@value
class Key(Generic[T]):
    """One setting."""

    name: str
    """As in config.toml."""
    type: ValueType[T]
    default: T
    about: str
    """One line for people."""
    flag: str = ""
    """Of the commands that open a session; empty where none has one."""
    layers: tuple[Layer, ...] = _EVERYWHERE
    """Where it may be given."""

    @property
    def variable(self) -> str:
        return f"HANDRAIL_{self.name.upper()}"

    @property
    def adds_up(self) -> bool:
        """Whether all layers hold at once, or the last one alone."""
        return isinstance(self.type, Paths)


_YEAR = 365 * 86_400
_CHARACTERS = Count(1_000, 10_000_000, "characters")
NO_LIMITS: Mapping[str, int] = MappingProxyType({})

MODE: Key[str] = Key("mode", Choice(tuple(Mode)), Mode.DEFAULT, "How much runs unasked.", "--mode")
APPROVE: Key[str] = Key(
    "approve",
    Choice(("none", "wait", "ask", "all")),
    "ask",
    "Who answers what is asked: nobody, somebody later, you at the terminal, or yes to all.",
    "--approve",
    _OF_THE_PERSON,
)
MODEL: Key[str] = Key("model", Name(), "", "The model that answers, as provider:name.", "--model")
ADD_DIRS: Key[tuple[Path, ...]] = Key(
    "add_dirs", Paths("folders"), (), "Further folders to work in, beside the workspace.", "--add-dir"
)
POLICIES: Key[tuple[Path, ...]] = Key(
    "policies",
    Paths("files", strictest=(), may_be_untrusted=True),
    (),
    "Policy files that hold besides policy.toml.",
    "--policy",
)
AT_ONCE: Key[int] = Key("at_once", Count(1, 1000), MOST_AT_ONCE, "How many calls run together at most.")

LIMITS: Key[Mapping[str, int]] = Key(
    "limits", Counts(Count(1, 1000)), NO_LIMITS, "How many calls of one tool, or with keys of one class, run together."
)
GATE_BATCH: Key[bool] = Key(
    "gate_batch", Switch(), False, "Whether no call of a response starts before all questions about them are answered."
)
ANSWER_WITHIN: Key[int | str] = Key(
    "answer_within", Seconds(_YEAR), NEVER, "How long a question waits for an answer; then its call is rejected."
)
RESULT_BUDGET: Key[int] = Key(
    "result_budget", _CHARACTERS, 200_000, "The most text of one result; its tool may bound it further."
)
TURN_BUDGET: Key[int] = Key(
    "turn_budget", _CHARACTERS, 200_000, "The most text of all results of one turn: about 50,000 tokens."
)
PASS_ENV: Key[tuple[str, ...]] = Key(
    "pass_env", Names(), (), "Environment variables that shell commands get beside the usual ones, by name."
)
MCP_SHARE: Key[int] = Key(
    "mcp_share",
    Count(0, 100, "percent"),
    10,
    "How much of a model's context the tools of MCP servers may take; those of further servers are searched for.",
)
TOOLS: Key[tuple[Path, ...]] = Key(
    "tools",
    Paths("folders"),
    (),
    "Folders of tool files, beside those in the usual places.",
    "--tools",
    _NOT_OF_WORKSPACE,
)
DISCOVERY_COMMAND: Key[tuple[str, ...]] = Key(
    "discovery_command", CommandLine(), (), "A command that prints declarations of tools."
)
CALL_COMMAND: Key[tuple[str, ...]] = Key(
    "call_command", CommandLine(), (), "A command that runs one of those tools: its name is the last argument."
)
ENTRY_POINTS: Key[tuple[str, ...]] = Key(
    "entry_points",
    Names("entry points", re.compile(r"[\w.-]+")),
    (),
    "Tools of installed packages to load, by the names of their entry points.",
    layers=_NOT_OF_WORKSPACE,
)

MODEL_PROVIDERS: Key[ProviderRows] = Key(
    "model_providers",
    ProviderTables(),
    NO_PROVIDERS,
    "Servers of models beside the known ones, by name.",
    layers=_NOT_OF_WORKSPACE,
)
AGENTS_AT_ONCE: Key[int] = Key("agents_at_once", Count(1, 100), 8, "How many subagents work together at most.")
AGENT_DEPTH: Key[int] = Key(
    "agent_depth", Count(0, 5), 2, "How deep subagents may give tasks to others; 0 for none at all, 1 for no others."
)

KEYS: tuple[Key[Any], ...] = (
    MODE, APPROVE, MODEL, ADD_DIRS, POLICIES, AT_ONCE, LIMITS, GATE_BATCH, ANSWER_WITHIN, RESULT_BUDGET, TURN_BUDGET,
    PASS_ENV, MCP_SHARE, TOOLS, DISCOVERY_COMMAND, CALL_COMMAND, ENTRY_POINTS, MODEL_PROVIDERS,
    AGENTS_AT_ONCE, AGENT_DEPTH,
)  # fmt: skip


def keys_by_name() -> Mapping[str, Key[Any]]:
    return {key.name: key for key in KEYS}

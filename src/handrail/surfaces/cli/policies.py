"""What the command line checks about rules: that the tools they name are there."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from handrail.policy import Rule

UNKNOWN_TOOL = "a rule names the tool '{}', and there is none: the rule holds for nothing"

_SERVERS_TOOLS = ("mcp_", "mcp__")
"""Names of tools that come from servers, which may be known later."""


def unknown_tools(rules: Iterable[Rule], knows: Callable[[str], bool]) -> list[str]:
    """The names in rules that no tool has: a typing error would switch a denial off."""
    named = dict.fromkeys(pattern.text for rule in rules for pattern in rule.tools if pattern.is_exact)
    return [name for name in named if not name.startswith(_SERVERS_TOOLS) and not knows(name)]

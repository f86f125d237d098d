"""What the command line says about rules that hold for less than they look like."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from handrail.policy import Rule
from handrail.policy.near_misses import narrow_rules

_UNKNOWN_TOOL = "a rule names the tool '{}', and there is none: the rule holds for nothing"

_SERVERS_TOOLS = ("mcp_", "mcp__")
"""Names of tools that come from servers, which may be known later."""


def notes_on(rules: Iterable[Rule], knows: Callable[[str], bool]) -> Iterator[str]:
    """A line for each name that no tool has, for a typing error would switch a denial off; and for each command that
    is denied or asked about without arguments alone.
    """
    rules = tuple(rules)
    named = dict.fromkeys(pattern.text for rule in rules for pattern in rule.tools if pattern.is_exact)
    unknown = (name for name in named if not name.startswith(_SERVERS_TOOLS) and not knows(name))
    yield from map(_UNKNOWN_TOOL.format, unknown)
    yield from narrow_rules(rules)

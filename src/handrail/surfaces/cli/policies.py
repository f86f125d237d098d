"""What the command line says about rules that hold for less than they look like."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from handrail.policy import Rule
from handrail.policy.near_misses import narrow_rules

_UNKNOWN_TOOL = "a rule names the tool '{}', and there is none: the rule holds for nothing"

_PART = r"[\w.:-]*[a-z0-9.:-][\w.:-]*"
"""More than underscores, which also part a server's name from its tool's."""
_LATER = re.compile(
    rf"mcp_[a-z0-9.:-][\w.:-]*?_{_PART}|mcp__[a-z0-9.:-][\w.:-]*?(?:__{_PART})?|discovered_tool_.+",
    re.ASCII | re.IGNORECASE,
)
"""Names of tools that come from servers and discovery commands, as Gemini CLI and Claude Code form them; and
`mcp__SERVER`, which is every tool of a server."""


def notes_on(rules: Iterable[Rule], knows: Callable[[str], bool]) -> Iterator[str]:
    """A line for each name that no tool has, nor could have later, for a typing error would switch a denial off; and
    for each command that is denied or asked about without arguments alone.
    """
    rules = tuple(rules)
    named = dict.fromkeys(pattern.text for rule in rules for pattern in rule.tools if pattern.is_exact)
    unknown = (name for name in named if not _LATER.fullmatch(name) and not knows(name))
    yield from map(_UNKNOWN_TOOL.format, unknown)
    yield from narrow_rules(rules)

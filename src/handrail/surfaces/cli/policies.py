"""What the command line checks about rules: that the tools they name are there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from handrail.policy import Rule

UNKNOWN_TOOL = "a rule names the tool '{}', and there is none: the rule holds for nothing"

_PART = r"[\w.:-]*[a-z0-9.:-][\w.:-]*"
"""More than underscores, which also part a server's name from its tool's."""
_LATER = re.compile(
    rf"mcp_[a-z0-9.:-][\w.:-]*?_{_PART}|mcp__[a-z0-9.:-][\w.:-]*?__{_PART}|discovered_tool_.+", re.ASCII | re.IGNORECASE
)
"""Names of tools that come from servers and discovery commands, as Gemini CLI and Claude Code form them."""


def unknown_tools(rules: Iterable[Rule], knows: Callable[[str], bool]) -> list[str]:
    """The names in rules that no tool has, nor could have later: a typing error would switch a denial off."""
    named = dict.fromkeys(pattern.text for rule in rules for pattern in rule.tools if pattern.is_exact)
    return [name for name in named if not _LATER.fullmatch(name) and not knows(name)]

"""Reads the policy files that the command line names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from handrail.errors import UsageError
from handrail.policy import Rule, load_rules

SANDBOX_NOTE = "no sandbox is available yet: mode 'sandboxed' decides exactly as 'default'"

UNKNOWN_TOOL = "a rule names the tool '{}', and there is none: the rule holds for nothing"

_SERVERS_TOOLS = ("mcp_", "mcp__")
"""Names of tools that come from servers, which may be known later."""


def rules_of(files: Iterable[Path]) -> tuple[Rule, ...]:
    """The rules of all files. Raises UsageError for a file or rule that can't be used: a policy is whole or nothing."""
    rules: list[Rule] = []
    for file in files:
        try:
            text = file.read_text("utf-8")
        except OSError as error:
            raise UsageError(f"the policy file {file} can't be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise UsageError(f"the policy file {file} is not UTF-8: byte {error.start}") from error
        rules.extend(load_rules(text, str(file)))
    return tuple(rules)


def unknown_tools(rules: Iterable[Rule], knows: Callable[[str], bool]) -> list[str]:
    """The names in rules that no tool has: a typing error would switch a denial off."""
    named = dict.fromkeys(pattern.text for rule in rules for pattern in rule.tools if pattern.is_exact)
    return [name for name in named if not name.startswith(_SERVERS_TOOLS) and not knows(name)]

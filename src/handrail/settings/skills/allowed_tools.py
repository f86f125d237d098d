"""`allowed-tools` of a skill, read into allow rules: `Bash(git add:*) Read mcp__github__*`. Pure.

The grammar is Claude Code's for permission rules. An entry that can't be read allows nothing, and is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from handrail.contract.values import value
from handrail.policy.rule_table import Entry, read_rule
from handrail.policy.rules import Rule, RuleScope
from handrail.policy.toml_lines import TableLines
from handrail.settings.skills.front_matter import Words

FOLDER_NAMES = ("${CLAUDE_SKILL_DIR}", "${SKILL_DIR}")
"""What stands for the skill's folder in its text and its entries."""

_SPECIFIED = {
    "shell": "command", "powershell": "command",
    "read_file": "path", "read_many_files": "path", "write_file": "path", "edit_file": "path",
    "notebook_edit": "path", "list_directory": "path", "glob": "path", "grep": "path",
    "web_fetch": "host",
}  # fmt: skip
"""The condition of a rule that the words in brackets are, by tool."""

_ENTRY = re.compile(r"([^\s()]+?)(?:\((.*)\))?", re.DOTALL)
_PLAIN_PATH = re.compile(r"[\w./@+-]+")


@value
class Allowed:
    """The rules of a skill, and what is wrong with its entries: `line 3: …`."""

    rules: tuple[Rule, ...] = ()
    problems: tuple[str, ...] = ()


def read_allowed(said: Iterable[Words], source: str, folder: Path) -> Allowed:
    """`source` is the SKILL.md as people should see it named."""
    rules: list[Rule] = []
    problems: list[str] = []
    for words in said:
        for text in entries(words.text):
            table = _table(text, folder)
            if isinstance(table, str):
                problems.append(f"line {words.line}: allowed-tools: {text}: {table}; it allows nothing")
                continue
            entry = Entry(table, source, TableLines("", words.line), RuleScope.SKILL)
            rule = read_rule(entry)
            if entry.problems:
                wrong = entry.problems[0].removeprefix(f"{source}:{words.line}: ")
                problems.append(f"line {words.line}: allowed-tools: {text}: {wrong}; it allows nothing")
            else:
                rules.append(rule)
    return Allowed(tuple(rules), tuple(problems))


def entries(text: str) -> Iterator[str]:
    """Parted by blanks and commas, save those in brackets: the specification has blanks, Claude Code both."""
    start, depth = 0, 0
    for at, character in enumerate(text):
        if character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
        elif depth <= 0 and (character.isspace() or character == ","):
            if start < at:
                yield text[start:at]
            start = at + 1
    if start < len(text):
        yield text[start:]


def _table(text: str, folder: Path) -> dict[str, object] | str:
    """The entry as a rule is written; or what is wrong with it, as a clause."""
    found = _ENTRY.fullmatch(text)
    if found is None:
        return "is not TOOL or TOOL(…)"
    tool, specifier = found[1], found[2]
    if tool[0] in "*?[":
        return "names no tool; name those that the skill needs"
    rule: dict[str, object] = {"tool": tool, "decision": "allow"}
    if specifier is None or specifier.strip() in ("", "*"):
        return rule
    condition = _SPECIFIED.get(_own_name(tool), "")
    if not condition:
        return "this tool takes nothing in brackets"
    specified = _with_folder(specifier.strip(), folder)
    if specified is None:
        return "the skill's folder has a name that no rule can hold"
    if condition == "host":
        if not specified.startswith("domain:"):
            return "write domain: and a host in the brackets"
        specified = specified.removeprefix("domain:")
    elif condition == "command":
        specified = specified.removesuffix(":*") + " *" if specified.endswith(":*") else specified
    elif specified.startswith(f"{folder}/"):
        specified = f"/{specified}"  # an absolute path, as patterns have it
    return {**rule, condition: specified}


def _own_name(tool: str) -> str:
    """Ours for what any family calls it."""
    from handrail.catalog.faces import families  # only where an entry has brackets

    return next((found for family in families() if (found := family.names.get(tool))), tool)


def _with_folder(text: str, folder: Path) -> str | None:
    if not any(name in text for name in FOLDER_NAMES):
        return text
    if not _PLAIN_PATH.fullmatch(str(folder)):
        return None
    for name in FOLDER_NAMES:
        text = text.replace(name, str(folder))
    return text

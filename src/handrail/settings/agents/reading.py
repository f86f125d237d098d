"""One agent's Markdown file: YAML between two lines of `---`, and what its model is told. Pure.

Fields as Claude Code has them for subagents (code.claude.com/docs, "Create custom subagents"): `name`, `description`,
`tools`, `disallowedTools`, `model`, `permissionMode`. `mode` is ours, and wins over `permissionMode`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from handrail.contract.values import value
from handrail.policy.modes import Mode
from handrail.policy.reach import Reach
from handrail.settings.agents.agent_type import AgentType
from handrail.settings.skills.allowed_tools import entries
from handrail.settings.skills.front_matter import Words, read_fields, split
from handrail.settings.skills.listing import one_line
from handrail.settings.skills.misspelled import MOST_OTHERS, misspelled

_FIELDS = ("name", "description", "tools", "disallowedTools", "model", "mode", "permissionMode")
_NARROWING = ("tools", "disallowedTools", "mode", "permissionMode")
_MEANT: Mapping[str, str] = MappingProxyType({
    **{name: name for name in _FIELDS},
    "allowedTools": "tools", "includeTools": "tools",
    "deniedTools": "disallowedTools", "excludeTools": "disallowedTools",
    "permissions": "permissionMode",
})  # fmt: skip
"""The fields, what others call such limits, and what each means."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")

_THEIR_MODES: Mapping[str, str] = MappingProxyType(
    {"acceptEdits": "accept-edits", "bypassPermissions": "bypass", "dontAsk": "default", "auto": "default"}
)
"""Claude Code's names where ours are others; those that have no like of ours are taken for the strictest that fits."""


@value
class ReadAgent:
    """What a file says; `type` is None where it can't be used."""

    type: AgentType | None
    problems: tuple[str, ...] = ()
    """Each starts with its line, where it has one."""


def read_agent(text: str, stem: str) -> ReadAgent:
    """`stem` is the file's name without its ending: the agent's, where the text names none. Never raises.

    What can't be understood narrows: an unknown mode, or a list of tools that can't be read, leaves the agent out; a
    tool in brackets is not given. A field that is not known, and like a limit, leaves the agent out too.
    """
    matter, role = split(text)
    fields = read_fields(matter, _FIELDS)
    problems = list(fields.problems)
    name = fields.text("name") if _NAME.fullmatch(fields.text("name")) else stem
    description = one_line(fields.text("description"))
    if not _NAME.fullmatch(name):
        return ReadAgent(None, (*problems, "it has no name that can be used"))
    if not description or not role.strip():
        return ReadAgent(None, (*problems, "it says nowhere what it is for, or what it is to do"))
    if lost := [field for field in _NARROWING if field in fields.unread]:
        why = f"what it says of {' and '.join(lost)} can't be read: write it as a text, or as a list of texts"
        return ReadAgent(None, (*problems, why))
    odd = tuple(misspelled(fields, _MEANT))
    problems += map(str, odd)
    if len(fields.others) > MOST_OTHERS or any(each.meant in _NARROWING for each in odd):
        return ReadAgent(None, (*problems, "it seems to have limits in fields that are not known"))
    mode = _mode(fields.text("mode") or fields.text("permissionMode"))
    if isinstance(mode, str) and not isinstance(mode, Mode):
        return ReadAgent(None, (*problems, f"its mode is unknown: {mode}"))
    only = _names(fields.said["tools"], problems) if "tools" in fields.said else None
    reach = Reach(only, _names(fields.said.get("disallowedTools", ()), problems, also_in_brackets=True))
    model = fields.text("model")
    kind = AgentType(name, description, role.strip(), reach, mode, "" if model == "inherit" else model)
    return ReadAgent(kind, tuple(problems))


def _mode(said: str) -> Mode | str | None:
    """A text that is no mode is given back."""
    if not said:
        return None
    name = _THEIR_MODES.get(said, said)
    return Mode(name) if name in list(Mode) else one_line(said)


def _names(said: Sequence[Words], problems: list[str], *, also_in_brackets: bool = False) -> tuple[str, ...]:
    """Names and patterns of tools. What stands in brackets is a rule's matter: such a tool is not given, or, where it
    is taken away, is taken away whole."""
    names: list[str] = []
    for words in said:
        for entry in entries(words.text):
            tool, bracket, _ = entry.partition("(")
            if bracket and not also_in_brackets:
                problems.append(
                    f"line {words.line}: tools: {one_line(entry)}: name the tool alone, and write a rule with subagent "
                    "for what it may do; it is not given"
                )
                continue
            names.append(tool)
    return tuple(dict.fromkeys(names))

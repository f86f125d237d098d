"""What may be typed after a slash: names, and what each does. Pure."""

from __future__ import annotations

from collections.abc import Mapping

COMMANDS: Mapping[str, str] = {
    "help": "commands and keys",
    "model": "which model answers; /model NAME changes it",
    "mode": "how much runs unasked; /mode NAME changes it",
    "tools": "the tools that the model sees, and why others are hidden",
    "policy": "the rules in force; /policy TEXT shows those that contain it",
    "approvals": "what waits for an answer, and what was granted",
    "mcp": "where tools come from beside the built-in ones, and the prompts to send by /SOURCE:NAME",
    "agents": "subagents, and what they are at",
    "sessions": "the sessions of this workspace",
    "cost": "tokens, money and time used so far",
    "clear": "forget the conversation",
    "compact": "make the conversation shorter",
    "quit": "leave",
}
"""By name, in the order of /help."""

ALSO_CALLED: Mapping[str, str] = {
    "exit": "quit",
    "new": "clear",
    "compress": "compact",
    "permissions": "policy",
    "stats": "cost",
    "usage": "cost",
}
"""What is called otherwise in Claude Code, Codex and Gemini CLI, for fingers that know these. In no list."""

IN_THE_SHELL: Mapping[str, str] = {
    "config": "handrail config show",
    "doctor": "handrail doctor",
    "init": "handrail init",
    "resume": "handrail --resume",
    "settings": "handrail config show",
}
"""Slash commands of these that are commands of the shell here."""

WHILE_WORKING = frozenset(("help", "mode", "tools", "policy", "approvals", "mcp", "agents", "sessions", "cost", "quit"))
"""What also may be typed while the agent works."""


def matching(text: str) -> list[str]:
    """The names that a line, which may become a command, can be completed to."""
    if not text.startswith("/") or any(character.isspace() for character in text):
        return []
    return [name for name in COMMANDS if name.startswith(text[1:])]


def completed(text: str) -> str:
    """The line with as much added as there is no doubt about."""
    names = matching(text)
    if len(names) <= 1:
        return f"/{names[0]} " if names else text
    first, last = min(names), max(names)
    sure = next(place for place, letter in enumerate(last) if first[place : place + 1] != letter)
    return f"/{first[:sure]}"


def parsed(text: str) -> tuple[str, str] | None:
    """The name of a command, which may be empty, and what stands behind it; None for what is no command.
    Of one that is also called otherwise, the name that it has here.
    """
    first, _, rest = text.strip().partition(" ")
    is_command = first == "/" or (first.startswith("/") and first[1:].replace("-", "").isalpha())
    name = first[1:].lower()
    return (ALSO_CALLED.get(name, name), rest.strip()) if is_command else None


NO_SHELL = "there is no shell mode: ask for it in words, or Ctrl-Z goes to your own shell; behind a space it is sent"


def is_for_shell(text: str) -> bool:
    """A line as it would be a command of the shell in other agents. It goes to no model: it was not meant for one."""
    return text.startswith("!") and text[1:2] not in ("", "=")


def prompt_named(text: str) -> tuple[str, str] | None:
    """`SOURCE:NAME` of a line that sends a prompt, and what stands behind it; None for any other line, such as one
    that begins with a path."""
    first, _, rest = text.strip().partition(" ")
    source, _, name = first[1:].partition(":")
    return (first[1:], rest.strip()) if first.startswith("/") and source and name and "/" not in first[1:] else None

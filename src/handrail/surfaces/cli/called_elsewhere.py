"""Words of the command lines of Claude Code, Codex and Gemini CLI, for fingers that know these. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

_TASK = "handrail run 'what to do'"
_ADDRESS = "--url ADDRESS, with --sse where the server speaks the older transport; a command stands behind '--'"

CALLED: Mapping[str, Mapping[str, str]] = {
    "handrail": {
        "-p": _TASK,
        "--print": _TASK,
        "--prompt": _TASK,
        "-m": "--model",
        "-c": "--continue",
        "-r": "--resume",
        "resume": "handrail --resume",
        "--permission-mode": "--mode",
        "--approval-mode": "--mode",
        "--yolo": "--mode bypass",
        "--dangerously-skip-permissions": "--mode bypass",
    },
    "handrail mcp": {"rm": "handrail mcp remove", "delete": "handrail mcp remove", "get": "handrail mcp list"},
    "handrail mcp add": {
        "--transport": _ADDRESS,
        "-t": _ADDRESS,
        "-e": "--env NAME=VALUE",
        "-H": "--header NAME=VALUE",
        "-s": "--scope",
    },
}
"""By the command that they stand behind: what each is called here."""

_UNKNOWN = re.compile(r"(No such (?:option|command):? '?([^\s'.]+)'?)")
"""How click says so. Its own guesses stand behind it."""


def with_name_here(message: str, command: str) -> str:
    """Click's message about the words behind `command`; with what a word that is none here is called here."""
    found = _UNKNOWN.match(message)
    here = CALLED.get(command, {}).get(found[2], "") if found else ""
    return f"{found[1]}. Here that is: {here}." if found and here else message

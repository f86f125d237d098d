"""Faults that people reported of skills and commands that allow tools: a test for each, and its siblings.

A command file of another product is a skill here: the same front matter, the same grant.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from accounts import accounted, case
from corpus_files import cases
from handrail.policy import Mode
from handrail.testing import FakeTool
from skill_world import made, outcomes

SKILLS = cases("permission_faults", "skills")


def test_every_case_is_accounted_for_once() -> None:
    assert accounted(globals()) == sorted(SKILLS)


MKDIR = "allowed-tools: Bash(mkdir:*)"
ASK = {"command": "mkdir *", "decision": "ask"}
DENY = {"command": "mkdir *", "decision": "deny"}

TABLE: list[tuple[str, str, str, Mode, list[dict[str, Any]], str]] = [
    # what it is, its front matter, the command, the mode, further rules, what becomes of the call
    ("what it names", MKDIR, "mkdir a", Mode.DEFAULT, [], "completed"),
    ("with flags", MKDIR, "mkdir -p a/b", Mode.DEFAULT, [], "completed"),
    ("as a list", "allowed-tools:\n- Bash(mkdir:*)\n- Read", "mkdir a", Mode.DEFAULT, [], "completed"),
    ("parted by blanks", "allowed-tools: Read Bash(mkdir *)", "mkdir a", Mode.DEFAULT, [], "completed"),
    ("by our own name", "allowed-tools: shell(mkdir *)", "mkdir a", Mode.DEFAULT, [], "completed"),
    ("by Gemini CLI's name", "allowed-tools: run_shell_command(mkdir *)", "mkdir a", Mode.DEFAULT, [], "completed"),
    ("the whole shell", "allowed-tools: Bash", "mkdir a && touch a/b", Mode.DEFAULT, [], "completed"),
    ("nothing", "", "mkdir a", Mode.DEFAULT, [], "denied"),
    ("another command", "allowed-tools: Bash(touch:*)", "mkdir a", Mode.DEFAULT, [], "denied"),
    ("another tool", "allowed-tools: Write", "mkdir a", Mode.DEFAULT, [], "denied"),
    ("a part of a chain", MKDIR, "mkdir a && touch a/b", Mode.DEFAULT, [], "denied"),
    ("a substitution", MKDIR, "mkdir $(touch b; echo a)", Mode.DEFAULT, [], "denied"),
    ("an exact command with more", "allowed-tools: Bash(mkdir a)", "mkdir a b", Mode.DEFAULT, [], "denied"),
    ("over a deny rule", MKDIR, "mkdir a", Mode.DEFAULT, [DENY], "denied"),
    ("over an ask rule", MKDIR, "mkdir a", Mode.DEFAULT, [ASK], "denied"),
    ("over a protected path", "allowed-tools: Bash", "touch .git/hooks/pre-commit", Mode.DEFAULT, [], "denied"),
    ("over plan mode", MKDIR, "mkdir a", Mode.PLAN, [], "denied"),
    ("all tools", "allowed-tools: '*'", "mkdir a", Mode.DEFAULT, [], "denied"),
    ("what is not YAML", "name: a: b\nallowed-tools: Bash", "mkdir a", Mode.DEFAULT, [], "denied"),
]


@case("cc-129")
@pytest.mark.parametrize("trusted", [True, False], ids=["trusted", "untrusted"])
@pytest.mark.parametrize(
    ("front", "command", "mode", "rules", "becomes"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE]
)
async def test_a_trusted_skill_allows_what_it_names_for_the_activating_turn(
    tmp_path: Path, front: str, command: str, mode: Mode, rules: list[dict[str, Any]], becomes: str, trusted: bool
) -> None:
    world = made(tmp_path)
    world.theirs("dirs", front)
    if trusted:
        world.trust_all()
    async with world.session(mode=mode, rules=rules) as session:
        assert await outcomes(session, ("activate_skill", {"name": "dirs"})) == ["completed" if trusted else "failed"]
        assert await outcomes(session, ("shell", {"command": command})) == [becomes if trusted else "denied"]


async def test_what_a_skill_allows_never_answers_for_a_tool_that_is_approved_every_time(tmp_path: Path) -> None:
    world, tool = made(tmp_path), FakeTool("publish")
    tool.needs_approval = "always"
    world.mine("ship", "allowed-tools: publish")
    async with world.session(more=[tool]) as session:
        assert await outcomes(session, ("activate_skill", {"name": "ship"})) == ["completed"]
        assert await outcomes(session, ("publish", {})) == ["denied"]
    assert tool.calls == []

"""Faults that people reported of subagents: each with its siblings, through whole sessions."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from accounts import case
from call_harness import Person
from corpus_files import cases
from handrail.agent.agent import open_agent
from handrail.agent.scripted import Say, ScriptedModel, Use
from handrail.contract.calls import Completed, Rejected, SettledState
from handrail.contract.confirmation import Once
from handrail.contract.events import CallChanged
from handrail.contract.hooks import ApprovalAsked, Block, ToolUse
from handrail.policy import load_rules
from handrail.session import Parts, Session
from handrail.settings.load import Settings, load_settings
from handrail.testing import MemoryJournal
from paired import unpaired

REPORTED = cases("permission_faults", "*")
HERE = ("cc-016", "cc-043", "cc-044", "cc-045", "cc-057", "cc-058", "cc-060", "cc-085", "cc-137")
"""Those that need a subagent. That an interrupt reaches it (cc-139, cc-141) is in tests/agent/test_subagents.py."""

MODES = ["default", "accept-edits", "bypass"]


def test_every_case_is_reported_and_has_a_test() -> None:
    tested = {id for test in globals().values() for id in getattr(test, "cases", ())}
    assert tested == set(HERE) <= set(REPORTED)


class Family:
    """A session whose model gives one task to a subagent, which makes some calls."""

    def __init__(self, session: Session, settled: list[SettledState]) -> None:
        self.session = session
        self._settled = settled

    def calls(self, tool: str) -> list[SettledState]:
        return [call for call in self._settled if call.request.name == tool]


@asynccontextmanager
async def family(
    workspace: Path, *calls: Use, kind: str = "general", more: Sequence[Say] = (), **options: Any
) -> AsyncIterator[Family]:
    """`more` is said after the subagent's report."""
    task = Use("agent", {"description": "a task", "prompt": "Do it.", "agent": kind})
    model = ScriptedModel([Say("", (task,)), Say("", calls), Say("Done."), *more])
    settled: list[SettledState] = []
    parts = Parts(journal=MemoryJournal(), **({"asker": options.pop("asker")} if "asker" in options else {}))
    async with Session.open(workspace, parts=parts, **options) as session, open_agent(session, model) as agent:

        def see(event: object) -> None:
            if isinstance(event, CallChanged) and isinstance(event.state, SettledState):
                settled.append(event.state)

        session.subscribe(see)
        yield (found := Family(session, settled))
        async for _ in agent.send("go"):
            pass
        assert found.calls("agent")
    for messages in model.seen:
        assert unpaired(messages, model.wire) == []


def with_kind(workspace: Path, **fields: str) -> Settings:
    """Settings in which the person has a kind of agent named `kid`."""
    folder = workspace / "config" / "agents"
    folder.mkdir(parents=True)
    said = "".join(f"{name}: {text}\n" for name, text in fields.items())
    (folder / "kid.md").write_text(f"---\nname: kid\ndescription: Works.\n{said}---\nWork.\n")
    return load_settings(workspace, {"HANDRAIL_CONFIG": str(workspace / "config")})


@case("cc-016", "cc-137")
@pytest.mark.parametrize("mode", MODES)
async def test_denials_bind_the_whole_tree_in_every_mode_and_in_parts_of_commands(mode: str, tmp_path: Path) -> None:
    (tmp_path / ".env.local").write_text("SECRET=1\n")
    rules = load_rules('[[rule]]\npath = "**/.env*"\ndecision = "deny"\n', "test")
    reads = Use("read_file", {"file_path": ".env.local"})
    greps = Use("shell", {"command": "grep -oE x .env.local || echo n"})
    async with family(tmp_path, reads, greps, mode=mode, rules=rules) as found:
        pass
    assert [type(call) for call in (*found.calls("read_file"), *found.calls("shell"))] == [Rejected, Rejected]


WRITES = Use("write_file", {"file_path": "x", "content": "x"})
TOUCHES = Use("shell", {"command": "touch y"})


@case("cc-043", "cc-044")
@pytest.mark.parametrize(
    ("mode", "fields", "written", "touched"),
    [
        ("bypass", {}, True, True),
        ("bypass", {"permissionMode": "acceptEdits"}, True, True),
        ("bypass", {"mode": "default"}, False, False),
        ("accept-edits", {"permissionMode": "bypassPermissions"}, True, True),
        ("default", {"permissionMode": "bypassPermissions"}, False, False),
        ("plan", {"mode": "bypass"}, False, False),
    ],
    ids=str,
)
async def test_a_child_is_in_its_parents_mode_or_a_stricter_one(
    mode: str, fields: dict[str, str], written: bool, touched: bool, tmp_path: Path
) -> None:
    settings = with_kind(tmp_path, **fields)
    async with family(tmp_path, WRITES, TOUCHES, kind="kid", mode=mode, settings=settings):
        pass
    assert (tmp_path / "x").exists() is written
    assert (tmp_path / "y").exists() is touched


@pytest.mark.parametrize("kind", ["explore", "kid"])
async def test_in_plan_mode_an_agent_of_any_kind_may_work_and_none_changes_anything(kind: str, tmp_path: Path) -> None:
    """gm-policy-bundled-140, and 141 decided otherwise: the mode binds the calls, so no kind need be kept out."""
    settings = with_kind(tmp_path)
    looks = Use("shell", {"command": "pwd"})
    async with family(tmp_path, WRITES, TOUCHES, looks, kind=kind, mode="plan", settings=settings) as found:
        pass
    assert [type(call) for call in found.calls("agent")] == [Completed]
    assert {type(call) for call in found.calls("shell")} == {Rejected, Completed}
    assert [type(call) for call in found.calls("write_file")] == [Rejected]


@case("cc-045")
@pytest.mark.parametrize(
    "fields",
    [{"permissionMode": "plan"}, {"tools": "Read, Grep"}, {"tools": "Bash(git:*)"}, {"disallowedTools": "Write, Bash"}],
    ids=str,
)
async def test_a_restricted_child_is_bound_under_a_parent_that_bypasses(fields: dict[str, str], tmp_path: Path) -> None:
    settings = with_kind(tmp_path, **fields)
    async with family(tmp_path, WRITES, TOUCHES, kind="kid", mode="bypass", settings=settings) as found:
        pass
    assert [type(call) for call in (*found.calls("write_file"), *found.calls("shell"))] == [Rejected, Rejected]
    assert not (tmp_path / "x").exists()


@case("cc-057", "cc-058")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["explore", "general"])
async def test_hooks_hear_of_a_subagents_calls_in_every_mode_and_may_block_them(
    mode: str, kind: str, tmp_path: Path
) -> None:
    heard: list[tuple[str, str]] = []
    async with family(tmp_path, Use("shell", {"command": "pwd"}), kind=kind, mode=mode) as found:

        @found.session.before_tool("shell")
        async def guard(use: ToolUse) -> Block:
            assert use.agent is not None
            heard.append((use.agent.id, use.agent.type))
            return Block("no")

    assert [type(call) for call in found.calls("shell")] == [Rejected]
    assert heard == [(f"{kind}-1", kind)]


@case("cc-060")
async def test_the_hook_comes_before_the_question_about_a_subagents_call(tmp_path: Path) -> None:
    person, heard = Person(Once()), []
    async with family(tmp_path, WRITES, mode="default", asker=person) as found:

        @found.session.on_approval_asked
        async def hear(asked: ApprovalAsked) -> None:
            heard.append((asked.agent and asked.agent.type, len(person.asked)))

    assert heard == [("general", 0)]
    assert [type(call) for call in found.calls("write_file")] == [Completed]


@case("cc-085")
async def test_one_that_used_tools_goes_on_with_a_paired_history(tmp_path: Path) -> None:
    more = [
        Say("", (Use("send_message", {"to": "general-1", "message": "Again."}),)),
        Say("", (Use("shell", {"command": "pwd"}),)),
        Say("Done again."),
        Say("All done."),
    ]
    async with family(tmp_path, Use("shell", {"command": "pwd"}), mode="bypass", more=more) as found:
        pass
    (told,) = found.calls("send_message")
    assert "Done again." in told.result.text
    assert [type(call) for call in found.calls("shell")] == [Completed, Completed]

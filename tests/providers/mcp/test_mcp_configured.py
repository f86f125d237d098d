"""From a file to a call: servers as settings configure them, in a session that is opened with these."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp_world import PLAIN_SERVER, called, ready, text_of, tool, until

from accounts import case
from handrail.contract.basics import Instant
from handrail.contract.calls import Completed, Rejected
from handrail.contract.provider import Condition
from handrail.policy import Mode
from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.settings.load import Settings, load_settings
from handrail.settings.places import Folders
from handrail.settings.trust import TrustStore
from handrail.testing import MemoryJournal


def script(folder: Path, name: str, said: dict[str, Any]) -> list[str]:
    path = folder / f"{name}.json"
    path.write_text(json.dumps(said))
    return ["-S", str(PLAIN_SERVER), str(path)]


def loaded(root: Path, **environ: str) -> Settings:
    where = Folders(root / "system", root / "user", root / "state")
    return load_settings(root / "work", {"HOME": str(root / "home"), **environ}, {}, where)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("work", "home", "state"):
        (tmp_path / name).mkdir(mode=0o700)
    servers = {
        "tides": {"command": sys.executable, "args": script(tmp_path, "tides", {"tools": [tool("high")]})},
        "unset": {"command": "x", "env": {"TOKEN": "${NO_SUCH_VARIABLE_HERE}"}},
    }
    (tmp_path / "work/.mcp.json").write_text(json.dumps({"mcpServers": servers}))
    return tmp_path


async def test_a_workspaces_servers_are_told_of_and_not_started_before_they_are_trusted(root: Path) -> None:
    settings = loaded(root)
    async with Session.open(
        root / "work", mode=Mode.BYPASS, settings=settings, parts=Parts(journal=MemoryJournal())
    ) as session:
        status = await until(session, lambda status: status.condition is Condition.UNTRUSTED, "tides")
        assert ".mcp.json came with the workspace" in status.detail
        assert not [shown for shown in session.menu().tools if shown.tool.server]


@case("MC28")
async def test_once_trusted_they_run_and_one_that_can_not_takes_no_other_with_it(root: Path) -> None:
    TrustStore(root / "state").add([waiting.key for waiting in loaded(root).waiting], Instant(0.0))
    settings = loaded(root)
    async with Session.open(
        root / "work", mode=Mode.BYPASS, settings=settings, parts=Parts(journal=MemoryJournal())
    ) as session:
        await ready(session, "tides")
        assert text_of(await called(session, "mcp_tides_high", {"port": "Dover"})) == '{"port": "Dover"}'
        status = await until(session, lambda status: status.condition is Condition.FAILED, "unset")
        assert "env.TOKEN needs the variable NO_SUCH_VARIABLE_HERE, which is not set" in status.detail


@pytest.mark.parametrize("trusted", [False, True])
async def test_no_server_of_the_workspace_takes_a_rule_away_from_a_tool_of_the_persons(
    root: Path, trusted: bool
) -> None:
    """A server `git_hub` beside `git`, of which a rule denies the tool `hub_delete`."""
    own = {"git": {"command": sys.executable, "args": script(root, "git", {"tools": [tool("hub_delete")]})}}
    write_private(root / "home/.claude.json", json.dumps({"mcpServers": own}))
    write_private(root / "user/policy.toml", '[[rule]]\ntool = "mcp_git_hub_delete"\ndecision = "deny"\n')
    guest = {"git_hub": {"command": sys.executable, "args": script(root, "hub", {"tools": [tool("delete")]})}}
    (root / "work/.mcp.json").write_text(json.dumps({"mcpServers": guest}))
    if trusted:
        TrustStore(root / "state").add([waiting.key for waiting in loaded(root).waiting], Instant(0.0))
    async with Session.open(
        root / "work", mode=Mode.BYPASS, settings=loaded(root), parts=Parts(journal=MemoryJournal())
    ) as session:
        await ready(session, "git")
        for name in ("mcp_git_hub_delete", "mcp__git__hub_delete"):
            assert isinstance(await called(session, name), Rejected)
        if trusted:
            await ready(session, "git_hub")
            assert isinstance(await called(session, "mcp__git_hub__delete"), Completed)


def write_private(path: Path, text: str) -> None:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    path.write_text(text)
    path.chmod(0o600)


@pytest.mark.parametrize(
    "said",
    [
        {"command": "/nowhere/${WHERE_IT_IS}"},
        {"command": "true", "cwd": "/nowhere/${WHERE_IT_IS}"},
        {"command": "sh", "args": ["-c", "echo look at ${WHERE_IT_IS} >&2; exit 3"]},
        {"command": "sh", "args": ["-c", "printf '%0190d' 7 >&2; echo ${WHERE_IT_IS} >&2; exit 3"]},
        {"command": "sh", "args": ["-c", "echo ${WHERE_IT_IS}; exit 3"]},
    ],
)
async def test_what_was_filled_in_is_not_in_why_a_server_does_not_run(root: Path, said: dict[str, Any]) -> None:
    write_private(root / "home/.claude.json", json.dumps({"mcpServers": {"own": said}}))
    settings = loaded(root, WHERE_IT_IS="s3cr3t-place")
    async with Session.open(root / "work", settings=settings, parts=Parts(journal=MemoryJournal())) as session:
        status = await until(session, lambda status: status.condition is Condition.FAILED, "own")
        assert "s3cr3t" not in status.detail


async def test_a_server_that_is_switched_off_is_not_started(root: Path) -> None:
    said = {"mcpServers": {"own": {"command": "never-run"}}, "mcp": {"excluded": ["own"]}}
    (root / "home/.gemini").mkdir(mode=0o700)
    (root / "home/.gemini/settings.json").write_text(json.dumps(said))
    (root / "home/.gemini/settings.json").chmod(0o600)
    async with Session.open(root / "work", settings=loaded(root), parts=Parts(journal=MemoryJournal())) as session:
        assert await until(session, lambda status: status.condition is Condition.OFF, "own")

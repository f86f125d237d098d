"""Every provider of ours keeps to what the kit for authors of providers checks."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import folder_world
from folder_world import FolderWorld, says
from handrail.contract.context import Workspace
from handrail.contract.launching import Launcher
from handrail.contract.provider import Condition, Provider
from handrail.providers.command.source import CommandTools
from handrail.providers.entry_points import EntryPointTools
from handrail.providers.folder import FolderTools
from handrail.providers.given import GivenTools
from handrail.providers.mcp.around import Around
from handrail.providers.mcp.offering import Offering
from handrail.providers.mcp.server import McpServer
from handrail.settings.mcp.server import ServerConfig, Stdio
from handrail.settings.tool_commands import ToolCommands
from handrail.testing import NotConforming, assert_provider_conforms
from handrail.tools import builtin_tools

PROGRAM = Path(__file__).with_name("discovery_program.py")
SERVER = Path(__file__).parent / "mcp/plain_server.py"
NOTHING = {"type": "object", "properties": {}, "additionalProperties": False}
DECLARED = [{"name": name, "description": "Echoes.", "parameters": NOTHING} for name in ("echo", "chatty")]


@pytest.fixture
def world(tmp_path: Path) -> FolderWorld:
    made = folder_world.made(tmp_path)
    (made.workspace / "declared.json").write_text(json.dumps(DECLARED))
    made.put(made.mine, {"a.py": says("a"), "b.py": says("b"), "broken.py": "1 / 0"})
    return made


def folder(world: FolderWorld) -> Callable[[Launcher], Provider]:
    read = next(each for each in world.settings().tool_folders if each.place.name == str(world.mine))
    return lambda launcher: FolderTools(read)


def command(world: FolderWorld) -> Callable[[Launcher], Provider]:
    python = (sys.executable, str(PROGRAM))
    commands = ToolCommands("a test", (*python, "list"), (*python, "call"))
    return lambda launcher: CommandTools(commands, launcher, world.workspace, os.environ)


def server(world: FolderWorld) -> Callable[[Launcher], Provider]:
    described = {"description": "Does it.", "inputSchema": NOTHING}
    script = {"tools": [{"name": name, **described} for name in ("one", "two")]}
    (world.root / "script.json").write_text(json.dumps(script))
    config = ServerConfig("s", Stdio(sys.executable, ("-S", str(SERVER), str(world.root / "script.json"))), "a test")

    def made(launcher: Launcher) -> Provider:
        return McpServer(config, Around(launcher, Workspace(world.workspace), dict(os.environ)), Offering(("s",)))

    return made


async def test_a_folder_conforms(world: FolderWorld) -> None:
    passed = await assert_provider_conforms(folder(world), examples={"a": [{}]}, cancellations=10)
    assert passed.tools == ("a", "b")
    assert len(passed.statuses[0].problems) == 1


async def test_an_empty_folder_conforms(world: FolderWorld) -> None:
    read = next(each for each in world.settings().tool_folders if not each.is_there)
    passed = await assert_provider_conforms(lambda launcher: FolderTools(read), cancellations=3)
    assert passed.tools == passed.statuses == ()


async def test_a_discovery_command_conforms(world: FolderWorld) -> None:
    given = {"discovered_tool_echo": [{}], "discovered_tool_chatty": [{}]}
    passed = await assert_provider_conforms(command(world), examples=given, workspace=world.workspace, cancellations=10)
    assert passed.tools == ("discovered_tool_echo", "discovered_tool_chatty")
    assert passed.statuses[0].detail == "2 tools"


async def test_an_entry_point_that_is_not_there_conforms() -> None:
    passed = await assert_provider_conforms(lambda launcher: EntryPointTools("no-such"), cancellations=5)
    assert passed.statuses[0].condition is Condition.FAILED


async def test_given_tools_conform_but_that_a_bad_one_is_raised_to_whoever_gave_it() -> None:
    with pytest.raises(NotConforming) as raised:
        await assert_provider_conforms(lambda launcher: GivenTools("built-in", builtin_tools()), cancellations=5)
    assert [problem.check for problem in raised.value.problems] == ["bad tools"]


async def test_an_mcp_server_conforms(world: FolderWorld) -> None:
    passed = await assert_provider_conforms(server(world), cancellations=10)
    assert passed.tools == ("mcp_s_one", "mcp_s_two")

"""Tools of installed packages: off until they are enabled by name."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import folder_world
from folder_world import FolderWorld, names_of, said, says, status_of
from handrail.contract.provider import Condition

MODULE = """
import pathlib

from pydantic import BaseModel

from handrail import Tool, ToolResult, tool

pathlib.Path(__file__).with_name("imported").touch()


class Params(BaseModel):
    port: str = ""


class Moon(Tool[Params]):
    async def run(self, params: Params) -> ToolResult:
        return ToolResult.of_text("moon")


@tool
def tide_table() -> str:
    '''The tide.'''
    return "tide"


ALL = [tide_table, Moon]
BOTH = [tide_table, tide_table]
NOTHING = 5


def explode():
    raise ValueError("boom")
"""

POINTS = {
    "tides": "harbour_things:tide_table",
    "moon": "harbour_things:Moon",
    "module": "harbour_things",
    "several": "harbour_things:ALL",
    "twice": "harbour_things:BOTH",
    "nothing": "harbour_things:NOTHING",
    "gone": "harbour_things:gone",
    "no-module": "harbour_no_such:x",
}


def install(root: Path, package: str, points: dict[str, str]) -> None:
    """As an installer leaves it."""
    about = root / f"{package}-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = "".join(f"{name} = {where}\n" for name, where in points.items())
    (about / "entry_points.txt").write_text(f"[handrail.tools]\n{lines}")


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FolderWorld]:
    made = folder_world.made(tmp_path)
    site = tmp_path / "site"
    install(site, "harbour", POINTS)
    (site / "harbour_things.py").write_text(MODULE)
    monkeypatch.syspath_prepend(site)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield made
    sys.modules.pop("harbour_things", None)


async def test_none_is_imported_that_nobody_enabled(world: FolderWorld) -> None:
    async with world.session() as session:
        assert names_of(session) == []
        assert session.sources() == ()
    assert not (world.root / "site/imported").exists()


@pytest.mark.parametrize(
    ("point", "names"),
    [("tides", ["tide_table"]), ("moon", ["moon"]), ("module", ["tide_table"]), ("several", ["tide_table"])],
)
async def test_an_entry_point_leads_to_a_tool_several_or_a_module(
    world: FolderWorld, point: str, names: list[str]
) -> None:
    async with world.session(world.settings(entry_points=[point])) as session:
        assert names_of(session) == names
        assert status_of(session, f"entry point {point}").condition is Condition.READY
        assert await said(session, names[0]) == names[0].partition("_")[0]


@pytest.mark.parametrize(
    ("point", "detail"),
    [
        ("nothing", "it leads to int, and not to a tool, a list of tools, or a module"),
        ("gone", "AttributeError: module 'harbour_things' has no attribute 'gone'"),
        ("no-module", "ModuleNotFoundError: No module named 'harbour_no_such'"),
        (
            "unknown",
            "no installed package has it in the group handrail.tools. Those that are installed: gone, module, ",
        ),
        ("shared", "several packages have it: boats, ships. Uninstall all but one"),
    ],
)
async def test_one_that_can_not_be_loaded_is_told_and_hides_no_other(
    world: FolderWorld, point: str, detail: str
) -> None:
    for package in ("boats", "ships"):
        install(world.root / "site", package, {"shared": "harbour_things:ALL"})
    async with world.session(world.settings(entry_points=[point, "tides"])) as session:
        assert names_of(session) == ["tide_table"]
        status = status_of(session, f"entry point {point}")
        assert status.condition is Condition.FAILED
        assert status.detail.startswith(detail)


async def test_the_workspace_enables_none(world: FolderWorld) -> None:
    world.put(world.workspace / ".handrail", {"config.toml": 'entry_points = ["tides"]\n'})
    world.trust_all()
    async with world.session() as session:
        assert names_of(session) == []
    assert "entry_points can't be set there" in world.settings().problems[0]


async def test_the_persons_own_files_keep_their_names_before_packages(world: FolderWorld) -> None:
    world.put(world.mine, {"tide_table.py": says("mine")})
    async with world.session(world.settings(entry_points=["tides"])) as session:
        assert await said(session, "tide_table") == "mine"
        assert "the name 'tide_table' is taken" in status_of(session, "entry point tides").problems[0]

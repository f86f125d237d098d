"""What was too long for the model lies in a file that it can look at, with two tools and no others."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from call_harness import settled
from handrail.contract.calls import Completed, Rejected, SettledState
from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.settings.places import STATE_VARIABLE
from handrail.testing import FakeTool
from handrail.tools import builtin_tools

LINES = [f"line {number} of many\n" for number in range(5_000)]


@asynccontextmanager
async def flooded(workspace: Path, mode: str = "default") -> AsyncIterator[tuple[Session, SettledState]]:
    """A session whose call `c1` gave back too much."""

    async def flood(params: Any, context: Any) -> str:
        return "".join(LINES)

    async with Session.open(
        workspace, mode=mode, parts=Parts(tools=[*builtin_tools(), FakeTool("flood", flood)])
    ) as session:
        yield session, await settled(session, "flood")


@pytest.fixture(autouse=True)
def state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("state")
    folder.chmod(0o700)
    monkeypatch.setenv(STATE_VARIABLE, str(folder))
    return folder


def kept(state: Path) -> Path:
    (file,) = state.glob("results/*/c1.txt")
    return file


@pytest.mark.parametrize("mode", ["plan", "default", "bypass"])
async def test_the_model_reads_and_searches_the_whole_without_being_asked_about(
    tmp_path: Path, state: Path, mode: str
) -> None:
    async with flooded(tmp_path, mode) as (session, result):
        file = kept(state)
        assert str(file) in result.result.text
        assert file.read_text() == "".join(LINES)
        page = await settled(session, "read_file", {"file_path": str(file), "offset": 2_500, "limit": 1}, id="c2")
        found = await settled(session, "grep", {"pattern": "line 2499 ", "path": str(file)}, id="c3")
        below = await settled(session, "grep", {"pattern": "line 2499 ", "path": str(file.parent)}, id="c4")
    assert "line 2499 of many" in page.result.text
    assert "line 2499 of many" in found.result.text
    assert "line 2499 of many" in below.result.text


OTHERS = [
    ("list_directory", lambda file: {"path": str(file.parent)}),
    ("glob", lambda file: {"pattern": "*", "path": str(file.parent)}),
    ("shell", lambda file: {"command": f"cat {file}"}),
    ("write_file", lambda file: {"file_path": str(file), "content": "x"}),
    ("edit_file", lambda file: {"file_path": str(file), "old_string": "line 1", "new_string": "x"}),
]


@pytest.mark.parametrize(("tool", "arguments"), OTHERS, ids=[tool for tool, _ in OTHERS])
async def test_no_other_tool_touches_it(tmp_path: Path, state: Path, tool: str, arguments: Any) -> None:
    async with flooded(tmp_path, "bypass") as (session, _):
        tried = await settled(session, tool, arguments(kept(state)), id="c2")
    assert isinstance(tried, Rejected)
    assert "Handrail's own state" in tried.decision.reason
    assert kept(state).read_text() == "".join(LINES)


@pytest.mark.parametrize("where", ["..", "../..", "../other/c1.txt", "../../journal.sqlite"])
async def test_nothing_else_in_the_state_is_read(tmp_path: Path, state: Path, where: str) -> None:
    async with flooded(tmp_path, "bypass") as (session, _):
        folder = kept(state).parent
        other = folder.parent / "other"
        other.mkdir()
        (other / "c1.txt").write_text("another session's")
        (state / "journal.sqlite").write_text("secret")
        for tool, argument in (("read_file", "file_path"), ("grep", "path")):
            pattern = {"pattern": "."} if tool == "grep" else {}
            tried = await settled(session, tool, {argument: str(folder / where), **pattern}, id=f"{tool}{where}")
            assert not isinstance(tried, Completed)
            assert "another session's" not in tried.result.text


async def test_a_link_to_the_state_is_no_way_around(tmp_path: Path, state: Path) -> None:
    (state / "journal.sqlite").write_text("secret")
    (tmp_path / "link").symlink_to(state / "journal.sqlite")
    async with flooded(tmp_path, "bypass") as (session, _):
        tried = await settled(session, "read_file", {"file_path": "link"}, id="c2")
    assert isinstance(tried, Rejected)


async def test_a_link_to_a_kept_result_is_no_kept_result(tmp_path: Path, state: Path) -> None:
    async with flooded(tmp_path, "bypass") as (session, _):
        (tmp_path / "link").symlink_to(kept(state))
        tried = await settled(session, "read_file", {"file_path": "link"}, id="c2")
    assert isinstance(tried, Rejected)

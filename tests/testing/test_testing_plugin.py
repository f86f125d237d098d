"""The fixtures, in a project of somebody else's: a pytest of its own, in another process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

SETTINGS = "[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\nfilterwarnings = error\n"


def pytest_of(folder: Path, test: str, *options: str, **environment: str) -> str:
    """What pytest prints about one file of tests; it must be content."""
    (folder / "pytest.ini").write_text(SETTINGS)
    (folder / "test_theirs.py").write_text(dedent(test))
    argv = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options]
    done = subprocess.run(argv, cwd=folder, env=os.environ | environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_session_is_opened_in_the_tests_own_folder_and_allows_everything(tmp_path: Path) -> None:
    test = """
        async def test_it_writes(handrail_session, tmp_path):
            async with handrail_session() as session:
                call = {"id": "1", "name": "write_file", "arguments": {"file_path": "a.txt", "content": "x"}}
                turn = await session.run({"calls": [call]})
            assert (tmp_path / "a.txt").read_text() == "x"
            assert turn.done is False

        async def test_it_takes_tools_mode_and_parts(handrail_session, tmp_path):
            from handrail.testing import FakeTool, MemoryJournal
            journal, other = MemoryJournal(), tmp_path / "other"
            other.mkdir()
            async with handrail_session(FakeTool(), mode="plan", workspace=other, journal=journal) as session:
                await session.run({"calls": [{"id": "1", "name": "fake", "arguments": {}}]})
            assert journal.closed and journal.states
    """
    assert "2 passed" in pytest_of(tmp_path, test)


def test_a_scripted_model_plays_its_turns(tmp_path: Path) -> None:
    test = """
        async def test_it_speaks(handrail_session, scripted_model):
            from handrail.agent.model import ModelRequest
            from handrail.testing import Say
            model = scripted_model(Say("Ahoy."), name="mate")
            async with handrail_session() as session:
                events = [event async for event in model.respond(ModelRequest("", (), session.menu()))]
            assert (model.name, events[0].text) == ("mate", "Ahoy.")
    """
    assert "1 passed" in pytest_of(tmp_path, test)


def test_nothing_of_handrail_is_loaded_before_it_is_asked_for(tmp_path: Path) -> None:
    test = """
        import sys

        def test_it_is_light():
            loaded = {name for name in sys.modules if name.partition(".")[0] in ("handrail", "pydantic", "tree_sitter")}
            assert loaded == {"handrail", "handrail.testing", "handrail.testing.plugin"}
    """
    output = pytest_of(tmp_path, test, "-p", "handrail", "-W", "ignore", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    assert "1 passed" in output


def test_the_fixtures_say_what_they_are_for(tmp_path: Path) -> None:
    output = pytest_of(tmp_path, "def test_nothing(): ...", "--fixtures")
    assert "Opens sessions in a folder of the test's own, with a journal in memory." in output
    assert "Makes models that play a script." in output

"""The way that docs/tutorial/first-agent.md shows is gone as it stands, with a played model."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from code_blocks import blocks_of

from e2e.command import Ran, environment, handrail
from e2e.terminal import Terminal
from handrail.wire import Wire
from servers.provider_server import DIALECTS, ProviderServer
from servers.script import Use, says

PAGE = Path(__file__).parents[2] / "docs" / "tutorial" / "first-agent.md"
TEXT = PAGE.read_text("utf-8")
TASK = "The test fails. Find out why, and repair it."
FIX = {"file_path": "harbour.py", "old_string": "depth - tide", "new_string": "depth + tide"}
TESTS = Use("shell", {"command": "pytest -q"})
SCRIPT = [
    says("I run the test first.", TESTS),
    says("It fails. I look at the code.", Use("read_file", {"file_path": "harbour.py"})),
    says("The tide is subtracted; it must be added.", Use("edit_file", FIX)),
    says("", TESTS),
    says("The test passes now."),
]
KEYS = "[c]ancel the call: "


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "harbour"
    folder.mkdir()
    files = [block.text for block in blocks_of(PAGE) if block.excerpt]
    for name, text in zip(("harbour.py", "test_harbour.py"), files, strict=True):
        (folder / name).write_text(text)
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return folder


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch):
    with ProviderServer(DIALECTS[Wire.ANTHROPIC](), SCRIPT) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        yield server
    assert server.wrong == []


def ours(project: Path, *arguments: str) -> Ran:
    return handrail(*arguments, state=project.parent / "state", cwd=project)


def test_the_first_run_asks_as_the_page_shows_and_the_fault_is_repaired(project: Path, served) -> None:
    asked = next(block for block in TEXT.split("```text\n")[1:]).split("```")[0]
    with Terminal("run", TASK, env=environment(project.parent / "state"), cwd=project) as terminal:
        screen = terminal.until(KEYS).replace("\r\n", "\n")
        assert asked.rstrip() in screen
        terminal.type("y\n")
        assert "+    return depth + tide - draught" in terminal.until(KEYS)
        terminal.type("y\n")
        terminal.until(KEYS)
        terminal.type("a 1\n")
        code, last = terminal.end()
    assert code == 0
    assert "The test passes now." in last
    assert "depth + tide" in (project / "harbour.py").read_text()


def test_after_init_nothing_is_asked_for_the_test_and_in_accept_edits_nothing_at_all(project: Path, served) -> None:
    shown = TEXT.split("```toml\n")[1].split("```")[0]
    done = ours(project, "init", "--yes")
    assert shown in done.out
    assert ours(project, "policy", "explain", "shell", "pytest -q").out.startswith("allow")
    done = ours(project, "run", "--mode", "accept-edits", TASK)
    assert done.code == 0, done.err
    assert done.out.endswith("The test passes now.\n")
    assert "rejected" not in done.err
    assert "depth + tide" in (project / "harbour.py").read_text()

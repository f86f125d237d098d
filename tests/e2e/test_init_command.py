from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from command import Ran, environment
from loaded import Loaded

from e2e.terminal import Terminal

POLICY, CONFIG = ".handrail/policy.toml", ".handrail/config.toml"
CHECK = '{"tool": "shell", "arguments": {"command": "pytest -q"}}\n'


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "conftest.py").touch()
    return folder


@pytest.fixture
def init(loaded: Loaded):
    def init(work: Path, *arguments: str) -> Ran:
        return loaded.handrail("init", *arguments, state=work.parent / "state", cwd=work)

    return init


@pytest.fixture
def decided(loaded: Loaded):
    def decided(work: Path) -> Ran:
        return loaded.handrail("policy", "check", state=work.parent / "state", cwd=work, stdin=CHECK)

    return decided


def test_what_is_printed_is_not_written(work: Path, init) -> None:
    done = init(work, "--print")
    assert done.code == 0
    assert done.out.startswith(f"Found: pytest\n--- {CONFIG}\n# Settings")
    assert done.out.index(f"\n--- {POLICY}\n# What runs here") > done.out.index(f"--- {CONFIG}")
    assert 'command = ["pytest *", "python -m pytest *"]' in done.out
    assert not (work / ".handrail").exists()


def test_a_yes_writes_what_was_shown_and_trusts_it(work: Path, init, decided) -> None:
    assert decided(work).out.startswith("ask")
    done = init(work, "--yes")
    assert (done.code, done.err) == (0, "")
    assert (work / POLICY).read_text() in done.out
    assert (work / CONFIG).read_text() in done.out
    assert f"Trusted: {POLICY}, as shown. A change voids that." in done.out
    check = decided(work)
    assert (check.out.split()[0], check.err) == ("allow", "")


def test_what_is_there_is_left_and_said(work: Path, init) -> None:
    (work / ".handrail").mkdir()
    (work / POLICY).write_text("# mine\n")
    done = init(work, "--yes")
    assert done.code == 0
    assert f"{POLICY} is there already, and is left as it is" in done.out
    assert (work / POLICY).read_text() == "# mine\n"
    assert (work / CONFIG).exists()
    assert "Trusted" not in done.out


def test_a_policy_that_came_with_the_workspace_gets_no_trust_by_the_way(work: Path, init) -> None:
    (work / ".handrail").mkdir()
    (work / POLICY).write_text('[[rule]]\ncommand = "touch *"\ndecision = "allow"\n')
    done = init(work, "--yes")
    assert f"{POLICY} came with the workspace and waits for your trust" in done.err


def test_without_a_terminal_nothing_is_written_unless_a_script_says_yes(work: Path, init) -> None:
    done = init(work)
    assert done.code == 2
    assert "no terminal to ask at; look with `handrail init --print`, then add --yes" in done.err
    assert not (work / ".handrail").exists()


@pytest.mark.parametrize(("typed", "written"), [("y\n", True), ("\n", False)])
def test_a_person_is_asked_after_they_saw_it_and_silence_is_no(work: Path, typed: str, written: bool, decided) -> None:
    with Terminal("init", env=environment(work.parent / "state"), cwd=work) as terminal:
        assert "pytest *" in terminal.until("without a question? [y/N]: ")
        terminal.type(typed)
        code, screen = terminal.end()
    assert code == 0
    assert ("Nothing was written." in screen) is not written
    assert (work / POLICY).exists() is written
    assert decided(work).out.startswith("allow" if written else "ask")


def test_a_link_in_place_of_the_folder_leads_nowhere(work: Path, tmp_path: Path, init) -> None:
    (tmp_path / "elsewhere").mkdir()
    (work / ".handrail").symlink_to(tmp_path / "elsewhere")
    done = init(work, "--yes")
    assert done.code == 2
    assert "is a link; put a folder in its place" in done.err
    assert os.listdir(tmp_path / "elsewhere") == []


@pytest.mark.parametrize(
    ("put", "said"),
    [
        (lambda place, elsewhere: place.symlink_to(elsewhere), "is a link; put a folder in its place"),
        (lambda place, elsewhere: place.touch(), "is no folder; put one in its place"),
    ],
    ids=["a link to nothing", "a file"],
)
def test_what_is_no_folder_in_place_of_the_folder_is_told(work: Path, tmp_path: Path, put, said: str, init) -> None:
    put(work / ".handrail", tmp_path / "elsewhere")
    done = init(work, "--yes")
    assert (done.code, said in done.err) == (2, True)
    assert not (tmp_path / "elsewhere").exists()


def test_inside_a_governed_call_nothing_is_written_and_trusted(work: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "handrail", "init", "--yes"],
        cwd=work,
        env={**environment(work.parent / "state"), "HANDRAIL": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "only a person writes and trusts a policy" in done.stderr
    assert not (work / ".handrail").exists()

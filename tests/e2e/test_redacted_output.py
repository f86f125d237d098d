"""A secret that a call comes upon: the model gets it, and nobody else."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from e2e.command import Ran, handrail, neutral

TOKEN = "ghp_" + "a1B2" * 9
KEY = "-----BEGIN PRIVATE KEY-----\n" + "MIIEvQIBADAN\n" * 30 + "-----END PRIVATE KEY-----\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "notes.txt").write_text(f"token: {TOKEN}\n{KEY}")
    return folder


READ = ("read_file", {"file_path": "notes.txt"})
ECHO = ("shell", {"command": f"echo {TOKEN}"})
EDIT = ("edit_file", {"file_path": "notes.txt", "old_string": "token: ", "new_string": "the token: "})


def ran(workspace: Path, *calls: tuple[str, dict[str, object]], json: bool = False) -> Ran:
    options = ["-C", str(workspace), "--approve", "all", *(["--json"] if json else [])]
    return handrail("exec", "-", *options, state=workspace.parent / "state", stdin=neutral(*calls))


@pytest.mark.parametrize("call", [READ, ECHO, EDIT], ids=["read", "shell", "edit"])
def test_what_people_see_shows_no_secret(workspace, call):
    shown = ran(workspace, call)
    assert shown.code == 0
    assert "[redacted:github-token]" in shown.out
    assert TOKEN not in shown.out + shown.err
    assert "MIIEvQIBADAN" not in shown.out


def test_what_the_model_gets_is_what_is_there(workspace):
    assert TOKEN in ran(workspace, READ, json=True).call["result"]


def test_no_event_of_the_journal_holds_a_secret_and_the_payloads_are_exact(workspace):
    ran(workspace, READ, ECHO, EDIT, ("shell", {"command": f"nonsense-program --token {TOKEN}"}))
    (path,) = (workspace.parent / "state").glob("*.sqlite")
    with closing(sqlite3.connect(path)) as connection:
        events = str(connection.execute("SELECT * FROM events").fetchall())
        questions = str(connection.execute("SELECT * FROM approvals").fetchall())
        payloads = str(connection.execute("SELECT content FROM payloads").fetchall())
    assert TOKEN not in events + questions
    assert "[redacted:github-token]" in events
    assert TOKEN in payloads

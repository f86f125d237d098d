from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from command import Ran, environment, handrail, neutral
from loaded import Loaded

from e2e.terminal import Terminal

ALLOW = '[[rule]]\ncommand = "touch *"\ndecision = "allow"\n'
POLICY, CONFIG = ".handrail/policy.toml", ".handrail/config.toml"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / ".handrail").mkdir(parents=True)
    (folder / POLICY).write_text(ALLOW)
    return folder


@pytest.fixture
def trust(tmp_path: Path, work: Path, loaded: Loaded):
    def trust(*arguments: str) -> Ran:
        return loaded.handrail("trust", *arguments, state=tmp_path / "state", cwd=work)

    return trust


def states(ran: Ran) -> dict[str, str]:
    return {item["path"]: item["state"] for item in ran.report["items"]}


def test_what_waits_is_shown_whole_with_what_a_yes_would_switch_on(trust, work: Path) -> None:
    (work / CONFIG).write_text('mode = "bypass"\n')
    (work / POLICY).write_text(ALLOW + "# \u202ereversed\n")
    done = trust("show", POLICY)
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0].startswith(f"--- {POLICY} (sha256 ")
    assert lines[1:4] == ALLOW.splitlines()
    assert lines[4] == "# \\x202ereversed"
    assert lines[5:] == ["--- trusted, it would switch on:", '  line 1: command = "touch *", decision = "allow"']
    assert 'line 1: mode = "bypass"' in trust("show").out


def test_a_yes_in_a_script_shows_records_and_holds(trust, work: Path) -> None:
    done = trust("add", "--yes")
    assert done.code == 0
    assert 'command = "touch *"' in done.out
    assert done.out.endswith(f"Trusted: {POLICY}\n")
    assert states(trust("list", "--json")) == {POLICY: "trusted"}
    assert trust("show").out == f"Nothing in {work} waits for trust.\n"
    touched = handrail(
        "exec", "-", "--json", state=work.parent / "state", cwd=work, stdin=neutral(("shell", {"command": "touch a"}))
    )
    assert touched.call["decision"]["source"] == f"rule:{POLICY}:1"
    assert touched.err == ""


def test_without_a_terminal_and_without_yes_nothing_is_trusted(trust) -> None:
    done = trust("add")
    assert done.code == 2
    assert "no terminal to ask at; look with `handrail trust show`, then add --yes" in done.err
    assert states(trust("list", "--json")) == {POLICY: "waiting"}


def test_one_thing_is_trusted_and_another_is_not(trust, work: Path) -> None:
    (work / CONFIG).write_text('mode = "bypass"\n')
    assert trust("add", "--yes", POLICY).code == 0
    assert states(trust("list", "--json")) == {CONFIG: "waiting", POLICY: "trusted"}


def test_how_it_stands_with_each_thing_is_listed(trust, work: Path) -> None:
    (work / CONFIG).write_text('mode = "bypass"\n')
    trust("add", "--yes")
    (work / CONFIG).write_text('mode = "accept-edits"\n')
    (work / POLICY).unlink()
    assert states(trust("list", "--json")) == {CONFIG: "changed", POLICY: "gone"}
    lines = trust("list").out.splitlines()
    assert lines[0].split()[:3] == [CONFIG, "settings", "changed"]
    assert lines[1].split()[:4] == [POLICY, "policy", "gone", "since"]


def test_trust_is_taken_back(trust, work: Path) -> None:
    (work / CONFIG).write_text('mode = "bypass"\n')
    trust("add", "--yes")
    assert trust("remove", POLICY).out == f"No longer trusted: {POLICY}\n"
    again = trust("remove", POLICY)
    assert again.code == 2
    assert f"not trusted, so nothing to take back: {POLICY}" in again.err
    assert trust("remove").out == f"No longer trusted: {CONFIG}\n"
    assert trust("remove").out == f"Nothing in {work} was trusted.\n"
    assert states(trust("list", "--json")) == {CONFIG: "waiting", POLICY: "waiting"}


def test_a_path_may_be_named_from_anywhere(trust, work: Path, tmp_path: Path) -> None:
    elsewhere = handrail("trust", "show", "-C", str(work), POLICY, state=tmp_path / "state", cwd=tmp_path)
    assert elsewhere.code == 0
    assert trust("show", str(work / POLICY)).out == elsewhere.out


def test_a_path_where_nothing_waits_is_an_error_that_says_what_does(trust) -> None:
    done = trust("add", "--yes", "policy.toml")
    assert done.code == 2
    assert f"nothing waits for trust at policy.toml; what waits: {POLICY}" in done.err


@pytest.mark.parametrize("command", [("add", "--yes"), ("remove",)])
def test_inside_a_governed_call_nobody_gives_trust_or_takes_it(work: Path, tmp_path: Path, command) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "handrail", "trust", *command],
        cwd=work,
        env={**environment(tmp_path / "state"), "HANDRAIL": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "only a person gives trust or takes it back" in done.stderr
    assert not (tmp_path / "state" / "trust.json").exists()


def test_a_call_that_would_give_trust_is_denied_in_every_mode(work: Path, tmp_path: Path) -> None:
    call = neutral(("shell", {"command": "handrail trust add --yes"}))
    done = handrail("exec", "-", "--json", "--mode", "bypass", state=tmp_path / "state", cwd=work, stdin=call)
    assert done.call["decision"]["source"] == "check:self-approval"


def test_a_damaged_trust_file_is_told_and_not_written_over(trust, tmp_path: Path) -> None:
    trust("add", "--yes")
    (tmp_path / "state" / "trust.json").write_text("{")
    assert "trust.json is damaged" in trust("list").err
    done = trust("add", "--yes")
    assert done.code == 2
    assert "is damaged" in done.err
    assert (tmp_path / "state" / "trust.json").read_text() == "{"


@pytest.mark.parametrize(("typed", "said", "state"), [("y\n", "Trusted", "trusted"), ("\n", "Not trusted", "waiting")])
def test_a_person_is_asked_and_silence_is_no(trust, work: Path, tmp_path: Path, typed, said, state) -> None:
    with Terminal("trust", "add", env=environment(tmp_path / "state"), cwd=work) as terminal:
        assert 'command = "touch *"' in terminal.until(f"Trust exactly this content of {POLICY}? [y/N]: ")
        terminal.type(typed)
        code, screen = terminal.end()
    assert code == 0
    assert f"{said}: {POLICY}" in screen
    assert states(trust("list", "--json")) == {POLICY: state}


def test_what_changed_while_it_was_asked_about_is_not_trusted(trust, work: Path, tmp_path: Path) -> None:
    with Terminal("trust", "add", env=environment(tmp_path / "state"), cwd=work) as terminal:
        terminal.until("[y/N]: ")
        (work / POLICY).write_text(ALLOW.replace("touch", "rm"))
        terminal.type("y\n")
        terminal.end()
    assert states(trust("list", "--json")) == {POLICY: "changed"}
    assert json.loads((tmp_path / "state" / "trust.json").read_text())["version"] == 1

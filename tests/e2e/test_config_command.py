from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import Ran, handrail, neutral
from loaded import Loaded

WRITE = neutral(("write_file", {"file_path": "b.txt", "content": "x"}))
TOUCH = neutral(("shell", {"command": "touch made"}))
ALLOW_TOUCH = '[[rule]]\ncommand = "touch *"\ndecision = "allow"\n'


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A workspace; beside it lie the user's settings."""
    (tmp_path / "config").mkdir(mode=0o700)
    (tmp_path / "work" / ".handrail").mkdir(parents=True)
    return tmp_path / "work"


@pytest.fixture
def run(tmp_path: Path, work: Path, loaded: Loaded):
    def run(*arguments: str, stdin: str = "") -> Ran:
        return loaded.handrail(*arguments, "-C", str(work), state=tmp_path / "state", stdin=stdin)

    return run


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o600)
    return path


def test_every_setting_is_shown_with_its_origin(run, work: Path) -> None:
    user = write(work.parent / "config" / "config.toml", 'model = "m"\nmode = "accept-edits"\n')
    write(work / ".handrail" / "config.toml", 'mode = "plan"\n')
    done = run("config", "show", "--origin")
    assert done.code == 0
    assert done.err == ""
    lines = [line.split() for line in done.out.splitlines()]
    assert ["mode", "plan", ".handrail/config.toml:1"] in lines
    assert ["in", "the", "place", "of", "accept-edits", f"({user}:2)"] in lines
    assert ["model", "m", f"{user}:1"] in lines
    assert ["at_once", "10", "default"] in lines
    assert run("config", "show").out.splitlines()[0].split() == ["mode", "plan"]


def test_programs_read_the_same_as_json(run, work: Path) -> None:
    user = write(work.parent / "config" / "config.toml", f'add_dirs = ["{work.parent}"]\n')
    write(work / ".handrail" / "config.toml", 'mode = "bypass"\ncolour = 1\n')
    write(work / ".handrail" / "policy.toml", ALLOW_TOUCH)
    report = run("config", "show", "--json").report
    assert list(report) == ["version", "workspace", "settings", "policies", "waiting", "problems"]
    settings = {setting["name"]: setting for setting in report["settings"]}
    folders = [str(work.parent)]
    assert settings["add_dirs"]["value"] == folders
    assert settings["add_dirs"]["origins"][-1] == {"value": folders, "layer": "user", "name": str(user), "line": 1}
    assert settings["mode"]["value"] == "default"
    assert settings["mode"]["kept_out"][0]["reason"] == "nobody trusted the file yet"
    assert report["policies"] == [{"layer": "project", "name": ".handrail/policy.toml", "rules": 0, "kept_out": 1}]
    assert [waiting["path"] for waiting in report["waiting"]] == [".handrail/config.toml", ".handrail/policy.toml"]
    assert report["problems"][0].startswith('.handrail/config.toml:2: unknown setting "colour"')


def test_the_files_are_named_whether_they_are_there_or_not(run, work: Path) -> None:
    write(work / ".handrail" / "policy.local.toml", "")
    lines = [line.split() for line in run("config", "path").out.splitlines()]
    assert [layer for layer, _, _ in lines] == ["system", "user", "project", "local"] * 2
    assert lines[0] == ["system", "absent", "/etc/handrail/config.toml"]
    assert ["user", "absent", str(work.parent / "config" / "policy.toml")] in lines
    assert ["local", "there", str(work / ".handrail" / "policy.local.toml")] in lines


def test_a_problem_is_told_beside_the_output(run, work: Path) -> None:
    write(work.parent / "config" / "config.toml", "at_once = 0\n")
    done = run("config", "show")
    assert done.code == 0
    assert "config.toml:1: at_once = 0 is not a whole number from 1 to 1000" in done.err


def test_what_a_file_says_reaches_the_terminal_as_text_only(run, work: Path) -> None:
    write(work / ".handrail" / "config.toml", '"a\\u001b[2Jb" = 1\nmodel = "\\u001b]0;x\\u0007"\n')
    done = run("config", "show", "--origin")
    assert "\x1b" not in done.out + done.err
    assert "\x07" not in done.out + done.err


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    done = handrail("config", "show", "-C", str(tmp_path / "gone"), state=tmp_path / "state")
    assert done.code == 2
    assert "is not a folder" in done.err


def test_exec_goes_by_the_users_settings_and_a_flag_wins(run, work: Path) -> None:
    write(work.parent / "config" / "config.toml", 'mode = "accept-edits"\n')
    assert run("exec", "-", "--json", stdin=WRITE).call["state"] == "completed"
    refused = run("exec", "-", "--json", "--mode", "default", stdin=WRITE.replace("b.txt", "c.txt")).call
    assert refused["decision"]["source"] == "mode:default"
    assert refused["state"] == "rejected"


def test_exec_goes_by_the_users_policy(run, work: Path) -> None:
    policy = write(work.parent / "config" / "policy.toml", ALLOW_TOUCH)
    call = run("exec", "-", "--json", stdin=TOUCH).call
    assert call["decision"]["source"] == f"rule:{policy}:1"
    assert (work / "made").exists()


def test_exec_says_what_waits_for_trust_and_works_without_it(run, work: Path) -> None:
    write(work / ".handrail" / "policy.toml", ALLOW_TOUCH)
    done = run("exec", "-", "--json", stdin=TOUCH)
    assert done.code == 0
    assert done.call["state"] == "rejected"
    *untrusted, denied = done.err.splitlines()
    assert untrusted == [
        "handrail: .handrail/policy.toml came with the workspace and waits for your trust; without effect yet:",
        'handrail:   line 1: command = "touch *", decision = "allow"',
        f"handrail: to see it: handrail trust show -C {work}; to accept it: handrail trust add -C {work}",
    ]
    assert denied.startswith("handrail: 1 call was denied, since nobody could be asked: ")


def test_a_broken_settings_file_lets_nothing_through(run, work: Path) -> None:
    write(work.parent / "config" / "config.toml", "mode = \n")
    done = run("exec", "-", "--json", stdin=neutral(("list_directory", {})))
    assert done.call["decision"]["outcome"] == "deny"
    assert "config.toml:1: not valid TOML" in done.err
    assert json.loads(run("tools", "--json").out)["tools"] == []


def test_tools_go_by_the_settings_of_a_folder(run, work: Path) -> None:
    write(work / ".handrail" / "config.toml", 'mode = "plan"\n')
    names = [tool["name"] for tool in json.loads(run("tools", "--json").out)["tools"]]
    assert "write_file" not in names
    names = [tool["name"] for tool in json.loads(run("tools", "--json", "--mode", "default").out)["tools"]]
    assert "write_file" in names


@pytest.mark.parametrize("path", ["config/config.toml", "config/deep/er.toml", "named.toml"])
def test_a_write_to_settings_outside_the_workspace_is_asked_about_in_every_mode(run, work: Path, path: str) -> None:
    named = write(work.parent / "named.toml", "")
    (work.parent / "config" / "deep").mkdir()
    call = neutral(("write_file", {"file_path": str(work.parent / path), "content": "x"}))
    done = run("exec", "-", "--json", "--mode", "bypass", "--policy", str(named), stdin=call)
    assert done.call["decision"]["source"] == "check:protected-path"
    assert done.call["state"] == "rejected"

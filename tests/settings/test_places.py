from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from handrail.errors import UsageError
from handrail.settings.places import folders, journal_file, state_folder


@pytest.fixture
def named(tmp_path, monkeypatch):
    folder = tmp_path / "deep" / "state"
    monkeypatch.setenv("HANDRAIL_STATE", str(folder))
    return folder


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_the_state_folder_is_made_for_its_owner_alone(named):
    assert state_folder() == named
    assert mode(named) == 0o700
    assert state_folder() == named


def test_without_the_variable_the_platform_says_where(monkeypatch, tmp_path):
    monkeypatch.delenv("HANDRAIL_STATE", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert state_folder() == tmp_path / "handrail"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere platformdirs says where")
def test_what_lies_in_the_current_folder_is_never_the_persons_own(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", "work")
    with pytest.raises(UsageError, match="nobody knows where your home folder is"):
        folders({})
    named = {"HANDRAIL_STATE": str(tmp_path), "HANDRAIL_CONFIG": str(tmp_path)}
    assert folders(named).user == tmp_path


def test_an_empty_variable_says_nothing(monkeypatch, tmp_path):
    monkeypatch.setenv("HANDRAIL_STATE", "")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert state_folder() == tmp_path / "handrail"


def test_a_home_and_a_relative_folder_become_absolute(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HANDRAIL_STATE", "~/here")
    assert state_folder() == tmp_path / "here"
    monkeypatch.setenv("HANDRAIL_STATE", "there")
    assert state_folder() == tmp_path / "there"


@pytest.mark.parametrize("bits", [0o770, 0o707, 0o722, 0o1777], ids=oct)
def test_a_folder_that_others_can_write_is_refused(named, bits):
    named.mkdir(parents=True)
    named.chmod(bits)
    with pytest.raises(UsageError, match=r"can be written by others \(mode .*\); run: chmod 700 '.*state'"):
        state_folder()


def test_a_folder_that_others_can_only_read_is_taken(named):
    named.mkdir(parents=True)
    named.chmod(0o755)
    assert state_folder() == named


def test_a_folder_of_somebody_else_is_refused(named, monkeypatch):
    if os.geteuid() == 0:
        named.mkdir(parents=True)
        os.chown(named, 65534, 65534)
    else:
        monkeypatch.setenv("HANDRAIL_STATE", "/")
    with pytest.raises(UsageError, match=r"belongs to another user \(uid \d+\); set HANDRAIL_STATE"):
        state_folder()


def test_a_file_in_its_place_is_named(named):
    named.parent.mkdir()
    named.write_text("")
    with pytest.raises(UsageError, match=r"state can't be used: File exists; set HANDRAIL_STATE"):
        state_folder()


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("project", "project-"),
        ("my project (2)", "my-project-2-"),
        ("прект", "workspace-"),
        (".hidden", "hidden-"),
        ("x" * 200, "x" * 40 + "-"),
    ],
)
def test_a_journal_is_named_for_people(tmp_path, name, stem):
    file = journal_file(Path("/state"), tmp_path / name)
    assert file.parent == Path("/state")
    assert file.name.startswith(stem)
    assert file.suffix == ".sqlite"


def test_two_workspaces_of_one_name_have_two_journals(tmp_path):
    assert journal_file(Path("/s"), tmp_path / "a" / "src") != journal_file(Path("/s"), tmp_path / "b" / "src")


def test_a_workspace_has_one_journal_by_whatever_way_it_is_reached(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    assert journal_file(Path("/s"), link) == journal_file(Path("/s"), real / ".." / "real")

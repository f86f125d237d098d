"""Which ripgrep is run: the user's own where it is new enough, else the one that came along."""

from __future__ import annotations

import os
import shlex
import sysconfig
from pathlib import Path

import pytest
from search_harness import Noting, make
from tool_harness import Bench

from handrail.tools.glob import Glob

OWN = Path(sysconfig.get_path("scripts"), "rg")


def installed(folder: Path, says: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An `rg` on PATH that names a version, and otherwise does what ours does."""
    own = shlex.quote(os.fspath(OWN))
    make(folder, {"rg": f'#!/bin/sh\nif [ "$1" = --version ]; then {says}; else exec {own} "$@"; fi\n'})
    (folder / "rg").chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join([str(folder), "/usr/bin", "/bin"]))
    return folder / "rg"


@pytest.mark.parametrize(
    ("says", "is_used"),
    [
        ("echo ripgrep 14.0.0", True),
        ("echo 'ripgrep 15.1.0 (rev 0123456789)'", True),
        ("echo ripgrep 13.0.0", False),
        ("echo ripgrep 9.11.3", False),
        ("echo rg 20.0", False),
        ("exit 3", False),
    ],
)
async def test_the_users_own_is_used_where_it_is_new_enough(
    says: str, is_used: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, {"ws/a.py": ""})
    program = installed(tmp_path / "bin", says, monkeypatch)
    launcher = Noting()
    result = await Bench(tmp_path / "ws", launcher=launcher).run(Glob(), pattern="*.py")
    assert result.text == "a.py"
    assert launcher.specs[-1].argv[0] == str(program if is_used else OWN)


async def test_a_version_is_asked_for_once_and_again_for_another_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, {"ws/a.py": ""})
    launcher, tool = Noting(), Glob()
    bench = Bench(tmp_path / "ws", launcher=launcher)
    program = installed(tmp_path / "bin", "echo ripgrep 14.0.0", monkeypatch)
    for _ in range(3):
        await bench.run(tool, pattern="*.py")
    installed(tmp_path / "bin", "echo ripgrep 8.0.0 of old", monkeypatch)
    await bench.run(tool, pattern="*.py")
    asked = [spec.argv for spec in launcher.specs if spec.argv[1:] == ("--version",)]
    assert asked == [(str(program), "--version")] * 2
    assert launcher.specs[-1].argv[0] == str(OWN)

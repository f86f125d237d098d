"""Who came from a child, whatever happens while it is looked for them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from handrail.sandbox import processes
from handrail.sandbox.marks import MARKER, Mark
from handrail.sandbox.processes import Family, end, ticks

FORKS_AND_ENDS = {
    "in a session of its own": "(setsid sleep 1000 >/dev/null 2>&1 & echo $! >pid)",
    "as daemons do": "(setsid bash -c '(sleep 1000 & echo $! >pid) >/dev/null 2>&1' &)",
}


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is listed")
@pytest.mark.parametrize("forks", FORKS_AND_ENDS.values(), ids=FORKS_AND_ENDS)
def test_what_is_forked_while_it_is_looked_by_one_that_then_ends_is_found(
    forks: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, listed = ticks(), os.listdir
    with Mark() as mark:
        root = subprocess.Popen(
            ["bash", "-c", f"until [ -e go ]; do sleep 0.01; done; {forks}; until [ -s pid ]; do sleep 0.01; done"],
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"], MARKER: mark.value},
            pass_fds=mark.handles,
            start_new_session=True,
        )
        family = Family(root.pid, mark, before)

        def list_and_let_go(path: str) -> list[str]:
            names = listed(path)
            (tmp_path / "go").touch()
            root.wait()
            return names

        monkeypatch.setattr(processes.os, "listdir", list_and_let_go)
        living = family.living()
        end(living, force=True)
    assert [process.pid for process in living] == [int((tmp_path / "pid").read_text())]


def test_of_a_family_that_has_ended_nobody_is_found(tmp_path: Path) -> None:
    before = ticks()
    with Mark() as mark, subprocess.Popen(["true"], cwd=tmp_path, start_new_session=True) as root:
        root.wait()
        assert Family(root.pid, mark, before).living() == []

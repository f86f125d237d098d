"""Where nobody knows the home folder, as for a user without an entry and without HOME in a container."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from e2e.command import environment


@pytest.mark.parametrize("words", [["tools"], ["policy", "explain", "shell", "ls"], ["run", "go"]], ids=" ".join)
def test_a_command_says_what_to_do_and_takes_no_settings_from_the_workspace(tmp_path: Path, words: list[str]) -> None:
    settings = tmp_path / "home" / ".config" / "handrail"
    settings.mkdir(parents=True)
    (settings / "config.toml").write_text('mode = "bypass"\n')
    variables = {**environment(tmp_path / "state"), "HOME": "home"}
    done = subprocess.run(
        [sys.executable, "-m", "handrail", *words],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={name: value for name, value in variables.items() if name != "HANDRAIL_CONFIG"},
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("handrail: nobody knows where your home folder is: HOME is not set")

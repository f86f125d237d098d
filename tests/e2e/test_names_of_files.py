"""Names of files where the environment says that they are no UTF-8."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from e2e.command import environment

ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def checked(folder: Path, **variables: str) -> tuple[str, str]:
    """The decision about reading `é.txt`, and what is said beside it."""
    (folder / "work").mkdir()
    (folder / "work" / "é.txt").write_text("x")
    done = subprocess.run(
        [sys.executable, "-m", "handrail", "policy", "check", "--json"],
        input=json.dumps({"tool": "read_file", "arguments": {"file_path": "é.txt"}}).encode(),
        capture_output=True,
        cwd=folder / "work",
        env={**environment(folder / "state"), **variables},
        timeout=60,
        check=True,
    )
    return json.loads(done.stdout)["decision"], done.stderr.decode()


def test_a_name_that_is_not_ascii_lies_in_the_workspace(tmp_path: Path) -> None:
    assert checked(tmp_path) == ("allow", "")


def test_where_it_can_not_be_looked_at_the_cause_is_said(tmp_path: Path) -> None:
    decision, said = checked(tmp_path, **ASCII)
    assert decision == "ask"
    assert said.startswith("handrail: file names are ascii in this environment")
    assert "set LC_ALL=C.UTF-8" in said

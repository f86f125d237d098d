"""Runs the `handrail` command as a person or a program would: a child process, its own state and settings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def reports(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def report(self) -> dict[str, Any]:
        (only,) = self.reports
        return only

    @property
    def call(self) -> dict[str, Any]:
        (only,) = self.report["calls"]
        return only


def environment(state: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HANDRAIL")}
    config = state.with_name("config")
    home = state.with_name("home")  # whoever runs the tests may have skills there
    return {**kept, "HOME": str(home), "HANDRAIL_STATE": str(state), "HANDRAIL_CONFIG": str(config), "NO_COLOR": "1"}


def handrail(*arguments: str, state: Path, stdin: str = "", cwd: Path | None = None) -> Ran:
    """One run without a terminal: its own session, so that there is no controlling one either."""
    done = subprocess.run(
        [sys.executable, "-m", "handrail", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        cwd=cwd,
        env=environment(state),
        start_new_session=True,
        timeout=60,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def neutral(*calls: tuple[str, dict[str, Any]]) -> str:
    return json.dumps(
        {"calls": [{"id": f"c{i}", "name": name, "arguments": arguments} for i, (name, arguments) in enumerate(calls)]}
    )

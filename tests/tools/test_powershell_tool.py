"""The PowerShell tool, by a program of that name that tells how it was started: there is no real one to test with."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tool_harness import Bench

from handrail.contract.context import Environment
from handrail.contract.effects import Claims
from handrail.tools.powershell import PowerShell

HANG = 60
FAKE = """#!/bin/sh
for word in "$@"; do printf '<%s>\\n' "$word"; done
pwd -P
exit 3
"""


@pytest.fixture
def pwsh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "pwsh").write_text(FAKE)
    (programs / "pwsh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    (tmp_path / "ws").mkdir()
    return tmp_path / "ws"


async def test_the_script_is_one_argument_behind_options_that_keep_it_quiet(pwsh: Path) -> None:
    script = "Get-Item 'a b'; \"$x\"\nWrite-Output 1"
    async with asyncio.timeout(HANG):
        result = await Bench(pwsh).run(PowerShell(), command=script)
    assert result.text == (
        "<-NoLogo>\n<-NoProfile>\n<-NonInteractive>\n<-Command>\n"
        f"<[Console]::OutputEncoding = [Text.Encoding]::UTF8; {script}>\n{pwsh.resolve()}\nExit code: 3"
    )


@pytest.mark.parametrize(
    ("programs", "enabled"), [({"pwsh"}, True), ({"powershell"}, True), ({"bash"}, False), (set(), False)]
)
def test_the_tool_is_offered_where_there_is_a_powershell(programs: set[str], enabled: bool) -> None:
    environment = Environment("win32", lambda name: Path("/bin", name) if name in programs else None)
    assert PowerShell().enabled(environment) is enabled


def test_a_script_is_judged_as_powershell() -> None:
    assert PowerShell().bind({"command": "ls"}).claims() == Claims(shell="ls", dialect="powershell")

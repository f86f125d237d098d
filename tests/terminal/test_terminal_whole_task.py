"""A whole task in the terminal, with servers of each wire on which each response goes wrong once before it comes."""

from __future__ import annotations

from pathlib import Path

import pytest
from screen import Screen
from test_terminal_command import CTRL_D, KEYS, MODELS

from e2e.command import environment
from handrail.wire import Wire
from servers.provider_server import DIALECTS
from servers.whole_task import LAST, TASK, TESTS, TaskServer, all_in_one_task, is_mended, project


@pytest.mark.parametrize("wire", MODELS)
def test_find_read_edit_test_repair_confirm(tmp_path: Path, wire: Wire) -> None:
    work = tmp_path / "work"
    work.mkdir()
    project(work)
    name, key, address, path = MODELS[wire]
    with TaskServer(DIALECTS[wire](), all_in_one_task()) as server:
        env = {**environment(tmp_path / "state"), "TERM": "xterm-256color", key: "none", address: server.url + path}
        with Screen("-m", "handrail", "--model", name, env=env, cwd=work) as screen:
            screen.until("default   ")
            screen.type(f"{TASK}\r")
            for asked in ("+    return day * 51", f"  $ {TESTS}", "+    return day * 50"):
                screen.until(asked)
                screen.until(KEYS)
                screen.type("1" if asked.endswith(TESTS) else "y")
                screen.until_gone(KEYS)
            screen.until(LAST)
            screen.type(CTRL_D)
            assert screen.end() == 0
    assert server.wrong == []
    assert is_mended(work)

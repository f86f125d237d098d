"""A whole task by `handrail run`, with servers of each wire on which each response goes wrong once before it comes."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_run import MODELS

from e2e.command import handrail
from handrail.wire import Wire
from servers.provider_server import DIALECTS
from servers.whole_task import LAST, TASK, TESTS, TaskServer, all_in_one_task, is_mended, project


@pytest.mark.parametrize("wire", MODELS)
def test_find_read_edit_test_repair_confirm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wire: Wire) -> None:
    work = tmp_path / "work"
    work.mkdir()
    project(work)
    name, key, address, path = MODELS[wire]
    with TaskServer(DIALECTS[wire](), all_in_one_task()) as server:
        monkeypatch.setenv(key, "none")
        monkeypatch.setenv(address, server.url + path)
        done = handrail("run", TASK, "--model", name, "--json", "--approve", "all", state=tmp_path / "state", cwd=work)
    assert server.wrong == []
    assert (done.code, done.report["ended"], done.report["text"]) == (0, "done", LAST), done.err
    assert is_mended(work)
    commands = [call["state"] for call in done.report["calls"] if call["summary"].startswith(TESTS)]
    assert commands == ["completed", "completed"]

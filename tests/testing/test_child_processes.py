from __future__ import annotations

import subprocess
import threading

import pytest

from handrail.testing.conforming import processes
from handrail.testing.conforming.processes import children


@pytest.mark.skipif(not processes.SEEN, reason="only Linux tells them")
@pytest.mark.parametrize("told", [True, False], ids=["the system tells them", "they are looked for"])
def test_children_are_found_whichever_thread_started_them(told: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_TOLD", told and processes._TOLD)
    before = children()
    started = [subprocess.Popen(["sleep", "60"])]
    thread = threading.Thread(target=lambda: started.append(subprocess.Popen(["sleep", "60"])))
    thread.start()
    thread.join()
    try:
        assert {child.pid for child in children() - before} == {child.pid for child in started}
    finally:
        for child in started:
            child.kill()
            child.wait()
    assert children() == before

"""A tool that is loaded with its first call."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from call_harness import opened, settled
from handrail.catalog.later import LaterTool
from handrail.contract.calls import Completed

PAGE = """
import threading
from handrail.testing import FakeTool

LOADED_BY = threading.current_thread()

class Page(FakeTool):
    def __init__(self):
        super().__init__("page")
"""


async def test_it_is_loaded_by_its_first_call_and_beside_the_event_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "page_of_a_tool.py").write_text(PAGE, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    tool = LaterTool("page_of_a_tool:Page", {"name": "page", "description": "Does it."}, {"type": "object"})
    async with opened(tmp_path, tool) as session:
        session.menu()
        assert "page_of_a_tool" not in sys.modules
        assert isinstance(await settled(session, "page"), Completed)
    assert sys.modules["page_of_a_tool"].LOADED_BY is not threading.current_thread()

"""The share of a context that servers' tools may take is one of the context that the model has."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from mcp_world import PLAIN_SERVER, ready, tool

from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.settings.load import load_settings
from handrail.testing import MemoryJournal

LARGE = [tool(f"t{number}", description="x" * 5_000) for number in range(10)]
"""About 50,000 characters, which are a tenth of 125,000 tokens."""


@pytest.mark.parametrize(("window", "shown"), [(0, True), (8_000, False), (120_000, False), (140_000, True)])
async def test_what_a_small_model_is_spared_a_large_one_sees(tmp_path: Path, window: int, shown: bool) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"tools": LARGE}))
    (tmp_path / "config").mkdir()
    server = f'[mcp.servers.s]\ncommand = "{sys.executable}"\nargs = ["-S", "{PLAIN_SERVER}", "{script}"]\n'
    (tmp_path / "config" / "config.toml").write_text(server)
    work = tmp_path / "work"
    work.mkdir()
    settings = load_settings(work, {"HANDRAIL_CONFIG": str(tmp_path / "config"), "HOME": str(tmp_path)})
    parts = Parts(journal=MemoryJournal(), window=window)
    async with Session.open(work, settings=settings, parts=parts) as session:
        await ready(session, "s")
        there = [each.name for each in session.menu().tools if each.tool.server]
        assert len(there) == (len(LARGE) if shown else 0)

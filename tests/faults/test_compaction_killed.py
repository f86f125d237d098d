"""A compaction whose process dies leaves the conversation as it was, or made shorter: never some of both."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import compactings
import pytest
from compactings import SUMMARY, TALK

from handrail.agent.agent import open_agent
from handrail.agent.scripted import Say, ScriptedModel
from handrail.session import Session
from handrail.settings.places import STATE_VARIABLE

WHOLE = [word for pair in TALK for word in pair]


async def heard(place: Path) -> list[str]:
    """The conversation that a model gets when the session is taken up: one word for each message."""
    model = ScriptedModel([Say("On.")])
    id = (place / "session.txt").read_text()
    async with Session.open(place, session=id) as session, open_agent(session, model) as agent:
        async for _ in agent.send("Go on."):
            pass
    words = re.findall(rf"(?:asks|says)\d|{SUMMARY}", str(model.seen[0]))
    return [word for word, _ in groupby(words)]


def test_a_compaction_that_is_killed_at_any_of_its_writes_leaves_every_entry_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run([sys.executable, compactings.__file__, str(tmp_path)], check=True)
    found: dict[str, list[str]] = {}
    for place in sorted(tmp_path.iterdir()):
        monkeypatch.setenv(STATE_VARIABLE, str(place / "state"))
        found[place.name] = asyncio.run(heard(place))
    shorter = [place for place, words in found.items() if words[0] == SUMMARY]
    assert [place for place in found if place not in shorter and found[place] != WHOLE] == []
    assert [place for place in shorter if found[place][1:] != WHOLE[1 - len(found[place]) :]] == []
    assert "before-1" not in shorter, "nothing was written"
    assert "after-1" in shorter, "one write is all"

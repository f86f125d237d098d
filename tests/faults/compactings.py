"""Lives that end in a compaction: each process is killed at another of the writes that keep it.

As a program it plays them in folders below its argument's, named by the moment and its number, until one comes to its
end; that one's folder is `whole`.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from itertools import count
from pathlib import Path
from unittest.mock import patch

from moments import AFTER_COMMIT, BEFORE_COMMIT, DEATH, Moments

from handrail.agent.agent import open_agent
from handrail.agent.scripted import Say, ScriptedModel
from handrail.runtime import journal
from handrail.session import Session
from handrail.settings.places import STATE_VARIABLE

SUMMARY = "SUMMARY"
TALK = [(f"asks{number}", f"says{number}") for number in range(6)]
"""What is said, each with words of its own, and of one length."""

LONGEST_LIFE = 60
"""Seconds after which one that hangs is ended."""


class FromTheCompaction(Moments):
    """Counts none before it."""

    counting = False

    def comes(self, kind: str) -> None:
        if self.counting:
            super().comes(kind)


async def live(workspace: Path, moments: FromTheCompaction) -> None:
    """A talk, and in the session that is taken up its compaction: nothing else is written then."""
    model = ScriptedModel([*(Say(f"{said} " * 100) for _, said in TALK), Say(SUMMARY)])
    async with Session.open(workspace) as session, open_agent(session, model) as agent:
        (workspace / "session.txt").write_text(session.id)
        for asked, _ in TALK:
            async for _ in agent.send(f"{asked} " * 100):
                pass
    async with Session.open(workspace, session=session.id) as session, open_agent(session, model) as agent:
        moments.counting = True
        await agent.compact()


def whole(place: Path, kind: str = "", at: int = 0) -> bool:
    """One life, in a process of its own; False where it was killed."""
    place.mkdir()
    child = os.fork()
    if child == 0:
        signal.alarm(LONGEST_LIFE)
        os.environ[STATE_VARIABLE] = str(place / "state")
        moments = FromTheCompaction(DEATH, kind, at)
        # Each of what stands in line is a transaction of its own, as the writer may come to it.
        with moments.watched(lambda _: None), patch.object(journal, "GROUP_LIMIT", 1):
            asyncio.run(live(place, moments))
        os._exit(0)  # what it raises ends it too, and is printed
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, -signal.SIGKILL), status
    return status == 0


def main(folder: Path) -> None:
    for kind, name in ((BEFORE_COMMIT, "before"), (AFTER_COMMIT, "after")):
        for at in count(1):
            if whole(folder / f"{name}-{at}", kind, at):
                break


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""What an agent worked on in a session, in short: kept with the session's values, for whoever lists sessions."""

from __future__ import annotations

import json

from handrail.contract.basics import Json
from handrail.contract.values import value
from handrail.runtime.stored import decoded

WORK = "work"
"""The name that it is kept under."""


@value
class SessionWork:
    """What was wanted, and how it stands."""

    task: str
    """The first words of what the user said first; exact, so it may hold a secret."""
    ended: str = ""
    """Why the last work came to its end, in the words of `agent.events.Ended`; empty while it goes on."""
    why: str = ""
    """For people: what stood in the way; empty when it is done."""
    money: float | None = None
    """US dollars that all of it has cost; None while nobody knows a price."""
    tokens: int = 0
    """Read and written, in all of it."""


def work_in(kept: Json) -> SessionWork | None:
    """None where no agent worked, or what is kept can't be read."""
    try:
        return None if kept is None else decoded(SessionWork, json.dumps(kept))
    except ValueError:
        return None

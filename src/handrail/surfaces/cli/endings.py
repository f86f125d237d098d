"""How an agent's work ended, in words for people."""

from __future__ import annotations

from collections.abc import Mapping

from handrail.agent.events import Ended

ENDINGS: Mapping[str, str] = {
    Ended.DONE: "done",
    Ended.PARKED: "waits",
    Ended.TURNS: "stopped at the limit of turns",
    Ended.TOKENS: "stopped at the limit of tokens",
    Ended.MONEY: "stopped at the limit of money",
    Ended.TIME: "stopped at the limit of time",
    Ended.HOOK: "stopped by a hook",
    Ended.INTERRUPTED: "interrupted",
    Ended.FAILED: "failed",
}


def in_dollars(money: float) -> str:
    """With as many places as say something of a small sum."""
    return f"${money:.{2 if money >= 0.1 else 4}f}"

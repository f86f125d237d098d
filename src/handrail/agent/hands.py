"""What the loop needs of whatever carries calls out: a session, or the call that a subagent works for."""

from __future__ import annotations

from typing import Protocol

from handrail.catalog import Menu
from handrail.runtime.support import AgentSupport
from handrail.runtime.turns import Turn
from handrail.wire import Wire


class Hands(Protocol):
    """Carries out the calls of one model's responses."""

    def menu(self, model: str = "") -> Menu:
        """The tools that this model may see now."""
        ...

    async def run(self, response: object, wire: Wire | None = None, *, turn: str = "") -> Turn:
        """As `Session.run`: returns when every call has its result, or rests."""
        ...

    async def resume(self, turn: Turn | str) -> Turn:
        """As `Session.resume`, of a turn in which a call rested."""
        ...

    async def cancel_turn(self, turn: Turn | str, reason: str = "", *, by_person: bool = False) -> bool:
        """As `Session.cancel_turn`."""
        ...


class Host(Hands, Protocol):
    """A session that an agent is opened in."""

    support: AgentSupport

    @property
    def has_left(self) -> bool:
        """As `Session.has_left`."""
        ...

    async def take_up(self) -> tuple[Turn, ...]:
        """As `Session.take_up`."""
        ...

    async def cancel_all(self, reason: str = "", *, by_person: bool = False) -> None:
        """As `Session.cancel_all`."""
        ...

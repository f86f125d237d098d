"""What the command line says of the servers, folders and commands that tools come from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from handrail.contract.events import Event, SourceChanged
from handrail.contract.provider import Condition, SourceStatus
from handrail.session import Session
from handrail.surfaces.cli import exits
from handrail.surfaces.cli.text import printable

_BAD = {
    Condition.FAILED: "gives no tools",
    Condition.NEEDS_LOGIN: "needs login",
}
"""What is worth a line. What waits for trust is told with all else that does."""


class SourceNotes:
    """Lines on stderr, each once."""

    def __init__(self, told: Iterable[str]) -> None:
        """`told` was said before, by whoever read the settings."""
        self._told = set(told)

    def follow(self, session: Session) -> None:
        """Tells how it stands now, and from then on what goes wrong, as it does."""
        session.subscribe(self._hear)
        for status in session.sources():
            self.tell(status)

    def tell(self, status: SourceStatus) -> None:
        for line in _lines(status):
            if line not in self._told:
                self._told.add(line)
                exits.told(printable(line))

    def _hear(self, event: Event) -> None:
        if isinstance(event, SourceChanged):
            self.tell(event.status)


def tell_starting(session: Session) -> None:
    """Before a model is asked for the first time: whose tools it is not told of yet."""
    starting = [status.name for status in session.sources() if status.condition is Condition.STARTING]
    if starting:
        exits.told(printable(f"still starting: {', '.join(starting)}; their tools come in a later turn of the model"))


def _lines(status: SourceStatus) -> Iterator[str]:
    if status.condition in _BAD and not (status.problems and status.condition is Condition.FAILED):
        yield f"{status.name} {_BAD[status.condition]}: {status.detail}"
    yield from status.problems

"""What a skin of the terminal needs of what stands behind it: what to show, and whom to tell what was typed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from handrail.surfaces.terminal.status import Status
from handrail.surfaces.terminal.steps import Result

if TYPE_CHECKING:
    from handrail.surfaces.terminal.dialog import Dialog


class Host(Protocol):
    """Never blocks: what takes time goes on behind it."""

    @property
    def busy(self) -> bool:
        """Something that was typed is being worked on."""
        ...

    def status(self) -> Status: ...

    def live(self, most: int) -> list[str]:
        """Lines that are drawn anew whenever something changed, `most` at the most."""
        ...

    def question(self) -> Dialog | None:
        """What waits for the person now."""
        ...

    def question_lines(self, dialog: Dialog) -> list[str]:
        """What is asked, for good. Whoever takes these lines shows them: it is the question until it is gone."""
        ...

    def answer(self, dialog: Dialog, result: Result) -> None: ...

    def submit(self, text: str) -> None:
        """A command, or something for the agent."""
        ...

    def interrupt(self) -> bool:
        """Stops what the agent is at. False when it is at nothing."""
        ...

    @property
    def queued(self) -> Sequence[str]:
        """What was typed while the agent works, and waits until it takes it, or has finished."""
        ...

    def take_back(self, most: int) -> Sequence[str]:
        """The last of what is queued, which is no longer sent: `most` at the most."""
        ...

    def next_mode(self) -> None: ...

    def unfold(self) -> None:
        """Shows more of the live output, or all of the calls that ended last."""
        ...

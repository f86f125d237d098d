"""Plan mode, as the tools that enter and leave it see it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

PLAN_FOLDER = ".handrail/plans"
"""Below the workspace: a file for each session. Plans decide nothing that runs, so this folder is not protected."""


class PlanMode(Protocol):
    """The session's mode, as far as planning goes. A change holds for every call that has not started yet."""

    @property
    def is_on(self) -> bool: ...

    @property
    def file(self) -> str:
        """The session's plan, relative to the workspace: the one file that may be written while the mode is on."""
        ...

    @property
    def next_modes(self) -> Sequence[str]:
        """What a person may choose to go on in; a plain yes means the first."""
        ...

    def enter(self) -> None:
        """Nothing happens where it is on."""
        ...

    def leave(self, mode: str) -> None:
        """Goes on in one of the `next_modes`. Raises ToolFailed for any other."""
        ...

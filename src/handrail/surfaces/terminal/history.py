"""What was typed at earlier times, kept for the arrow keys: below the state folder, for this user alone."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from prompt_toolkit.history import FileHistory

from handrail.surfaces.terminal.pastes import Pastes

NAME = "prompt_history"


class PromptHistory(FileHistory):
    """Long pastes are not kept: what stands for them means nothing in another terminal."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        super().__init__(str(self._path))

    def load_history_strings(self) -> Iterable[str]:
        """None where the file can't be read: nobody needs them to work."""
        try:
            return list(super().load_history_strings())
        except OSError:
            return []

    def store_string(self, string: str) -> None:
        if not Pastes.are_in(string):
            with suppress(OSError):  # what can't be kept is no reason not to send it
                os.close(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
                super().store_string(string)

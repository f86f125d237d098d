"""What was typed at earlier times, kept for the arrow keys: below the state folder, for this user alone."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Iterable
from contextlib import suppress
from pathlib import Path

from prompt_toolkit.history import FileHistory

from handrail.settings.private_files import replace
from handrail.surfaces.terminal.pastes import Pastes

NAME = "prompt_history"
MOST_BYTES = 1_000_000
"""Of the file; of a larger one the last half of that is kept, some thousands of messages."""

_BEGINS = b"\n# "
"""How each message begins in the file: a line with its time. Lines of messages begin with a plus sign."""


class PromptHistory(FileHistory):
    """Long pastes are not kept: what stands for them means nothing in another terminal."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        super().__init__(str(self._path))

    async def load(self) -> AsyncGenerator[str, None]:
        """The latest first. The file is read beside the loop; it may have what is typed meanwhile, or not."""
        if not self._loaded:
            kept = list(await asyncio.to_thread(self.load_history_strings))
            typed = len(self._loaded_strings)
            self._loaded_strings += kept[typed:] if kept[:typed] == self._loaded_strings else kept
            self._loaded = True
        for string in self._loaded_strings:
            yield string

    def load_history_strings(self) -> Iterable[str]:
        """None where the file can't be read: nobody needs them to work."""
        with suppress(OSError):
            _bound(Path(os.path.realpath(self._path)))
        try:
            return list(super().load_history_strings())
        except OSError:
            return []

    def store_string(self, string: str) -> None:
        if not Pastes.are_in(string):
            with suppress(OSError):  # what can't be kept is no reason not to send it
                os.close(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
                super().store_string(string)


def _bound(file: Path) -> None:
    """Takes the oldest messages out of a file that has grown too large. Raises OSError."""
    if file.is_file() and file.stat().st_size > MOST_BYTES:
        with file.open("rb") as opened:
            opened.seek(-MOST_BYTES // 2, os.SEEK_END)
            kept = opened.read()
        replace(file, kept[max(kept.find(_BEGINS), 0) :])

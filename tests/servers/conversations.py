"""A server that plays a script for each conversation: an agent's, and those of the agents that it gives tasks to."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from servers.dialect import Dialect
from servers.provider_server import ProviderServer
from servers.script import Turn, Use


class ConversationsServer(ProviderServer):
    """Goes by a word of the first message, which one key of `scripts` is."""

    def __init__(self, dialect: Dialect, scripts: Mapping[str, Sequence[Turn]]) -> None:
        super().__init__(dialect, ())
        self._one = threading.Lock()
        self._scripts: dict[str, list[Turn]] = {}
        for word, script in scripts.items():
            self.plays(word, script)

    def plays(self, word: str, script: Sequence[Turn]) -> None:
        """From now on, in the conversation of this word: as far as it has come, the turns must be those it had."""
        self._scripts[word] = _numbered(word, script)

    def turn_for(self, body: Any) -> Turn | str:
        first = json.dumps(self.dialect.messages(body)[0])
        script = next(script for word, script in self._scripts.items() if word in first)
        with self._one:
            self.script, self._sent = script, [self.dialect.model_step(turn) for turn in script]
            return super().turn_for(body)


def _numbered(word: str, script: Sequence[Turn]) -> list[Turn]:
    """With ids that no other conversation has."""
    return [
        Turn(
            turn.text,
            tuple(Use(use.name, use.arguments, f"{word}{t}_call{c}") for c, use in enumerate(turn.uses, 1)),
            turn.thinking,
            f"{word}{t}",
        )
        for t, turn in enumerate(script, 1)
    ]

"""The context of the model that answers: who shares it follows when another model does."""

from __future__ import annotations

from collections.abc import Callable


class Window:
    """Tokens that a session's main model may be given."""

    def __init__(self, given: int = 0) -> None:
        """`given` is what the session's opener says; 0: not known."""
        self.tokens = given
        """0 where nobody knows."""
        self._given = given
        self._followers: list[Callable[[int], None]] = []

    def follow(self, follower: Callable[[int], None]) -> None:
        """It is told how many there are, now and whenever there are others."""
        self._followers.append(follower)
        follower(self.tokens)

    def become(self, tokens: int) -> None:
        """Another model answers, of which 0 says that nobody knows: then what was given holds."""
        if (now := tokens or self._given) != self.tokens:
            self.tokens = now
            for follower in self._followers:
                follower(now)

"""A request that a server answered with an error."""

from __future__ import annotations

from handrail.errors import ToolFailed


class Refused(ToolFailed):
    """In words for people, of which the server's are a part. A model is given `whole`, marked as any result is."""

    def __init__(self, why: str, said: str) -> None:
        """`said` is all that it says, where `why` has a part of it."""
        super().__init__(why)
        self.whole = f"{why} It says: {said}" if said else why

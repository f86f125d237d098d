"""What a call keeps of its output where a result has no room for it."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from handrail.contract.values import value


@value
class Kept:
    """What there is of a call's output in its file."""

    path: Path | None
    """None where nothing is kept."""
    size: int = 0
    """Bytes in the file."""
    dropped: int = 0
    """Bytes that came when the file was full."""
    why_not: str = ""
    """What the file system said when nothing more could be kept."""

    @property
    def whole(self) -> bool:
        return self.path is not None and not self.dropped and not self.why_not

    @property
    def in_words(self) -> str:
        """A clause for a note: where to look, or what to do where there is nothing to look at."""
        if self.whole:
            return f"the whole is in {self.path}, for the tools that read and search files"
        if self.path is not None and self.size:
            return f"the first {self.size:,} bytes are in {self.path}, for the tools that read and search files"
        because = f"it could not be kept in a file ({self.why_not}): " if self.why_not else ""
        return f"{because}ask for a smaller part"


class Spill(Protocol):
    """Keeps what a result has no room for in a file of the session, which `read_file` and `grep` may read unasked.

    One file for each call, made by the first `add`, of bounded size. It goes away with the session, and where
    an after-hook withholds or changes the call's result.
    """

    async def add(self, data: bytes) -> None:
        """Appends. What does not fit, or can't be written, is counted in `kept`, not raised."""
        ...

    @property
    def kept(self) -> Kept: ...

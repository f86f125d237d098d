"""Opens settings and policy files of one workspace, each with the doubt that lies on it."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path

from handrail.contract.values import value
from handrail.settings.origin import Doubt, Origin
from handrail.settings.reading import MAX_BYTES, read_in_workspace, read_own
from handrail.settings.trust import TrustBook, TrustKey, TrustKind, TrustStore


@value
class Place:
    """Where a file may lie."""

    path: Path
    origin: Origin
    """Its layer, and the file as people should see it named."""


@value
class Opened:
    """A file that is there."""

    place: Place
    text: str
    doubt: Doubt | None = None
    why: str = ""
    """Whoever else can write it, and what to do about that."""
    trust: TrustKey | None = None
    """What a yes to this content would be kept as; None outside the workspace."""


class Opener:
    """Reads the trust file once, and only when something lies in the workspace that could need it."""

    def __init__(self, workspace: Path, state: Path) -> None:
        self.workspace = workspace
        self._real = os.path.realpath(workspace)
        self.state = state

    @cached_property
    def book(self) -> TrustBook:
        return TrustStore(self.state).read()

    def open(self, place: Place, kind: TrustKind, most: int = MAX_BYTES) -> Opened | None:
        """None where there is no such file; `most` are the bytes that one of the person's own may have.

        Raises Unreadable.
        """
        if place.origin.layer.is_of_workspace:
            return self._open_in_workspace(place, kind)
        found = read_own(place.path, most)
        if found is None:
            return None
        return Opened(place, found.text, Doubt.WRITABLE if found.doubt else None, found.doubt)

    def _open_in_workspace(self, place: Place, kind: TrustKind) -> Opened | None:
        found = read_in_workspace(place.path, self.workspace)
        if found is None:
            return None
        path = os.path.relpath(os.path.realpath(place.path), self._real)
        key = TrustKey(self._real, kind, Path(path).as_posix(), found.digest)
        return Opened(place, found.text, None if self.book.trusts(key) else Doubt.UNTRUSTED, trust=key)

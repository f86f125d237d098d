"""What one conversation's model has been shown of files. In memory: a new session has shown nothing yet."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path

from handrail.contract.context import FileContent

MOST_FILES = 10_000
"""Files remembered; of more, those used longest ago are forgotten, which costs no more than reading them again."""
MOST_VIEWS = 200
"""Of one file."""


@dataclass(slots=True)
class _Known:
    digest: str
    views: set[str] = field(default_factory=set)


class ConversationLedger:
    """Implements `contract.context.FileLedger`."""

    def __init__(self) -> None:
        self._known: OrderedDict[Path, _Known] = OrderedDict()

    def last(self, path: Path) -> str | None:
        known = self._known.get(path)
        return None if known is None else known.digest

    def shown(self, content: FileContent, view: str) -> bool:
        known = self._known.get(content.path)
        return known is not None and known.digest == content.digest and view in known.views

    def note(self, content: FileContent, view: str = "") -> None:
        known = self._known.get(content.path)
        if known is None or known.digest != content.digest:
            known = self._known[content.path] = _Known(content.digest)
        self._known.move_to_end(content.path)
        if view and len(known.views) < MOST_VIEWS:
            known.views.add(view)
        if len(self._known) > MOST_FILES:
            self._known.popitem(last=False)

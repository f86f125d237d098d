"""What one conversation's model has been shown of files. In memory: a new session has shown nothing yet."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import field
from pathlib import Path

from handrail.contract.basics import CallId
from handrail.contract.context import FileContent
from handrail.contract.values import mutable

MOST_FILES = 10_000
"""Files remembered; of more, those used longest ago are forgotten, which costs no more than reading them again."""
MOST_VIEWS = 200
"""Of one file."""
MOST_CALLS = 1_000
"""Calls of which it is known what they showed: until the end of their turn, it may not have arrived."""


@mutable
class _Known:
    digest: str
    views: set[str] = field(default_factory=set)


class ConversationLedger:
    """Implements `contract.context.FileLedger`."""

    def __init__(self) -> None:
        self._known: OrderedDict[Path, _Known] = OrderedDict()
        self._shown_by: OrderedDict[CallId, list[tuple[Path, str]]] = OrderedDict()

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

    def of(self, call: CallId) -> LedgerOfCall:
        return LedgerOfCall(self, call)

    def showed(self, call: CallId, path: Path, view: str) -> None:
        self._shown_by.setdefault(call, []).append((path, view))
        if len(self._shown_by) > MOST_CALLS:
            self._shown_by.popitem(last=False)

    def forget_views(self) -> None:
        """What was shown has left the conversation. What is known of contents stays: a write is still checked."""
        self._shown_by.clear()
        for known in self._known.values():
            known.views.clear()

    def take_back(self, call: CallId) -> None:
        """What the call gave did not reach the model whole: it was cut or withheld. What is known of contents stays."""
        for path, view in self._shown_by.pop(call, ()):
            if (known := self._known.get(path)) is not None:
                known.views.discard(view)


class LedgerOfCall:
    """Implements `contract.context.FileLedger` for one call, whose views can be taken back."""

    def __init__(self, whole: ConversationLedger, call: CallId) -> None:
        self._whole = whole
        self._call = call

    def last(self, path: Path) -> str | None:
        return self._whole.last(path)

    def shown(self, content: FileContent, view: str) -> bool:
        return self._whole.shown(content, view)

    def note(self, content: FileContent, view: str = "") -> None:
        self._whole.note(content, view)
        if view:
            self._whole.showed(self._call, content.path, view)

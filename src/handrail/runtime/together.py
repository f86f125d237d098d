"""Carries out changes that are ready: all, or none as far as the file system lets them be undone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from handrail.contract.values import value
from handrail.errors import ToolFailed
from handrail.runtime.staging import Staged

NOTHING = "No file was changed."


@value
class Ready:
    shown: str
    """The file, for messages."""
    staged: Staged
    in_words: Callable[[], AbstractContextManager[None]]
    """Makes a ToolFailed, in words, of what the file system answers."""
    deletes: bool


def carry_out(changes: Sequence[Ready]) -> None:
    """Deletions come last, so that nothing is lost before its successor is there. Raises ToolFailed."""
    order = sorted(changes, key=lambda change: change.deletes)
    done: list[Ready] = []
    for change in order:
        try:
            with change.in_words():
                change.staged.commit(undoable=change is not order[-1])
        except ToolFailed as error:
            raise ToolFailed(" ".join([str(error), *_taken_back(done, len(changes))])) from None
        done.append(change)
    for change in done:
        with change.in_words():
            change.staged.sync()


def _taken_back(done: Sequence[Ready], of: int) -> list[str]:
    """Undoes what was done, the last first, and says so."""
    if not done:
        return [NOTHING] if of > 1 else []
    undone: list[str] = []
    left: list[str] = []
    for change in reversed(done):
        try:
            with change.in_words():
                change.staged.undo()
                change.staged.sync()
        except ToolFailed as error:
            left.append(f"{change.shown} could not be put back as it was, and holds what this call gave it: {error}")
        else:
            undone.append(change.shown)
    said = f"Put back as they were before: {', '.join(sorted(undone))}." if undone else ""
    return [sentence for sentence in (said, *left) if sentence]

"""Tells listeners what happens. Nothing waits for a listener, and none can do harm by raising."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from handrail.contract.events import Event, NoticeGiven
from handrail.runtime.guard import Raised, guarded_call

Listener: TypeAlias = Callable[[Event], None]


class Bus:
    """The events of one session, told in order, on the session's loop."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Calls `listener` with every event from now on. Returns what ends that."""
        self._listeners.append(listener)
        return lambda: self._drop(listener)

    @property
    def is_heard(self) -> bool:
        """False when nobody listens: then there is no need to make an event."""
        return bool(self._listeners)

    def tell(self, event: Event) -> None:
        for listener in tuple(self._listeners):
            outcome = guarded_call(partial(listener, event))
            if isinstance(outcome, Raised):
                self._drop(listener)
                self.tell(NoticeGiven(None, f"A listener raised and was dropped: {outcome.message}"))

    def notice(self, message: str) -> None:
        """Tells what a person should know about the session."""
        self.tell(NoticeGiven(None, message))

    def _drop(self, listener: Listener) -> None:
        if listener in self._listeners:
            self._listeners.remove(listener)

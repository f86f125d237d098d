"""How many calls run together: `at_once` in all, and of each limited class as many as its limit says.

A call takes all its places at once or none, so nobody holds one while waiting for another. Who finds none
waits in line, and nobody passes an earlier one in line that it shares a class with.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from handrail.errors import UsageError
from handrail.runtime.tickets import Key, Ticket

_Line: TypeAlias = list[tuple[Key, Ticket]]


class Places:
    """Counts places, and keeps the line of those that wait for nothing but one."""

    def __init__(self, at_once: int, limits: Mapping[str, int] | None = None) -> None:
        """`limits` is by class: a tool's name, or what stands before the colon in a key (`browser:1`).

        Raises UsageError for a limit below 1: such calls could never run.
        """
        self.limited = frozenset(limits or {})
        """The classes that have a limit."""
        for name, limit in (("at once", at_once), *(limits or {}).items()):
            if limit < 1:
                raise UsageError(f"the limit for {name!r} is {limit}; at least 1 call has to be able to run")
        self._free = at_once
        self._free_of = dict(limits or {})
        self.lines: dict[tuple[str, ...], _Line] = {}
        """Who waits: a heap for each combination of classes, of which there are few. None of them is empty."""

    def classes_of(self, tool: str, keys: Iterable[str]) -> tuple[str, ...]:
        """The limited classes that a call of this tool, with these keys, counts among."""
        names = {tool, *(key.partition(":")[0] for key in keys)}
        return tuple(sorted(names & self.limited))

    def take(self, ticket: Ticket, *, called: bool = False) -> bool:
        """Takes a place for each of the ticket's classes, or puts it in line. `called`: `next` just gave it."""
        if (called or not self.lines) and self._free > 0 and (not ticket.classes or self._are_free(ticket.classes)):
            self._free -= 1
            for name in ticket.classes:
                self._free_of[name] -= 1
            return True
        heapq.heappush(self.lines.setdefault(ticket.classes, []), (ticket.key, ticket))
        return False

    def give_back(self, ticket: Ticket) -> None:
        self._free += 1
        for name in ticket.classes:
            self._free_of[name] += 1

    def next(self) -> Ticket | None:
        """Takes the earliest one out of the line that can have its places now; None where nobody can."""
        if not self.lines or not self._free:
            return None
        for classes in tuple(self.lines):
            self._drop_those_gone(classes)
        passed: set[str] = set()
        for classes in sorted(self.lines, key=lambda classes: self.lines[classes][0][0]):
            if passed.isdisjoint(classes) and self._are_free(classes):
                return self._pop(classes)
            passed.update(classes)
        return None

    def _are_free(self, classes: Sequence[str]) -> bool:
        return all(self._free_of[name] > 0 for name in classes)

    def _drop_those_gone(self, classes: tuple[str, ...]) -> None:
        """A cancelled call in front would keep others from places that it never takes."""
        while classes in self.lines and not self.lines[classes][0][1].is_waiting:
            self._pop(classes)

    def _pop(self, classes: tuple[str, ...]) -> Ticket:
        line = self.lines[classes]
        _, ticket = heapq.heappop(line)
        if not line:
            del self.lines[classes]
        return ticket

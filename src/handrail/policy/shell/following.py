"""The variables of a text, followed while it is read in the order in which the shell would run it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tree_sitter import Node

from handrail.policy.shell.folders import Folder, Folders
from handrail.policy.shell.quoting import Surroundings
from handrail.policy.shell.variables import INHERITED, NONE, Variables, fillings, merged, set_in, used_in, with_values
from handrail.policy.shell.words import Word


class Following:
    """What they may hold at the place that the reader has come to."""

    def __init__(self, home: str) -> None:
        self.now: Variables = NONE
        self._home = home
        self._loose: dict[str, Word] = {}
        """Those that a function sets, whenever it is called."""

    @contextmanager
    def own(self) -> Iterator[None]:
        """What is set in there is not set outside."""
        outside = self.now
        yield
        self.now = outside

    @contextmanager
    def function(self, body: Node) -> Iterator[None]:
        """When it runs, and what is set then, is not known; nor is what it sets, from here on."""
        self._loose.update((name, INHERITED) for name, _ in set_in(body))
        with self.own():
            self.forget()
            yield

    def set(self, name: str, *values: Word) -> None:
        self.now = with_values(self.now, name, values)

    def forget(self) -> None:
        """Any of them may have been set to anything."""
        self.now = dict.fromkeys(self.now, (INHERITED,))

    def or_else(self, other: Variables) -> None:
        """It may have come here another way."""
        self.now = merged(other, self.now)

    def ways(self, nodes: list[Node], at: Folders) -> list[Surroundings]:
        """What surrounds these words, for each way to fill in the variables that they use."""
        only = at[0] if len(at) == 1 else Folder("", certain=False)
        folder = only.path if only.certain else ""
        filled = fillings(used_in(nodes, self.now), self.now)
        ways = [{**filling, **self._loose} for filling in filled] if self._loose else filled
        return [Surroundings(self._home_in(way), folder, way) for way in ways]

    def _home_in(self, way: Mapping[str, Word]) -> str:
        """What `~` stands for; empty where the text has set it to what is not known."""
        return way["HOME"].value or "" if "HOME" in way else self._home

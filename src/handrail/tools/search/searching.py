"""The steps of a search for text: secret files first, so that nothing opens them; then the search itself."""

from __future__ import annotations

from dataclasses import replace

from handrail.contract.values import value
from handrail.tools.search.matches import Matches, Room
from handrail.tools.search.rendering import Around
from handrail.tools.search.ripgrep import Ended, Ripgrep
from handrail.tools.search.scope import Scope
from handrail.tools.search.secret_files import excluding, secret_files
from handrail.tools.search.wanted import Wanted

MOST_COUNTED = 100_000
"""Matching lines, or files, after which a search is stopped, and made once more in order, for the first ones."""


@value
class Outcome:
    matches: Matches
    ended: Ended
    total: int
    """Matching lines, or files, found: more than those that `matches` counts where it was stopped."""
    secret: list[str]
    """Files that were not searched."""
    complaints: list[str]
    """What could not be read, and why."""


class Search:
    """One search with one set of options."""

    def __init__(
        self, ripgrep: Ripgrep, scope: Scope, wanted: Wanted, options: tuple[str, ...], *, by_line: bool
    ) -> None:
        self._ripgrep = ripgrep
        self._scope = scope
        self._wanted = wanted
        self._options = options
        self._by_line = by_line

    async def run(self, things: int, around: Around, *, across_lines: bool) -> Outcome:
        """Keeps what shows the first `things` lines, or files. Raises BadSearch."""
        secret, ended = await secret_files(self._ripgrep, self._scope, self._wanted)
        room = Room(things, self._by_line, across_lines, MOST_COUNTED)
        matches = Matches(room, self._is_wanted)
        if ended.timed_out:  # without the names, secret files would be opened
            return Outcome(matches, ended, 0, secret, [])
        filters = (*self._filters(), *excluding(secret))
        options = (*_json(around), *self._options, *filters)
        ended = await self._ripgrep.run(options, self._scope.targets, b"\n", matches.take)
        total = matches.total
        if not ended.complete:
            total = min(total, MOST_COUNTED)
            matches = Matches(replace(room, most=things), self._is_wanted)
            await self._ripgrep.run(("--sort=path", *options), self._scope.targets, b"\n", matches.take)
        troubled = ended.troubled
        complaints = await self._ripgrep.complaints(filters, self._scope.targets) if troubled else []
        return Outcome(matches, ended, total, secret, complaints)

    async def again(self, before: Outcome, around: Around) -> tuple[Outcome, Around]:
        """The same in the files that were found alone, with more around each match."""
        targets = [f"./{file.path}" for file in before.matches.files()]
        matches = Matches(Room(MOST_COUNTED, self._by_line, False, MOST_COUNTED), lambda name: True)
        ended = await self._ripgrep.run((*_json(around), *self._options), targets, b"\n", matches.take)
        if matches.count != before.matches.count or ended != Ended():
            return before, Around()  # something changed meanwhile
        return replace(before, matches=matches), around

    def _filters(self) -> list[str]:
        """ripgrep takes several types for a choice, so a type that was asked for stands alone."""
        return [] if any(option.startswith("--type=") for option in self._options) else self._wanted.beforehand()

    def _is_wanted(self, name: str) -> bool:
        """The one file that was named is: reading it was asked about if it is secret."""
        return self._scope.is_file or (not self._scope.is_secret(name) and self._wanted.holds(name))


def _json(around: Around) -> tuple[str, ...]:
    return ("--json", f"--before-context={around.before}", f"--after-context={around.after}")

"""The steps of a search for text: the search itself, and beside it a look for the secret files that it passes by."""

from __future__ import annotations

from dataclasses import replace

from handrail.contract.values import value
from handrail.tools.search.matches import Matches, Room
from handrail.tools.search.rendering import Around
from handrail.tools.search.ripgrep import Ended, Ripgrep
from handrail.tools.search.scope import Scope
from handrail.tools.search.secret_files import keeping_closed, secret_files
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
        self, ripgrep: Ripgrep, scope: Scope, wanted: Wanted, options: tuple[str, ...], file_type: str, *, by_line: bool
    ) -> None:
        self._ripgrep = ripgrep
        self._scope = scope
        self._wanted = wanted
        self._options = options
        self._type = file_type
        self._by_line = by_line

    async def run(self, things: int, around: Around, *, across_lines: bool) -> Outcome:
        """Keeps what shows the first `things` lines, or files. Raises BadSearch."""
        import asyncio

        room = Room(things, self._by_line, across_lines, MOST_COUNTED)
        if self._scope.is_file:
            return await self._searched(room, around)
        try:
            async with asyncio.TaskGroup() as steps:
                looking = steps.create_task(secret_files(self._ripgrep, self._scope, self._wanted))
                searching = steps.create_task(self._searched(room, around))
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None
        outcome, (secret, looked) = searching.result(), looking.result()
        timed_out, stuck_at = outcome.ended.timed_out or looked.timed_out, outcome.ended.stuck_at or looked.stuck_at
        ended = replace(outcome.ended, timed_out=timed_out, stuck_at=stuck_at)
        return replace(outcome, ended=ended, secret=secret)

    async def _searched(self, room: Room, around: Around) -> Outcome:
        matches = Matches(room, self._is_wanted)
        if self._scope.all_secret:
            return Outcome(matches, Ended(), 0, [], [])
        filters = () if self._scope.is_file else keeping_closed(self._types(), self._scope)
        options = (*_json(around), *self._options, *filters)
        ended = await self._ripgrep.run(options, self._scope.targets, b"\n", matches.take)
        total = matches.total
        if not ended.complete:
            total = min(total, MOST_COUNTED)
            matches = Matches(replace(room, most=room.things), self._is_wanted)
            await self._ripgrep.run(("--sort=path", *options), self._scope.targets, b"\n", matches.take)
        complaints = await self._ripgrep.complaints(filters, self._scope.targets) if ended.troubled else []
        return Outcome(matches, ended, total, [], complaints)

    async def again(self, before: Outcome, around: Around) -> tuple[Outcome, Around]:
        """The same in the files that were found alone, with more around each match."""
        targets = [f"./{file.path}" for file in before.matches.files()]
        matches = Matches(Room(MOST_COUNTED, self._by_line, False, MOST_COUNTED), lambda name: True)
        ended = await self._ripgrep.run((*_json(around), *self._options), targets, b"\n", matches.take)
        if matches.count != before.matches.count or ended != Ended():
            return before, Around()  # something changed meanwhile
        return replace(before, matches=matches), around

    def _types(self) -> list[str]:
        """ripgrep takes several types for a choice, so one that was asked for stands alone."""
        return [f"--type={self._type}"] if self._type else self._wanted.beforehand()

    def _is_wanted(self, name: str) -> bool:
        """The one file that was named is: reading it was asked about if it is secret."""
        return self._scope.is_file or (not self._scope.is_secret(name) and self._wanted.holds(name))


def _json(around: Around) -> tuple[str, ...]:
    return ("--json", f"--before-context={around.before}", f"--after-context={around.after}")

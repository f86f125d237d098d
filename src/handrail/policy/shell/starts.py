"""Where commands begin in the words of one, as deny and ask rules must see it: behind `sudo`, `xargs`, `timeout 5`."""

from __future__ import annotations

from handrail.policy.shell.adding import ADDED, adds_program, adds_words, with_added
from handrail.policy.shell.runners import Runners, unversioned
from handrail.policy.shell.words import Word


def with_starts(words: tuple[Word, ...], tables: Runners) -> tuple[tuple[Word, ...], set[int], int]:
    """The words with those that programs add, where commands begin in them for sure, and from where on they might."""
    starts, suspect = _starts(words, tables)
    for start in sorted(starts):
        if tables.has("adding", words[start].program):
            words = (*words[:start], *with_added(words[start:], tables))
            starts, suspect = _starts(words, tables)
            break
    if not adds_words(words, starts):
        return words, starts, suspect
    if adds_program(words, starts, tables):
        starts.add(len(words))
    return (*words, ADDED), starts, suspect


def _starts(words: tuple[Word, ...], tables: Runners) -> tuple[set[int], int]:
    """Where commands begin for sure, and from where on they might."""
    starts, suspect, waiting = {0}, len(words), [0]
    while waiting:
        start = waiting.pop()
        name = words[start].program
        if tables.has("wrappers", name):
            for position in range(start + 1, len(words)):
                starts.add(position)
                if tables.knows(unversioned(words[position].program)):
                    waiting.append(position)
                    break
            suspect = min(suspect, start + 1)
        elif not tables.knows(name) and not tables.knows(unversioned(name)):
            suspect = min(suspect, start + 1)
    return starts, suspect

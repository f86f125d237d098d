"""The words that `xargs` adds to a command, or puts into it."""

from __future__ import annotations

from dataclasses import replace

from handrail.policy.shell.arguments import Arguments
from handrail.policy.shell.listing import Listing, listing_from
from handrail.policy.shell.script import Command
from handrail.policy.shell.words import Holds, Known, Word, worst

_PLACES = frozenset(("-I", "-i", "--replace"))
_FROM_FILE = frozenset(("-a", "--arg-file"))
_ZERO = frozenset(("-0", "--null"))


def fed_text(command: Command) -> str:
    """What is written out before a command for it to read: a here-document, or the words of `echo` in its pipe."""
    echoed = (feeder.words[1:] for feeder in command.feeders if feeder.words[0].value in ("echo", "printf"))
    return "\n".join((command.input or "", *(" ".join(word.text for word in words) for words in echoed))).strip()


def place_of_names(xargs: Arguments) -> str:
    """What stands for a name in the words of the command; empty where names are added at the end."""
    given = next((given for given in xargs.given if given.name in _PLACES), None)
    if given is None:
        return ""
    return given.value.text if given.value is not None else "{}"


def names_fed(command: Command, xargs: Arguments) -> Listing | None:
    """The names that it is known to be fed; None where anything may come."""
    return listing_from(command.feeders, command.folders) if _FROM_FILE.isdisjoint(xargs.flags) else None


def is_zero(listing: Listing | None, xargs: Arguments) -> bool:
    """True where each name stays one word, whatever it holds."""
    return listing is not None and listing.zero and not _ZERO.isdisjoint(xargs.flags)


def fed_word(listing: Listing | None, xargs: Arguments, place: str) -> Word:
    """Stands for the names. Unless they end in a NUL, blanks in one make several words of it."""
    if listing is None:
        return Word("", Known.UNKNOWN, "{}", Holds.PRINTED, whole=bool(place))
    return replace(listing.word, holds=listing.holds if is_zero(listing, xargs) else Holds.LISTED)


def filled(word: Word, place: str, name: Word) -> Word:
    """A word with a name put in for its place."""
    if place not in word.text:
        return word
    if word.text == place:
        return replace(name, source=word.written)
    return Word(word.text.replace(place, ""), Known.UNKNOWN, word.written, worst(name.holds, Holds.PRINTED))

"""The hash chain of one session's events: how a link is made, and what is wrong with a broken chain. Pure.

Each event's hash covers all its columns and the hash before it, so a change, a gap or another order
shows. What a chain alone can't show: that its last events were cut off, or that all of it was written anew.
An anchor, the last event's hash kept elsewhere, shows both, up to the event that it names.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from handrail.contract.basics import Instant, SessionId
from handrail.contract.values import value
from handrail.errors import UsageError
from handrail.runtime.records import canonical


@value
class StoredEvent:
    """One event's columns, but for the two hashes."""

    session: SessionId
    sequence: int
    epoch: int
    at: Instant
    call: str
    parent: str | None
    state: str
    body: str

    @property
    def columns(self) -> tuple[object, ...]:
        return self.session, self.sequence, self.epoch, self.at, self.call, self.parent, self.state, self.body

    def hash(self, previous: str) -> str:
        """Over the hash before it and all columns."""
        return _sha256(previous + canonical(self.columns))


@value
class Link:
    """One event as the chain sees it."""

    sequence: int
    previous: str
    hash: str
    intact: bool
    """The stored hash is the hash of the stored columns."""


@value
class Flaw:
    """What is wrong at one event, at one that should be there, or (`sequence` 0) with the session's own row."""

    sequence: int
    kind: Literal["changed", "missing", "reordered", "truncated"]
    message: str


@value
class Anchor:
    """The end of a session's chain at some time. What came later, it says nothing of."""

    session: SessionId
    sequence: int
    hash: str

    @classmethod
    def parse(cls, text: str) -> Anchor:
        """From `SESSION:SEQUENCE:HASH`. Raises UsageError."""
        match text.strip().rsplit(":", 2):
            case [session, sequence, hash] if session and sequence.isdecimal() and hash:
                return cls(SessionId(session), int(sequence), hash)
        raise UsageError(
            f"{text!r} is no anchor; give a line as 'handrail audit head' prints it: SESSION:SEQUENCE:HASH"
        )

    def __str__(self) -> str:
        return f"{self.session}:{self.sequence}:{self.hash}"


def first_link(session: SessionId, started: Instant, workspace: str) -> str:
    """What the first event is chained to: the session's own row."""
    return _sha256(canonical([session, started, workspace]))


def flaws(links: Iterable[Link], first: str) -> list[Flaw]:
    """Everything that is wrong with the chain that starts at `first`; empty for a whole one.

    Follows the hashes, not the numbers: an event whose number is not its place was reordered. Where
    nothing follows, the chain goes on at the lowest number not seen yet.
    """
    unseen = {link.sequence: link for link in sorted(links, key=lambda link: link.sequence)}
    followers: dict[str, list[Link]] = {}
    for link in unseen.values():
        followers.setdefault(link.previous, []).append(link)
    found: list[Flaw] = []
    place, expected = 1, first
    while unseen:
        following = _follower(followers.get(expected, []), place, unseen)
        if following is None:
            following = next(iter(unseen.values()))
            found += _broken(place, following)
            place = following.sequence
        elif following.sequence != place:
            message = f"event {following.sequence} was reordered: the hashes put it at {place}"
            found.append(Flaw(following.sequence, "reordered", message))
        elif not following.intact:
            found.append(_changed(following))
        del unseen[following.sequence]
        place, expected = place + 1, following.hash
    return found


def flaws_against(anchor: Anchor, links: Iterable[Link], first: str) -> list[Flaw]:
    """What an anchor shows of the chain that starts at `first`: cut off before it, or written anew."""
    known = {link.sequence: link.hash for link in links} | {0: first}
    number, last = anchor.sequence, max(known)
    if number > last:
        gone = f"event {number} is" if number == last + 1 else f"events {last + 1} to {number} are"
        return [Flaw(last + 1, "truncated", f"{gone} missing: the anchor knows of event {number}")]
    if known.get(number, anchor.hash) != anchor.hash:
        which = f"event {number}" if number else "the session's own row"
        return [
            Flaw(number, "changed", f"{which} is not the one of the anchor: it, or one before it, was written anew")
        ]
    return []


def _follower(candidates: list[Link], place: int, unseen: Mapping[int, Link]) -> Link | None:
    """The event chained to the last one: the one at its place, where several claim to be."""
    left = [link for link in candidates if link.sequence in unseen]
    return next((link for link in left if link.sequence == place), left[0] if left else None)


def _broken(place: int, link: Link) -> Iterator[Flaw]:
    """Nothing follows the event before `place`, and the chain goes on at `link`."""
    before = link.sequence - 1
    if link.sequence > place:
        gap = f"event {place} is" if place == before else f"events {place} to {before} are"
        yield Flaw(place, "missing", f"{gap} missing")
    if not link.intact:
        yield _changed(link)
    elif link.sequence <= place:
        changed = f"event {before}" if before else "the session's own row"
        yield Flaw(before, "changed", f"{changed} was changed: event {link.sequence} was chained to other content")


def _changed(link: Link) -> Flaw:
    return Flaw(link.sequence, "changed", f"event {link.sequence} was changed: its content does not give its hash")


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()

"""Whether what a call declared holds what it did."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address

from handrail.contract.effects import OPEN_WORLD, Effects, PathEffect
from handrail.policy.places import within


@dataclass(frozen=True, slots=True)
class Declared:
    """The effects of a call and of those it made, as one."""

    read: frozenset[PathEffect]
    written: frozenset[PathEffect]
    hosts: frozenset[str]
    is_unknown: bool

    @classmethod
    def of(cls, effects: Iterable[Effects]) -> Declared:
        every = list(effects)
        return cls(
            frozenset(path for one in every for path in one.reads),
            frozenset(path for one in every for path in one.writes),
            frozenset(_plain(host) for one in every for host in one.connects),
            any(one.certainty == "unknown" for one in every),
        )

    @property
    def only_reads(self) -> bool:
        return not (self.written or self.hosts or self.is_unknown)

    def holds_read(self, path: str) -> bool:
        return _holds(self.read | self.written, path)

    def holds_write(self, path: str) -> bool:
        return _holds(self.written, path)

    def leads_to_write(self, path: str) -> bool:
        """A folder on the way to something that may be written, made for its sake."""
        return any(within(spelling, path) for effect in self.written for spelling in _spellings(effect))

    def is_beside_write(self, path: str) -> bool:
        """In the folder of something that may be written: where a file stands before it takes its name."""
        folder = os.path.dirname(path)
        return any(os.path.dirname(spelling) == folder for effect in self.written for spelling in _spellings(effect))

    def holds_host(self, host: str) -> bool:
        return OPEN_WORLD in self.hosts or _plain(host) in self.hosts


def is_address(host: str) -> bool:
    try:
        ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True


def _holds(effects: Iterable[PathEffect], path: str) -> bool:
    return any(
        path == spelling or (effect.scope == "tree" and within(path, spelling))
        for effect in effects
        for spelling in _spellings(effect)
    )


def _spellings(effect: PathEffect) -> tuple[str, str]:
    """What it leads to, and the entry itself: a link that is removed is not what it leads to."""
    folder, name = os.path.split(os.path.normpath(effect.named))
    return str(effect.resolved), os.path.join(os.path.realpath(folder), name)


def _plain(host: str) -> str:
    return host.rstrip(".").lower()

"""Hosts: how a call names them, and the patterns that rules name them by. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from handrail.contract.effects import OPEN_WORLD
from handrail.contract.values import value
from handrail.policy.patterns import BadPattern, Match

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*://")
_PORT = re.compile(r":\d*$")
_HOST = re.compile(r"[^\s/@?#*\\]+")


def host_named(text: str) -> str:
    """The host in what a call names: lower case, without scheme, user, port, path or the last dot.

    `*`, any host, where none can be seen in it.
    """
    text = _SCHEME.sub("", text.strip(), count=1)
    text = re.split(r"[/?#\\]", text, maxsplit=1)[0].rpartition("@")[2]
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = _PORT.sub("", text)
    return text.lower().rstrip(".") or OPEN_WORLD


@value
class HostPattern:
    """One host, all hosts below one (`*.example.org`, which is not `example.org`), or any (`*`)."""

    text: str
    name: str
    """The host, or what all hosts end in."""
    below: bool

    @classmethod
    def parse(cls, text: str) -> HostPattern:
        if text == OPEN_WORLD:
            return cls(text, "", True)
        if not text.strip() or text != text.strip():
            raise BadPattern("is empty or starts or ends with a blank; give a host, or '*' for every host")
        below = text.startswith("*.")
        name = text.removeprefix("*.").lower().rstrip(".")
        if not _HOST.fullmatch(name) or name.startswith("."):
            raise BadPattern("is no host: give its name alone, as 'example.org', or '*.example.org' for all below it")
        if name != host_named(name):
            raise BadPattern("holds a port or brackets; give the host alone")
        return cls(text, "." + name if below else name, below)

    def covers(self, host: str) -> bool:
        """For allow: this host, as `host_named` gives it. Any host is covered by `*` alone."""
        if host == OPEN_WORLD or not self.name:
            return not self.name
        return host.endswith(self.name) and host != self.name if self.below else host == self.name

    def reaches(self, host: str) -> Match:
        """For ask and deny: this host, or perhaps this host where it may be any."""
        if host == OPEN_WORLD:
            return Match.YES if not self.name else Match.MAYBE
        return Match.YES if self.covers(host) else Match.NO


def reached(patterns: Iterable[HostPattern], hosts: Iterable[str]) -> tuple[Match, str]:
    """The best match of any pattern and any host, and that host."""
    best, part = Match.NO, ""
    for host in sorted(hosts):
        match = max(pattern.reaches(host_named(host)) for pattern in patterns)
        if match > best:
            best, part = match, host
    return best, part

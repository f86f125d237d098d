"""Which addresses the web tools may connect to: the public internet, and nothing of this machine or its networks.

The lists are data: `reach.toml`. Pure, but for reading that file once.
"""

from __future__ import annotations

import ipaddress
import tomllib
from functools import cache
from pathlib import Path
from typing import TypeAlias

from handrail.contract.values import value

IP: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
_Block: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

Endpoint: TypeAlias = tuple[str, int]
"""An IP address and a port."""

_MAPPED = ipaddress.IPv6Network("::ffff:0:0/96")
"""An IPv4 address in IPv6's clothes: connecting to it reaches the IPv4 address (RFC 4291, 2.5.5.2)."""
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
"""How networks without IPv4 reach it: the last 32 bits are the IPv4 address (RFC 6052)."""
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")


@value
class _Names:
    why: str
    names: frozenset[str]
    below: tuple[str, ...]
    """All names that end in a dot and one of these."""

    def hold(self, name: str) -> bool:
        return name in self.names or name.endswith(self.below)


@value
class _Lists:
    blocks: tuple[tuple[_Block, str], ...]
    names: tuple[_Names, ...]


@cache
def _lists() -> _Lists:
    table = tomllib.loads(Path(__file__).with_name("reach.toml").read_text("utf-8"))
    entries = [*table["ipv4"], *table["ipv6"]]
    blocks = tuple((ipaddress.ip_network(block), entry["why"]) for entry in entries for block in entry["blocks"])
    names = tuple(
        _Names(entry["why"], frozenset(entry["names"]), tuple(f".{name}" for name in entry["below"]))
        for entry in table["name"]
    )
    return _Lists(blocks, names)


@value
class Reach:
    """What may be connected to: the public internet, and `allowed`, which tests alone give."""

    allowed: frozenset[Endpoint] = frozenset()

    def why_not(self, host: str, port: int) -> str | None:
        """What can be said of a host without looking it up; a sentence for the model."""
        ip = as_ip(host)
        if ip is not None:
            return self.why_not_at(host, ip, port)
        why = why_not_name(host)
        return None if why is None else _refusal(host, why)

    def why_not_at(self, host: str, ip: IP, port: int) -> str | None:
        """The same of an address that the host was found to have."""
        why = None if (str(ip), port) in self.allowed else why_not_ip(ip)
        at = host if str(ip) == host else f"{host}, which is at {ip}"
        return None if why is None else _refusal(at, why)


PUBLIC = Reach()


def as_ip(host: str) -> IP | None:
    """Where the host is an IP address and no name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def why_not_ip(ip: IP) -> str | None:
    """What the address is that must not be connected to, as `loopback`; None for one of the public internet."""
    if ip.version == 6:
        if ip in _MAPPED or ip in _NAT64:
            return why_not_ip(ipaddress.IPv4Address(int(ip) & 0xFFFF_FFFF))
        if ip in _GLOBAL_UNICAST and ip.scope_id is None:
            return _listed(ip)
        return _listed(ip) or "not of the public internet"
    return _listed(ip)


def why_not_name(host: str) -> str | None:
    """The same for a name, in lower case and without a last dot; None for one that has to be looked up."""
    return next((names.why for names in _lists().names if names.hold(host)), None)


def _listed(ip: IP) -> str | None:
    return next((why for block, why in _lists().blocks if ip in block), None)


def _refusal(host: str, why: str) -> str:
    return f"Nothing was sent to {host}: {why}. Only addresses of the public internet are fetched."

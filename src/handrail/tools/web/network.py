"""The way out: names are looked up once, every address found is checked, and the checked address is connected to.

It is a backend of httpcore, which asks it for each connection and does TLS on what it gives: the certificate is
checked against the name, and nothing below here looks the name up again, so a name that changes its answer between
check and use gains nothing. Proxies of the environment are not used, for a proxy would look the name up itself.
"""

from __future__ import annotations

import asyncio
import ipaddress
import os
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, TypeAlias

import httpcore2

from handrail.errors import ToolFailed
from handrail.tools.web.reach import IP, PUBLIC, Reach, as_ip

Resolve: TypeAlias = Callable[[str], Awaitable[Sequence[IP]]]
"""All addresses of a name. Raises OSError."""

MOST_TRIED = 4
"""Addresses of one name that are tried, one after the other."""


class Unreachable(ToolFailed):
    """A host that is not connected to, or could not be."""


async def resolve_by_system(host: str) -> Sequence[IP]:
    found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(ipaddress.ip_address(address[0]) for *_, address in found))


class PublicInternet(httpcore2.AsyncNetworkBackend):
    """Connects to addresses of the public internet, and to no others."""

    def __init__(
        self,
        reach: Reach = PUBLIC,
        resolve: Resolve = resolve_by_system,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """`resolve` is who knows the addresses of names, `tls` whose certificates are believed: None, the system's."""
        self._reach = reach
        self._resolve = resolve
        self._tls = tls

    @cached_property
    def tls(self) -> ssl.SSLContext:
        """Blocks when first asked for: it reads the certificates of the system."""
        return self._tls or httpcore2.default_ssl_context()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  the base class has it
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Raises Unreachable."""
        addresses = await self._checked(host, port)
        failures: list[str] = []
        for address in addresses[:MOST_TRIED]:
            try:
                return await httpcore2.AnyIOBackend().connect_tcp(
                    str(address), port, timeout, local_address, socket_options
                )
            except httpcore2.ConnectTimeout:
                failures.append(f"{address} did not answer")
            except httpcore2.ConnectError as error:
                failures.append(f"{address}: {_reason(error)}")
        raise Unreachable(f"No connection to {host} at port {port}: {'; '.join(failures)}. Check the address.")

    async def _checked(self, host: str, port: int) -> Sequence[IP]:
        """One address that must not be reached spoils all: an honest name has none, and the next try may pick it."""
        if (why := self._reach.why_not(host, port)) is not None:
            raise Unreachable(why)
        ip = as_ip(host)
        if ip is not None:
            return [ip]
        addresses = await self._looked_up(host)
        for address in addresses:
            if (why := self._reach.why_not_at(host, address, port)) is not None:
                raise Unreachable(why)
        return addresses

    async def _looked_up(self, host: str) -> Sequence[IP]:
        try:
            addresses = await self._resolve(host)
        except (OSError, UnicodeError) as error:
            why = getattr(error, "strerror", None) or "it is no name that can be looked up"
            raise Unreachable(
                f"The host {host} was not found ({why}). Check its spelling, or search for it."
            ) from error
        if not addresses:
            raise Unreachable(f"The host {host} has no address. Check its spelling, or search for it.")
        return addresses


def _reason(error: BaseException) -> str:
    """In the system's words, which the library wraps several times."""
    inner = error.__cause__ or error.__context__
    if inner is not None:
        return _reason(inner)
    if isinstance(error, OSError) and error.errno is not None and error.errno > 0:
        return os.strerror(error.errno)
    return str(error) or "no connection"

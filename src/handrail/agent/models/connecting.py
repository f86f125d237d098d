"""A connection to where a model is asked: with or without TLS, through the proxy that the environment names or not."""

from __future__ import annotations

import asyncio
import base64
import os
import ssl
from collections.abc import Iterable
from contextlib import ExitStack
from typing import TypeAlias
from urllib.parse import SplitResult, unquote, urlsplit

from handrail.agent.models.endpoint import Endpoint
from handrail.contract.values import value

Streams: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]

_MOST_HEAD = 16_384
"""Bytes of a proxy's answer."""


class NoTunnel(OSError):
    """A proxy does not lead to the server."""


class NoProxy(OSError):
    """What the environment names can't be used as a proxy: another try would meet the same."""


@value
class Proxy:
    host: str
    port: int
    authorization: str = ""
    """What it is told of who we are."""


def tls_for(endpoint: Endpoint) -> ssl.SSLContext | None:
    """Reads the certificates that this machine trusts (`SSL_CERT_FILE` names others): blocks for milliseconds.

    None where no TLS is spoken.
    """
    if not endpoint.address.startswith("https:"):
        return None
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context


async def connected(endpoint: Endpoint, tls: ssl.SSLContext | None) -> Streams:
    """Raises OSError, NoProxy among them, and UnicodeError for a name that can't be one.

    Closing the writer ends the connection.
    """
    parts = urlsplit(endpoint.address)
    proxy = None if endpoint.is_here else proxy_for(parts)
    host, port = parts.hostname or "", _port(parts)
    if proxy is None:
        return await asyncio.open_connection(host, port, ssl=tls)
    reader, writer = await asyncio.open_connection(proxy.host, proxy.port)
    with ExitStack() as undo:
        undo.callback(writer.transport.abort)
        if tls is not None:
            await _tunnelled(reader, writer, proxy, f"[{host}]:{port}" if ":" in host else f"{host}:{port}")
            await writer.start_tls(tls, server_hostname=host)
        undo.pop_all()
    return reader, writer


def proxy_for(parts: SplitResult) -> Proxy | None:
    """As `https_proxy`, `http_proxy`, `all_proxy` and `no_proxy` say, which curl and its like go by, too.

    Raises NoProxy for what is no address of one, and for a proxy of a kind that is not spoken to.
    """
    if not any(name.lower().endswith("_proxy") for name in os.environ):
        return None
    from urllib.request import getproxies_environment, proxy_bypass  # seldom needed, and not cheap

    proxies = getproxies_environment()
    named = proxies.get(parts.scheme) or proxies.get("all")
    if not named or proxy_bypass(parts.netloc):
        return None
    try:
        found = urlsplit(named if "://" in named else f"http://{named}")
        host, port = found.hostname, found.port or 80
    except ValueError as error:  # not repeated: it may have a password in it
        raise NoProxy(
            f"the environment names a proxy for {parts.scheme}, and that is no address; write it as http://host:port"
        ) from error
    if found.scheme != "http" or not host:
        raise NoProxy(f"the environment names a proxy of the kind {found.scheme}; only http proxies are used")
    return Proxy(host, port, _authorization(found))


def forwarded(endpoint: Endpoint) -> tuple[str, Iterable[tuple[str, str]]]:
    """What is asked for in a request without TLS, and further headers: a proxy must be told the whole address."""
    parts = urlsplit(endpoint.url)
    path = parts.path + (f"?{parts.query}" if parts.query else "")
    proxy = None if endpoint.is_here or parts.scheme == "https" else proxy_for(parts)
    if proxy is None:
        return path, ()
    headers = [("Proxy-Authorization", proxy.authorization)] if proxy.authorization else []
    return f"http://{parts.netloc}{path}", headers


async def _tunnelled(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, proxy: Proxy, target: str) -> None:
    """RFC 9110, section 9.3.6."""
    authorized = f"Proxy-Authorization: {proxy.authorization}\r\n" if proxy.authorization else ""
    writer.write(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{authorized}\r\n".encode("ascii"))
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
        raise NoTunnel(f"the proxy {proxy.host}:{proxy.port} does not speak as one") from error
    status = head[:_MOST_HEAD].split(b"\r\n", 1)[0].decode("latin-1")
    if status.split(" ")[1:2] != ["200"]:
        raise NoTunnel(f"the proxy {proxy.host}:{proxy.port} says {status!r}")


def _authorization(proxy: SplitResult) -> str:
    if not proxy.username:
        return ""
    said = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return "Basic " + base64.b64encode(said.encode()).decode("ascii")


def _port(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)

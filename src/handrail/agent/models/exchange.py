"""One POST and its streamed answer, over httpx2. Load it with the first request: it costs a tenth of a second."""

from __future__ import annotations

import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager

import httpx2

from handrail.agent.models.endpoint import Endpoint
from handrail.agent.models.trouble import Trouble, cut, unreachable

_CONNECT = 20.0
"""Seconds: for the name's look-up, the connection and its TLS, and to hand the request over."""


class Answer:
    """What came back: its head is there, its body still comes."""

    def __init__(self, response: httpx2.Response, endpoint: Endpoint) -> None:
        self._response = response
        self._endpoint = endpoint

    @property
    def status(self) -> int:
        return self._response.status_code

    @property
    def headers(self) -> Mapping[str, str]:
        """Names in lower case."""
        return {name.lower(): content for name, content in self._response.headers.items()}

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """Raises Trouble where it breaks off."""
        with _in_words(self._endpoint, begun=True):
            async for piece in self._response.aiter_bytes():
                yield piece

    async def body(self, most: int) -> bytes:
        """As much of it as comes, up to `most` bytes."""
        body = bytearray()
        async for piece in self.pieces():
            body += piece
            if len(body) >= most:
                break
        return bytes(body[:most])


def tls_for(endpoint: Endpoint) -> ssl.SSLContext | None:
    """Reads the certificates to be trusted: blocks for milliseconds. None where no TLS is spoken."""
    return httpx2.create_ssl_context() if endpoint.address.startswith("https:") else None


@asynccontextmanager
async def posted(endpoint: Endpoint, body: bytes, tls: ssl.SSLContext | None, silence: float) -> AsyncIterator[Answer]:
    """Sends a request. When the block ends its connection is closed. Raises Trouble.

    The proxies of the environment are used, but not for this machine. Redirects are not followed.
    """
    timeout = httpx2.Timeout(_CONNECT, read=silence)
    headers = {**endpoint.headers, "content-type": "application/json", "accept-encoding": "identity"}
    async with httpx2.AsyncClient(
        timeout=timeout, verify=tls or False, trust_env=not endpoint.is_here, follow_redirects=False
    ) as client:
        with _in_words(endpoint, begun=False):
            request = client.build_request("POST", endpoint.url, headers=headers, content=body)
            response = await client.send(request, stream=True)
        try:
            yield Answer(response, endpoint)
        finally:
            await response.aclose()


@contextmanager
def _in_words(endpoint: Endpoint, *, begun: bool) -> Iterator[None]:
    """What the client raises, as Trouble. `begun`: the answer's head was there already."""
    try:
        yield
    except (httpx2.ReadTimeout, httpx2.WriteTimeout) as error:
        raise _in_time(endpoint, begun=begun) from error
    except httpx2.ConnectTimeout as error:
        raise unreachable(endpoint, f"no connection within {_CONNECT:g} s") from error
    except httpx2.ConnectError as error:
        # Nobody listens: on this machine that is so until somebody starts the server; elsewhere a moment may help.
        raise unreachable(endpoint, _told(error), again=not endpoint.is_here) from error
    except (httpx2.TransportError, httpx2.InvalidURL, httpx2.DecodingError) as error:
        raise (cut(endpoint, _told(error)) if begun else unreachable(endpoint, _told(error))) from error


def _told(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _in_time(endpoint: Endpoint, *, begun: bool) -> Trouble:
    return cut(endpoint, "nothing came for too long") if begun else unreachable(endpoint, "no answer for too long")

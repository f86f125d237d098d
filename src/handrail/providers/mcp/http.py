"""A server at an address: Streamable HTTP, or the older transport of two channels."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from types import TracebackType
from typing import Any, Self

import httpx2
from anyio import BrokenResourceError, ClosedResourceError
from mcp.client._transport import WriteStream
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage
from mcp.types import CONNECTION_CLOSED, INTERNAL_ERROR, METHOD_NOT_FOUND

from handrail import __version__
from handrail.errors import ToolFailed
from handrail.providers.mcp.causes import causes
from handrail.providers.mcp.channel import LOST, Channel
from handrail.providers.mcp.events import ReadEvents
from handrail.providers.mcp.helped import HelpedHeaders
from handrail.providers.mcp.lines import MOST_LINE
from handrail.providers.mcp.messages import error_in, is_cancellation
from handrail.providers.mcp.oauth import SessionLogin
from handrail.providers.mcp.stand_ins import Meant, StandIns
from handrail.providers.mcp.two_channels import two_channels
from handrail.settings.mcp.server import Http

CONNECT_WITHIN = 30.0
"""Seconds until a connection stands, and until what is sent is taken. Answers may take as long as their call."""
TIMEOUT = httpx2.Timeout(CONNECT_WITHIN, read=None)
PARTING_WITHIN = 1.0
"""Seconds that a server has to hear that a session is over."""
OF_THE_OLDER = (400, 404, 405)
"""How servers of the older transport answer the greeting of the newer one: MCP, revision 2025-11-25, Transports,
"Backwards Compatibility". Not where they say so in an error of JSON-RPC: revision 2026-07-28."""
TAKEN_WITHIN = 10.0
"""Seconds that it has to take a message to which it has no answer to give."""
_SMALL = 65_536
_SHOWN = 300


@asynccontextmanager
async def http_channel(
    transport: Http, shown: str, login: SessionLogin | HelpedHeaders | None, on_refusal: Callable[[str], None]
) -> AsyncIterator[Channel]:
    """Open until the block ends. Raises ToolFailed, saying why, where the server can't be reached or is lost.

    `shown` is the address as people may see it: what is connected to may hold a secret. What goes wrong with one
    request fails that request alone. `on_refusal` gets, as a clause, an answer to the greeting
    that servers of the older transport give.
    """
    why: Callable[[], str] = (lambda: login.trouble) if login is not None else str
    made = partial(_Client, shown=shown, trouble=why, on_refusal=on_refusal)
    stand_ins = StandIns()
    try:
        if transport.kind == "sse":
            async with (
                made(dict(transport.headers), TIMEOUT, login) as client,
                two_channels(client, transport.url) as (heard, posts),
                _Cancelling(posts) as unhindered,
            ):
                yield Channel(heard, unhindered, lambda: why() or posts.why)
        else:
            async with (
                made(dict(transport.headers), TIMEOUT, login, stand_ins=stand_ins) as client,
                streamable_http_client(transport.url, http_client=client, max_sse_event_size=MOST_LINE) as (
                    incoming,
                    outgoing,
                ),
                _Cancelling(outgoing) as unhindered,
            ):
                yield Channel(Meant(incoming, stand_ins), unhindered, why)
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise ToolFailed(_why(error, shown)) from error
    except BaseExceptionGroup as group:
        ours, others = group.split((httpx2.HTTPError, httpx2.InvalidURL, httpx2.SSEError, ValueError))
        if ours is None or others is not None:
            raise
        raise ToolFailed(_why(next(causes(ours)), shown)) from group


class _Cancelling:
    """The stream of a transport, which takes one message after the other; a cancellation waits for none of them."""

    def __init__(self, stream: WriteStream[SessionMessage]) -> None:
        self._stream = stream
        self._waiting: set[asyncio.Task[None]] = set()

    async def send(self, item: SessionMessage, /) -> None:
        if not is_cancellation(item):
            await self._stream.send(item)
            return
        task = asyncio.create_task(self._late(item))
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)

    async def _late(self, item: SessionMessage) -> None:
        with suppress(BrokenResourceError, ClosedResourceError):
            await self._stream.send(item)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._waiting:
            task.cancel()
        if self._waiting:
            await asyncio.wait(self._waiting)
        await self.aclose()


class _Client(httpx2.AsyncClient):
    """Turns what goes wrong with a message into an answer to it, as the transports pass on nothing but answers; and
    reads no more of an answer than there may be of one message."""

    def __init__(
        self,
        headers: dict[str, str] | None = None,
        timeout: httpx2.Timeout | None = None,
        auth: httpx2.Auth | None = None,
        *,
        shown: str,
        trouble: Callable[[], str],
        on_refusal: Callable[[str], None],
        stand_ins: StandIns | None = None,
    ) -> None:
        """`stand_ins` make of a message what is to be given for it; None leaves all as they come."""
        super().__init__(
            headers={"User-Agent": f"handrail/{__version__}", **(headers or {})}, timeout=timeout, auth=auth
        )
        self._shown = shown
        self._trouble = trouble
        """Why the server refuses everybody, where that is known."""
        self._on_refusal = on_refusal
        self._stand_ins = stand_ins

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        try:
            async with asyncio.timeout(_within(request)):
                response = await super().send(request, **options)
                if request.method == "DELETE" or response.is_redirect:
                    return await _bare(response)
                return await self._read(response) if request.method == "POST" else self._events(response)
        except (httpx2.TransportError, httpx2.DecodingError) as error:
            if request.method == "GET":
                raise
            return _error(request, 502, CONNECTION_CLOSED, _why(error, self._shown))
        except TimeoutError:
            return _error(request, 504, CONNECTION_CLOSED, "it took no message")

    async def _read(self, response: httpx2.Response) -> httpx2.Response:
        """The same with its body, where that is one message."""
        kind = response.headers.get("content-type", "").lower()
        if response.is_success and not kind.startswith("application/json"):
            return self._events(response)
        body = bytearray()
        try:
            async for piece in response.aiter_bytes():
                body += piece
                if len(body) > MOST_LINE:
                    why = f"it sent a message of more than {MOST_LINE >> 20} MiB"
                    return _error(response.request, 502, CONNECTION_CLOSED, why)
        finally:
            await response.aclose()
        content, kept = bytes(body), _kept_headers(response)
        body.clear()
        if response.is_error and (refused := self._refused(response, content)) is not None:
            return refused
        if self._stand_ins is not None:
            # An answer to what expects none is not passed on: what stood in for it would stay for good.
            passed = _expects_answer(response.request)
            content = self._stand_ins.made(content, error_alone=response.is_error) if passed else b""
        return httpx2.Response(response.status_code, headers=kept, content=content, request=response.request)

    def _events(self, response: httpx2.Response) -> httpx2.Response:
        """The same, its messages read, where they come one by one; any other as it is."""
        kind = response.headers.get("content-type", "").lower()
        if self._stand_ins is None or not kind.startswith("text/event-stream"):
            return response
        kept = {**_kept_headers(response), "content-type": "text/event-stream"}
        stream = ReadEvents(response, self._stand_ins.made)
        return httpx2.Response(response.status_code, headers=kept, stream=stream, request=response.request)

    def _refused(self, response: httpx2.Response, body: bytes) -> httpx2.Response | None:
        """What the SDK is to see in place of an answer that is no success; None for that answer itself."""
        request, status = response.request, response.status_code
        error = error_in(body)
        is_greeting = _method(request) == "initialize"
        is_over = "mcp-session-id" in request.headers and _ends_the_session(status, error)
        if is_over or (status == 404 and error is None and not is_greeting):
            return httpx2.Response(404, request=request)  # where it comes with an error, the SDK sees that alone
        if error is not None:
            return None
        said = " ".join(body[:_SHOWN].decode("utf-8", "replace").split())
        answered = f"HTTP {status} {response.reason_phrase}{f': {said}' if said else ''}"
        if is_greeting and status in OF_THE_OLDER:
            self._on_refusal(answered)
        return _error(request, status, INTERNAL_ERROR, self._trouble() or answered)


async def _bare(response: httpx2.Response) -> httpx2.Response:
    """The same without its body, which the SDK would read to its end, if it has one."""
    await response.aclose()
    headers = {"location": where} if (where := response.headers.get("location")) else {}
    bare = httpx2.Response(response.status_code, headers=headers, request=response.request)
    bare.next_request = response.next_request
    return bare


def _kept_headers(response: httpx2.Response) -> dict[str, str]:
    """What holds of the body once it is decoded."""
    return {name: value for name, value in response.headers.items() if name in ("content-type", "mcp-session-id")}


def _within(request: httpx2.Request) -> float | None:
    """Seconds for all of one exchange. Other messages wait behind one that expects no answer; requests wait for
    nothing, and whoever made one knows how long."""
    if request.method == "DELETE":
        return PARTING_WITHIN
    return None if request.method != "POST" or _expects_answer(request) else TAKEN_WITHIN


def _expects_answer(request: httpx2.Request) -> bool:
    """The message that it carries does; a long one may."""
    if len(request.content) > _SMALL:
        return True
    message = json.loads(request.content)
    return "id" in message and "method" in message


def _method(request: httpx2.Request) -> str:
    """Of the message that it carries; empty for a long one, which is no greeting."""
    return "" if len(request.content) > _SMALL else str(json.loads(request.content).get("method", ""))


def _error(request: httpx2.Request, status: int, code: int, message: str) -> httpx2.Response:
    data = LOST if code == CONNECTION_CLOSED else None
    said = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": message, "data": data}}
    return httpx2.Response(status, json=said, request=request)


def _ends_the_session(status: int, error: dict[str, object] | None) -> bool:
    """Whether a server says so of a session that it does not know, as one that was started anew.

    With 404, as MCP has it (Transports, "Session Management"), which is also the status of a method that is not
    known (revision 2026-07-28); or with 400 and words, as servers do that are made after the examples of the SDKs.
    """
    if status == 404:
        return error is None or error["code"] != METHOD_NOT_FOUND
    return status == 400 and error is not None and "session" in str(error.get("message")).lower()


def _why(error: BaseException, shown: str) -> str:
    """A clause for people."""
    match error:
        case httpx2.ConnectError() | httpx2.ConnectTimeout():
            return f"it can't be reached at {shown}"
        case httpx2.InvalidURL():
            return f"{shown} is no address"
        case httpx2.HTTPStatusError():
            return f"it answered HTTP {error.response.status_code} {error.response.reason_phrase}"
        case _:
            return f"the connection broke ({str(error) or type(error).__name__})"

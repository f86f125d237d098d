"""The login of one HTTP server in one session: each request gets its token, and one that ran out is renewed once.

A session never opens a browser. Where there is no login, or it is over, the server's answer stands, `trouble` says
what a person has to do, and `tell` is called once. A login that is made meanwhile, by whichever process, is taken up
by the next request. The SDK's own client auth is used for logging in alone: it knows no expiry of tokens that it
loaded, asks the person where a refresh would do, and holds all requests of a server behind one lock.
"""

from __future__ import annotations

import asyncio
import shlex
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from types import TracebackType
from typing import Self

import httpx2

from handrail.errors import UsageError
from handrail.providers.mcp.renewal import LoginOver, NotRenewed, is_safe, renewed
from handrail.providers.mcp.tokens import Login, Logins

MARGIN = 30.0
"""Seconds before its end at which a token is renewed: it has to last for the way to the server."""

END_WITHIN = 5.0
"""Seconds that closing waits for a renewal under way: its refresh token may be used up already."""


NOT_ENCRYPTED = (
    "its address is not encrypted, so that anybody on the way could read the token and use it; use https:// or a "
    "tunnel to this machine, or write the header of a token into its configuration"
)
"""Why no login is used there: MCP has it so with OAuth 2.1 (section 1.5) and RFC 6750 (section 5.3)."""


def needs_login(name: str) -> str:
    """What a person is told of a server that they have to log in to."""
    return f"needs login: handrail mcp login {shlex.quote(name)}"


class SessionLogin(httpx2.Auth):
    """Authenticates the requests to one server. Use it as an async context manager."""

    requires_response_body = False

    def __init__(
        self,
        name: str,
        url: str,
        logins: Logins,
        tell: Callable[[str], None] = lambda _: None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`name` is the server's, for messages; `tell` gets what a person should know, once each time it becomes so,
        and an empty text when it is over."""
        self.trouble = ""
        """Why requests are refused, for a person; empty while they are not."""
        self.needs_login = False
        self._name = name
        self._url = url
        self._logins = logins
        self._tell = tell
        self._clock = clock
        self._login: Login | None = None
        self._stamp: object = None
        self._loading = asyncio.Lock()
        self._renewing: asyncio.Task[Login | None] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._renewing is not None and not self._renewing.done():
            await asyncio.wait((self._renewing,), timeout=END_WITHIN)
            self._renewing.cancel()

    def may_be_better(self) -> bool:
        """Whether somebody logged in since a request was refused."""
        return self.needs_login and self._logins.stamp(self._url) != self._stamp

    async def async_auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        login = await self._current()
        _authorize(request, login)
        response = yield request
        if response.status_code == 401:
            again = await self._renewed(login) if login is not None else None
            if again is not None:
                _authorize(request, again)
                response = yield request
            if response.status_code == 401 and not self.trouble:
                self._refused(login, own_header="authorization" in request.headers and login is None)
        if response.status_code < 400:
            self._fine()

    async def _current(self) -> Login | None:
        if not is_safe(self._url):
            return None
        async with self._loading:
            stamp = self._logins.stamp(self._url)
            if stamp != self._stamp:
                self._login = await self._logins.load(self._url)
                self._stamp = stamp
                self._fine()
        login = self._login
        if login is not None and login.refresh and login.ends_before(self._clock() + MARGIN):
            return await self._renewed(login)
        return login

    async def _renewed(self, old: Login) -> Login | None:
        """However many ask, one renewal runs, and it runs to its end though the one who asked for it is cancelled."""
        if self._login is not None and self._login.access != old.access:
            return self._login
        if self._renewing is None or self._renewing.done():
            self._renewing = asyncio.create_task(self._renew(old), name=f"login at {self._name}")
        return await asyncio.shield(self._renewing)

    async def _renew(self, old: Login) -> Login | None:
        try:
            async with self._logins.renewing(self._url):
                login = await self._logins.load(self._url)
                if login is None:
                    raise LoginOver
                if login.access == old.access:
                    login = await renewed(login, self._clock())
                    await self._keep(login)
                self._login, self._stamp = login, self._logins.stamp(self._url)
                return login
        except LoginOver:
            await self._forget()
            self._say(needs_login(self._name), needs_login=True)
        except (NotRenewed, TimeoutError, OSError) as error:
            why = str(error) or type(error).__name__
            self._say(f"the login could not be renewed: {why}; the next call tries again")
        return None

    async def _forget(self) -> None:
        """One that can't be taken away, as from a read-only folder, is not taken up again while it is the same."""
        with suppress(OSError):
            await self._logins.forget(self._url)
        self._login, self._stamp = None, self._logins.stamp(self._url)

    async def _keep(self, login: Login) -> None:
        """Tokens that can't be kept still serve this session."""
        try:
            await self._logins.save(self._url, login)
        except UsageError as error:
            self._tell(f"{self._name}: {error}")

    def _refused(self, login: Login | None, *, own_header: bool) -> None:
        if own_header:
            self._say("the server refuses the Authorization header of its configuration; correct it there")
        elif not is_safe(self._url):
            self._say(f"it asks for a login, and {NOT_ENCRYPTED}")
        else:
            self._say(needs_login(self._name), needs_login=True)

    def _say(self, trouble: str, *, needs_login: bool = False) -> None:
        news = trouble != self.trouble
        self.trouble, self.needs_login = trouble, needs_login
        if news:
            self._tell(trouble)

    def _fine(self) -> None:
        if self.trouble:
            self.trouble, self.needs_login = "", False
            self._tell("")


def _authorize(request: httpx2.Request, login: Login | None) -> None:
    if login is not None:
        request.headers["Authorization"] = f"Bearer {login.access!s}"

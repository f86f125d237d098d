"""The login of one server: made by a person, used by sessions, renewed once however many need it."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx2
import pytest

from handrail.errors import LoginFailed, UsageError
from handrail.providers.mcp.login import log_in
from handrail.providers.mcp.oauth import SessionLogin
from handrail.providers.mcp.renewal import NotRenewed, renewed
from handrail.providers.mcp.tokens import Login, Logins
from handrail.settings.mcp.server import Concealed, Http, OAuth
from providers.mcp.keyrings import NO_KEYRING
from providers.mcp.oauth_server import OAuthServer


@pytest.fixture
def server() -> Iterator[OAuthServer]:
    with OAuthServer() as running:
        yield running


class Browser:
    """Goes where it is sent, follows where it is led, as a person's does; notes what it visited."""

    def __init__(self, *, first: str = "") -> None:
        self.visited: list[str] = []
        self.pages: list[str] = []
        self.first = first
        """A query that something else on this machine sends to the loopback address before."""
        self.tasks: list[asyncio.Task[None]] = []

    def __call__(self, address: str) -> None:
        self.visited.append(address)
        self.tasks.append(asyncio.create_task(self._visit(address)))

    async def _visit(self, address: str) -> None:
        async with httpx2.AsyncClient() as client:
            if self.first:
                back = parse_qs(urlsplit(address).query)["redirect_uri"][0]
                self.pages.append((await client.get(f"{back}?{self.first}")).text)
            self.pages.append((await client.get(address, follow_redirects=True)).text)


async def logged_in(server: OAuthServer, logins: Logins) -> Login:
    login = await log_in(Http(server.url), None, Browser())
    await logins.save(server.url, login)
    return login


def client_of(login: SessionLogin) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(auth=login, timeout=30)


async def call(client: httpx2.AsyncClient, server: OAuthServer, id: int = 1) -> int:
    params = {"name": "echo", "arguments": {"n": id}}
    sent = {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}
    return (await client.post(server.url, json=sent)).status_code


@pytest.mark.parametrize("kind", ["http", "sse"])
async def test_a_login_discovers_registers_and_proves_itself_with_pkce(
    server: OAuthServer, kind: Literal["http", "sse"]
) -> None:
    browser = Browser()
    login = await log_in(Http(server.url, kind=kind), None, browser)
    assert login.access in server.access
    assert login.token_endpoint == f"{server.base}/token"
    assert login.resource == server.url
    assert not login.ends_before(time.time() + 3_000)
    assert login.ends_before(time.time() + 4_000)
    assert parse_qs(urlsplit(browser.visited[0]).query)["code_challenge_method"] == ["S256"]
    await asyncio.gather(*browser.tasks)
    assert "close this window" in browser.pages[-1]
    assert not server.wrong


async def test_a_client_that_a_person_names_is_not_registered(server: OAuthServer) -> None:
    server.open_registration = False
    with pytest.raises(LoginFailed):
        await log_in(Http(server.url), None, Browser())
    port = _free_port()
    server.clients["known"] = {"redirect_uris": [f"http://127.0.0.1:{port}/callback"]}
    browser = Browser()
    wanted = OAuth(client_id="known", scopes=("read", "write"), callback_port=port)
    login = await log_in(Http(server.url), wanted, browser)
    assert (login.client_id, login.client_auth) == ("known", "none")
    assert parse_qs(urlsplit(browser.visited[0]).query)["scope"] == ["read write"]


def _free_port() -> int:
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


@pytest.mark.parametrize("first", [urlencode({"code": "evil", "state": "guessed"}), "code=evil", "state=", ""])
async def test_an_answer_without_the_state_of_this_login_is_turned_away_and_the_wait_goes_on(
    server: OAuthServer, first: str
) -> None:
    browser = Browser(first=first or "x=1")
    login = await log_in(Http(server.url), None, browser)
    await asyncio.gather(*browser.tasks)
    assert "not for the login" in browser.pages[0]
    assert login.access in server.access
    assert not server.wrong


async def test_a_person_who_says_no_ends_the_login_with_the_reason(server: OAuthServer) -> None:
    server.denies = True
    with pytest.raises(LoginFailed, match="access_denied the person said no"):
        await log_in(Http(server.url), None, Browser())


@pytest.mark.parametrize("named", ["issuer", "registration_endpoint", "token_endpoint", "authorization_endpoint"])
async def test_nothing_of_a_login_goes_to_an_address_that_is_not_encrypted(server: OAuthServer, named: str) -> None:
    server.elsewhere[named] = f"http://192.0.2.1/{named}"
    with pytest.raises(LoginFailed, match="not encrypted; nothing was"):
        await log_in(Http(server.url), None, Browser())
    assert not server.issued


async def test_a_server_that_is_not_encrypted_has_no_login_and_gets_no_token(tmp_path: Path) -> None:
    url, sent = "http://tides.example/mcp", list[httpx2.Request]()

    def refused(request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        return httpx2.Response(401)

    with pytest.raises(LoginFailed, match="its address is not encrypted"):
        await log_in(Http(url), None, Browser())
    logins, told = Logins(tmp_path, NO_KEYRING), list[str]()
    await logins.save(url, Login(Concealed("at"), "https://tides.example/token", "us", Concealed("rt")))
    async with (
        SessionLogin("tides", url, logins, told.append) as login,
        httpx2.AsyncClient(auth=login, transport=httpx2.MockTransport(refused)) as client,
    ):
        assert (await client.post(url)).status_code == 401
    assert [request.headers.get("authorization") for request in sent] == [None]
    assert "its address is not encrypted" in told[0]
    assert not login.needs_login


async def test_a_server_without_logins_says_so(server: OAuthServer) -> None:
    server.asks_login = False
    browser = Browser()
    with pytest.raises(LoginFailed, match="asks for no login"):
        await log_in(Http(server.url), None, browser)
    assert not browser.visited


async def test_the_wait_for_the_browser_has_a_bound(server: OAuthServer) -> None:
    with pytest.raises(LoginFailed, match="nobody came back"):
        await log_in(Http(server.url), None, lambda address: None, within=0.5)


async def test_a_port_that_is_taken_is_told(server: OAuthServer) -> None:
    taken = int(server.base.rpartition(":")[2])
    with pytest.raises(UsageError, match=f"port {taken}"):
        await log_in(Http(server.url), OAuth(callback_port=taken), Browser())


async def test_each_request_carries_the_token_and_nothing_is_asked_again(server: OAuthServer, tmp_path: Path) -> None:
    logins = Logins(tmp_path, NO_KEYRING)
    await logged_in(server, logins)
    before = len(server.requests)
    async with SessionLogin("locked", server.url, logins) as login, client_of(login) as client:
        assert [await call(client, server, n) for n in range(3)] == [200] * 3
    assert server.requests[before:] == ["POST /mcp"] * 3
    assert not login.trouble


@pytest.mark.parametrize("expires_in", [3600, None, 1])
async def test_a_token_that_ran_out_is_renewed_once_for_all_calls(
    server: OAuthServer, tmp_path: Path, expires_in: int | None
) -> None:
    server.expires_in = expires_in
    logins = Logins(tmp_path, NO_KEYRING)
    await logged_in(server, logins)
    server.expires_in = 3600
    async with SessionLogin("locked", server.url, logins) as login, client_of(login) as client:
        server.expire()
        assert await asyncio.gather(*(call(client, server, n) for n in range(8))) == [200] * 8
        assert await call(client, server) == 200
    assert server.refreshes == 1
    assert not server.wrong
    assert not login.trouble


async def test_two_sessions_share_one_renewal(server: OAuthServer, tmp_path: Path) -> None:
    await logged_in(server, Logins(tmp_path, NO_KEYRING))
    sessions = [SessionLogin("locked", server.url, Logins(tmp_path, NO_KEYRING)) for _ in range(3)]
    clients = [client_of(session) for session in sessions]
    for client in clients:
        assert await call(client, server) == 200
    server.expire()
    assert await asyncio.gather(*(call(client, server) for client in clients)) == [200] * 3
    assert server.refreshes == 1
    for client in clients:
        await client.aclose()


async def test_a_renewal_ends_though_the_call_that_needed_it_is_cancelled(server: OAuthServer, tmp_path: Path) -> None:
    """Its refresh token is used up: who lost the answer would have to log in again."""
    logins = Logins(tmp_path, NO_KEYRING)
    old = await logged_in(server, logins)
    server.expire()
    async with SessionLogin("locked", server.url, logins) as login, client_of(login) as client:
        asked = asyncio.create_task(call(client, server))
        await asyncio.to_thread(server.asked_to_refresh.wait)
        asked.cancel()
        await asyncio.wait((asked,))
    kept = await logins.load(server.url)
    assert kept is not None
    assert kept.access != old.access
    assert kept.access in server.access


async def test_a_login_that_is_over_is_told_once_and_never_asked_about_again(
    server: OAuthServer, tmp_path: Path
) -> None:
    logins, told = Logins(tmp_path, NO_KEYRING), list[str]()
    await logged_in(server, logins)
    server.expire()
    server.refuses_refresh = True
    async with SessionLogin("my server", server.url, logins, told.append) as login, client_of(login) as client:
        assert await asyncio.gather(*(call(client, server, n) for n in range(6))) == [401] * 6
        assert await call(client, server) == 401
        assert login.needs_login
        assert not login.may_be_better()
        assert told == ["needs login: handrail mcp login 'my server'"]
        assert server.refreshes == 1
        assert "GET /authorize" not in server.requests[-8:]
        server.refuses_refresh = False
        await logged_in(server, logins)
        assert login.may_be_better()
        assert await call(client, server) == 200
        assert not login.trouble
        assert told[1:] == [""]


async def test_a_login_that_is_over_and_can_not_be_taken_away_fails_no_request(
    server: OAuthServer, tmp_path: Path
) -> None:
    class ReadOnly(Logins):
        async def forget(self, url: str) -> bool:
            raise PermissionError(13, "Permission denied")

    logins, told = ReadOnly(tmp_path, NO_KEYRING), list[str]()
    await logged_in(server, logins)
    server.expire()
    server.refuses_refresh = True
    async with SessionLogin("locked", server.url, logins, told.append) as login, client_of(login) as client:
        assert [await call(client, server) for _ in range(3)] == [401] * 3
        assert login.needs_login
        assert not login.may_be_better()
    assert told == ["needs login: handrail mcp login locked"]
    assert server.refreshes == 1


async def test_without_a_login_the_server_is_told_to_need_one(server: OAuthServer, tmp_path: Path) -> None:
    told = list[str]()
    logins = Logins(tmp_path, NO_KEYRING)
    async with SessionLogin("locked", server.url, logins, told.append) as login, client_of(login) as client:
        assert [await call(client, server) for _ in range(3)] == [401] * 3
    assert told == ["needs login: handrail mcp login locked"]


async def test_a_header_of_the_configuration_that_is_refused_is_named(server: OAuthServer, tmp_path: Path) -> None:
    login = SessionLogin("locked", server.url, Logins(tmp_path, NO_KEYRING))
    async with httpx2.AsyncClient(auth=login, headers={"Authorization": "Bearer typed"}) as client:
        assert await call(client, server) == 401
    assert "Authorization header of its configuration" in login.trouble
    assert not login.needs_login


@pytest.mark.parametrize("status", [500, 503, 429, 302])
async def test_an_authorization_server_in_trouble_costs_no_login(
    server: OAuthServer, tmp_path: Path, status: int
) -> None:
    logins = Logins(tmp_path, NO_KEYRING)
    await logged_in(server, logins)
    server.expire()
    server.refresh_status = status
    async with SessionLogin("locked", server.url, logins) as login, client_of(login) as client:
        assert await call(client, server) == 401
        assert f"status {status}" in login.trouble
        assert not login.needs_login
        server.refresh_status = 0
        assert await call(client, server) == 200
        assert not login.trouble


@pytest.mark.parametrize("body", ["", "<html>", "[" * 100_000, '{"access_token": "\\ud800'])
async def test_an_answer_that_is_no_json_costs_no_login(body: str) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        writer.write(head.encode() + body.encode())
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as running:
        port = running.sockets[0].getsockname()[1]
        login = Login(Concealed("a"), f"http://127.0.0.1:{port}/token", "us", Concealed("r"))
        with pytest.raises(NotRenewed, match="something else than JSON"):
            await renewed(login, 0.0)


async def test_a_refresh_token_goes_to_no_address_that_is_not_encrypted(server: OAuthServer, tmp_path: Path) -> None:
    logins = Logins(tmp_path, NO_KEYRING)
    login = await logged_in(server, logins)
    await logins.save(server.url, replace(login, token_endpoint="http://192.0.2.1/token"))
    server.expire()
    async with SessionLogin("locked", server.url, logins) as session, client_of(session) as client:
        assert await call(client, server) == 401
    assert session.needs_login


async def test_no_token_is_in_any_log_or_message(
    server: OAuthServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    logins, told = Logins(tmp_path, NO_KEYRING), list[str]()
    await logged_in(server, logins)
    async with SessionLogin("locked", server.url, logins, told.append) as login, client_of(login) as client:
        for _ in range(2):
            server.expire()
            await call(client, server)
            server.refuses_refresh = True
    text = caplog.text + "".join(told)
    assert caplog.records
    assert not [secret for secret in server.issued if secret in text]
    assert Concealed(server.issued[0]) not in repr(login)

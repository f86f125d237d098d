"""A server that needs a login, in a session: its token runs out, is renewed, is refused, and comes back."""

from __future__ import annotations

import asyncio
import logging
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from accounts import case
from handrail.contract.calls import Completed, Failed
from handrail.contract.events import Event, SourceChanged
from handrail.contract.provider import Condition, SourceStatus
from handrail.policy import Mode
from handrail.providers.mcp.login import log_in
from handrail.providers.mcp.offering import Offering
from handrail.providers.mcp.resources import ResourceTools
from handrail.providers.mcp.server import McpServer
from handrail.providers.mcp.tokens import Logins
from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.settings.mcp.server import Http, ServerConfig
from handrail.testing import FakeTool, MemoryJournal, assert_provider_conforms
from neutral_calls import calls
from providers.mcp.mcp_world import PATIENCE, World, called, ready, text_of, until
from providers.mcp.oauth_server import OAuthServer
from providers.mcp.test_oauth import Browser


async def logged_in(world: World, server: OAuthServer) -> None:
    login = await log_in(Http(server.url), None, Browser())
    await Logins(world.folder / "state").save(server.url, login)


def opened(world: World, server: OAuthServer, journal: MemoryJournal) -> AbstractAsyncContextManager[Session]:
    config = ServerConfig("locked", Http(server.url), "a test", trusted=True)
    provider = McpServer(config, world.around(), Offering(["locked"]))
    parts = Parts(tools=(FakeTool("own"),), providers=[provider], journal=journal)
    return Session.open(world.folder, mode=Mode.BYPASS, parts=parts)


@case("MC32")
async def test_one_renewal_serves_all_calls_and_a_login_that_is_over_is_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    world, journal, events = World(tmp_path), MemoryJournal(), list[Event]()
    with OAuthServer() as server:
        await logged_in(world, server)
        async with opened(world, server, journal) as session:
            session.subscribe(events.append)
            await ready(session)
            for n in range(3):
                assert isinstance(await called(session, "mcp_locked_echo", {"n": n}), Completed)
            server.expire()
            async with asyncio.timeout(PATIENCE):
                turn = await session.run(calls(*[("mcp_locked_echo", {"n": n}) for n in range(4)]))
            assert [type(state) for state in turn.calls] == [Completed] * 4
            assert server.refreshes == 1
            server.expire()
            server.refuses_refresh = True
            async with asyncio.timeout(PATIENCE):
                turn = await session.run(calls(*[("mcp_locked_echo", {"n": n}) for n in range(4)]))
            assert [type(state) for state in turn.calls] == [Failed] * 4
            assert all("handrail mcp login locked" in text_of(state) for state in turn.calls)
            told = [each.status for each in events if isinstance(each, SourceChanged)]
            assert [each.condition for each in told].count(Condition.NEEDS_LOGIN) == 1
            assert server.refreshes == 2
            assert server.requests.count("GET /authorize") == 1
            server.refuses_refresh = False
            await logged_in(world, server)
            await session.refresh()
            await until(session, lambda status: status.condition is Condition.READY)
            assert isinstance(await called(session, "mcp_locked_echo", {"n": 9}), Completed)
    written = caplog.text + "".join(map(repr, events)) + repr(journal.__dict__)
    assert not [secret for secret in server.issued if secret in written]


async def test_a_server_that_nobody_logged_in_to_waits_for_that_and_starts_then(tmp_path: Path) -> None:
    world = World(tmp_path)
    with OAuthServer() as server:
        async with opened(world, server, MemoryJournal()) as session:
            status = await until(session, lambda status: status.condition is Condition.NEEDS_LOGIN)
            assert status.detail == "handrail mcp login locked"
            assert "GET /authorize" not in server.requests
            await logged_in(world, server)
            await session.refresh()
            await until(session, lambda status: status.condition is Condition.READY)
            assert isinstance(await called(session, "mcp_locked_echo"), Completed)


@pytest.mark.parametrize("at", [Condition.STARTING, Condition.NEEDS_LOGIN])
async def test_a_session_ends_at_whatever_moment_a_login_is_missed(tmp_path: Path, at: Condition) -> None:
    """What a transport raises when it is closed amid a request must not stand in the way of the end."""

    class Ends:
        def put(self, tools: object, prompts: object = ()) -> tuple[str, ...]:
            return ()

        def notice(self, text: str) -> None: ...

        def say(self, status: SourceStatus) -> None:
            if status.condition is at:
                running.cancel()

    with OAuthServer() as server:
        config = ServerConfig("locked", Http(server.url), "a test")
        provider = McpServer(config, World(tmp_path).around(), Offering(["locked"]))
        running = asyncio.create_task(provider.provide(Ends()))
        done, _ = await asyncio.wait((running,), timeout=PATIENCE)
        assert done
        assert running.cancelled()


async def test_a_server_that_needs_a_login_conforms(tmp_path: Path) -> None:
    with OAuthServer() as server:
        config = ServerConfig("locked", Http(server.url), "a test")
        passed = await assert_provider_conforms(
            lambda launcher: McpServer(config, World(tmp_path).around(), Offering(["locked"])), cancellations=10
        )
    assert passed.statuses[0].condition is Condition.NEEDS_LOGIN


async def test_the_tools_for_resources_conform_where_no_server_is() -> None:
    passed = await assert_provider_conforms(lambda launcher: ResourceTools([]), cancellations=3)
    assert passed.tools == ()

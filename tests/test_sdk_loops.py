"""Anyone's loop: the official SDKs' own objects go in, and what comes out is what their provider takes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from handrail.catalog import Menu
from handrail.contract.results import ErrorKind
from handrail.errors import WireError
from handrail.runtime.parts import Parts
from handrail.runtime.turns import Turn
from handrail.session import Session
from handrail.testing import MemoryJournal
from servers.provider_server import ProviderServer
from servers.script import Use, says
from servers.sdk_calls import MODEL, SDK_CALLS, SdkCall

SCRIPT = [
    says(
        "I look around.",
        Use("list_directory", {"path": "."}),
        Use("read_file", {"file_path": "tide.txt"}),
        thinking="First see what is there.",
    ),
    says(
        "",
        Use("read_file", {"file_path": "missing.txt"}),
        Use("write_file", {"file_path": "new.txt", "content": "x"}),
        Use("glob", {"pattern": "*.txt"}),
    ),
    says("High water is at 06:12, naïve as it sounds: ½ m."),
]
"""Three turns: parallel calls, one of which fails and one of which is denied; then an answer."""

each_call = pytest.mark.parametrize("call", SDK_CALLS, ids=[call.id for call in SDK_CALLS])
each_way = pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "tide.txt").write_text("06:12\n")
    return tmp_path


def parts() -> Parts:
    return Parts(journal=MemoryJournal())


@contextmanager
def serving(call: SdkCall) -> Iterator[ProviderServer]:
    """The server of a whole conversation: at its end nothing was wrong, and the script was played."""
    with ProviderServer(call.dialect(), SCRIPT) as server:
        yield server
    assert server.wrong == []
    assert server.played == [0, 1, 2]


def check(turns: list[Turn], workspace: Path) -> None:
    states = [[type(state).__name__ for state in turn.calls] for turn in turns]
    assert states == [["Completed", "Completed"], ["Failed", "Rejected", "Completed"], []]
    missing, denied, _ = turns[1].calls
    assert missing.fault.kind is ErrorKind.FAILED
    assert denied.fault.kind is ErrorKind.DENIED
    assert [turn.done for turn in turns] == [False, False, True]
    assert turns[0].response.text == "I look around."
    assert turns[2].response.text == "High water is at 06:12, naïve as it sounds: ½ m."
    assert not (workspace / "new.txt").exists()


@each_way
@each_call
async def test_an_async_loop_goes_on_until_the_turn_is_done(call: SdkCall, streamed: bool, workspace: Path) -> None:
    turns: list[Turn] = []
    with serving(call) as server:
        client, messages = call.async_client(server.url), [call.opening]
        async with Session.open(workspace, parts=parts()) as session:
            while not turns or not turns[-1].done:
                response = await call.ask(client, session.menu(MODEL), messages, streamed)
                turns.append(await session.run(response))
                messages += turns[-1].messages
    check(turns, workspace)


@each_way
@each_call
def test_a_loop_without_await_goes_on_until_the_turn_is_done(call: SdkCall, streamed: bool, workspace: Path) -> None:
    turns: list[Turn] = []
    with serving(call) as server:
        client, messages = call.client(server.url), [call.opening]
        with Session.open_sync(workspace, parts=parts()) as session:
            while not turns or not turns[-1].done:
                response = call.ask(client, session.menu(MODEL), messages, streamed)
                turns.append(session.run(response))
                messages += turns[-1].messages
    check(turns, workspace)


@each_call
async def test_a_blocking_clients_stream_is_taken_by_an_async_session(call: SdkCall, workspace: Path) -> None:
    turns: list[Turn] = []
    with serving(call) as server:
        client, messages = call.client(server.url), [call.opening]
        async with Session.open(workspace, parts=parts()) as session:
            while not turns or not turns[-1].done:
                turns.append(await session.run(call.ask(client, session.menu(MODEL), messages, True)))
                messages += turns[-1].messages
    check(turns, workspace)


@each_call
async def test_a_stream_that_somebody_watched_is_taken_as_a_list_of_its_events(call: SdkCall, workspace: Path) -> None:
    turns: list[Turn] = []
    with serving(call) as server:
        client, messages = call.async_client(server.url), [call.opening]
        async with Session.open(workspace, parts=parts()) as session:
            while not turns or not turns[-1].done:
                stream = await call.ask(client, session.menu(MODEL), messages, True)
                turns.append(await session.run([event async for event in stream]))
                messages += turns[-1].messages
    check(turns, workspace)


Helped = Callable[[Any, Menu, list[Any]], AbstractAsyncContextManager[Any]]
"""A call by one of the SDKs' conveniences, as a block in which its response or stream can be had."""


def anthropic_stream(client: Any, menu: Menu, messages: list[Any]) -> AbstractAsyncContextManager[Any]:
    return client.messages.stream(model=MODEL, max_tokens=1000, tools=menu.anthropic(), messages=messages)


def chat_stream(client: Any, menu: Menu, messages: list[Any]) -> AbstractAsyncContextManager[Any]:
    return client.chat.completions.stream(model=MODEL, tools=menu.openai_chat(), messages=messages)


def responses_stream(client: Any, menu: Menu, messages: list[Any]) -> AbstractAsyncContextManager[Any]:
    return client.responses.stream(model=MODEL, tools=menu.openai_responses(), input=messages)


@asynccontextmanager
async def anthropic_final(client: Any, menu: Menu, messages: list[Any]) -> AsyncIterator[Any]:
    async with anthropic_stream(client, menu, messages) as stream:
        yield await stream.get_final_message()


@asynccontextmanager
async def chat_final(client: Any, menu: Menu, messages: list[Any]) -> AsyncIterator[Any]:
    async with chat_stream(client, menu, messages) as stream:
        yield await stream.get_final_completion()


@asynccontextmanager
async def responses_final(client: Any, menu: Menu, messages: list[Any]) -> AsyncIterator[Any]:
    async with responses_stream(client, menu, messages) as stream:
        yield await stream.get_final_response()


@asynccontextmanager
async def responses_parsed(client: Any, menu: Menu, messages: list[Any]) -> AsyncIterator[Any]:
    yield await client.responses.parse(model=MODEL, tools=menu.openai_responses(), input=messages)


ANTHROPIC, CHAT, RESPONSES, *_ = SDK_CALLS


@pytest.mark.parametrize(
    ("call", "helped"),
    [
        (ANTHROPIC, anthropic_stream),
        (ANTHROPIC, anthropic_final),
        (CHAT, chat_stream),
        (CHAT, chat_final),
        (RESPONSES, responses_stream),
        (RESPONSES, responses_final),
        (RESPONSES, responses_parsed),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)
async def test_what_the_sdks_own_helpers_add_does_not_go_back(call: SdkCall, helped: Helped, workspace: Path) -> None:
    turns: list[Turn] = []
    with serving(call) as server:
        client, messages = call.async_client(server.url), [call.opening]
        async with Session.open(workspace, parts=parts()) as session:
            while not turns or not turns[-1].done:
                async with helped(client, session.menu(MODEL), messages) as response:
                    turns.append(await session.run(response))
                messages += turns[-1].messages
    check(turns, workspace)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (None, "got NoneType; expected a provider's response"),
        (b"{}", "got bytes; expected a provider's response"),
        ([object()], "got object; expected a provider's response"),
        ([], "no event of a known wire"),
        ({"id": "x"}, "got an object with `id`"),
    ],
)
async def test_what_is_no_response_is_refused_in_words(given: object, said: str, workspace: Path) -> None:
    async with Session.open(workspace, parts=parts()) as session:
        with pytest.raises(WireError, match=said):
            await session.run(given)

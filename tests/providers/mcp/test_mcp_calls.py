"""One call of a server's tool: its time, its progress, and its end when somebody cancels it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp_world import PATIENCE, Script, World, called, ready, text_of, tool, until

from accounts import case
from handrail.contract.calls import Cancelled, Failed
from handrail.contract.events import ProgressMade
from handrail.contract.provider import Condition
from handrail.providers.mcp.patience import MOST_TIMES, Patience
from handrail.session import Session
from neutral_calls import calls

ONE = [tool("one"), tool("two")]
BEGUN: Script = {"progress": {"progress": 1, "message": "begun"}}


def heard(file: Path, method: str) -> list[dict[str, Any]]:
    lines = file.read_text().splitlines() if file.exists() else []
    return [message for message in map(json.loads, lines) if message.get("method") == method]


class Watching:
    """All events of a session, and a wait for one of them."""

    def __init__(self, session: Session) -> None:
        self.events: list[object] = []
        self._news = asyncio.Event()
        session.subscribe(self._note)

    def _note(self, event: object) -> None:
        self.events.append(event)
        self._news.set()

    async def told(self, wanted: Callable[[object], bool], count: int = 1) -> None:
        """Until so many events were as wanted."""
        async with asyncio.timeout(PATIENCE):
            while sum(map(wanted, self.events)) < count:
                self._news.clear()
                await self._news.wait()

    async def running(self, count: int = 1) -> None:
        """Until so many calls were begun by their server, which says so by some progress."""
        await self.told(lambda event: isinstance(event, ProgressMade) and event.message == "begun", count)

    @property
    def progress(self) -> list[tuple[float | None, str]]:
        return [(event.fraction, event.message) for event in self.events if isinstance(event, ProgressMade)]


@case("MC19")
async def test_a_cancelled_call_is_told_to_its_server_and_a_late_answer_is_dropped(tmp_path: Path) -> None:
    world, file = World(tmp_path), tmp_path / "heard"
    actions = [BEGUN, {"until": "notifications/cancelled"}, {"text": "late"}]
    script = {"tools": ONE, "heard": str(file), "answers": {"one": actions}}
    async with world.session(world.config("s", script)) as session:
        await ready(session)
        watching = Watching(session)
        run = asyncio.create_task(session.run(calls(("mcp_s_one", {})), turn="t"))
        await watching.running()
        async with asyncio.timeout(PATIENCE):
            assert await session.cancel_turn("t")
            (state,) = (await run).calls
        assert isinstance(state, Cancelled)
        assert text_of(await called(session, "mcp_s_two", {"a": 1})) == '{"a": 1}'
    (sent, _), (told_it,) = heard(file, "tools/call"), heard(file, "notifications/cancelled")
    assert told_it["params"]["requestId"] == sent["id"]


async def test_a_cancelled_call_returns_though_its_server_reads_nothing(tmp_path: Path) -> None:
    world = World(tmp_path)
    script = {"tools": ONE, "answers": {"one": [BEGUN, {"hang": 1}]}}
    async with world.session(world.config("s", script)) as session:
        await ready(session)
        watching, large = Watching(session), {"text": "x" * 3_000_000}
        runs = [asyncio.create_task(session.run(calls(("mcp_s_one", large)), turn=f"t{n}")) for n in range(4)]
        await watching.running()
        async with asyncio.timeout(PATIENCE):
            for number in range(4):
                await session.cancel_turn(f"t{number}")
            for run in runs:
                assert all(isinstance(state, Cancelled) for state in (await run).calls)


@case("MC20")
@pytest.mark.parametrize("answers_first", [True, False])
async def test_an_answer_that_races_with_its_cancellation_harms_no_other_call(
    tmp_path: Path, answers_first: bool
) -> None:
    world = World(tmp_path)
    before: list[Script] = [] if answers_first else [{"until": "notifications/cancelled"}]
    script = {"tools": ONE, "answers": {"one": [BEGUN, *before, {"text": "raced"}]}}
    async with world.session(world.config("s", script)) as session:
        await ready(session)
        watching = Watching(session)
        for number in range(1, 11):
            run = asyncio.create_task(session.run(calls(("mcp_s_one", {})), turn=f"t{number}"))
            await watching.running(number)
            await session.cancel_turn(f"t{number}")
            async with asyncio.timeout(PATIENCE):
                await run
            assert text_of(await called(session, "mcp_s_two", {"n": number})) == json.dumps({"n": number})


@case("cc-111", "cc-112")
async def test_a_server_that_never_answers_fails_each_call_within_its_time(tmp_path: Path) -> None:
    world, file = World(tmp_path), tmp_path / "heard"
    script = {"tools": ONE, "heard": str(file), "answers": {"one": [{"until": "notifications/cancelled"}]}}
    async with world.session(world.config("s", script, call_within=1)) as session:
        await ready(session)
        for _ in range(2):
            state = await called(session, "mcp_s_one")
            assert isinstance(state, Failed)
            assert state.fault.message == (
                "s did not answer one within 1 s, and was told to stop. Whether it did what was asked is not known: "
                "look before you try again."
            )
        assert text_of(await called(session, "mcp_s_two", {"a": 1})) == '{"a": 1}'
    assert len(heard(file, "notifications/cancelled")) == 2


async def test_progress_is_shown_and_gives_a_call_more_time(tmp_path: Path) -> None:
    world = World(tmp_path)
    steps: list[Script] = []
    for step in range(1, 5):
        steps += [{"sleep": 0.4}, {"progress": {"progress": step, "total": 4, "message": f"step {step}"}}]
    script = {"tools": ONE, "answers": {"one": [*steps, {"text": "done"}]}}
    async with world.session(world.config("s", script, call_within=1.2)) as session:
        await ready(session)
        watching = Watching(session)
        assert text_of(await called(session, "mcp_s_one")) == "done"
    assert watching.progress[-1][0] in (0.75, 1.0)
    assert watching.progress[0][1] == "step 1"


@case("MC33")
async def test_progress_of_others_is_ignored_and_a_flood_of_it_is_thinned(tmp_path: Path) -> None:
    world = World(tmp_path)
    theirs = {"progress": {"token": "zzz", "progress": 1, "message": "not mine"}}
    mine = {"progress": {"progress": 3, "total": 4, "message": "mine"}}
    backwards = {"progress": {"progress": 1, "total": 2, "message": "less of it"}}
    odd = [{"progress": {"progress": "x", "total": []}}, {"progress": {"token": [1], "progress": 1}}]
    after = {"times": [10, [mine]]}
    actions = [{"times": [1_000, [theirs]]}, {"times": [1_000, [mine]]}, backwards, *odd, {"text": "done"}, after]
    script = {"tools": ONE, "answers": {"one": actions}}
    async with world.session(world.config("s", script)) as session:
        await ready(session)
        watching = Watching(session)
        assert text_of(await called(session, "mcp_s_one")) == "done"
        assert text_of(await called(session, "mcp_s_two", {"a": 1})) == '{"a": 1}'
    assert len(watching.progress) < 200
    assert not any(message == "not mine" for _, message in watching.progress)


async def test_progress_does_not_buy_time_for_ever() -> None:
    patience, renewals = Patience(0.05), 0

    async def work() -> None:
        nonlocal renewals
        async with patience:
            while True:
                patience.renew()
                renewals += 1
                await asyncio.sleep(0)

    with pytest.raises(TimeoutError):
        await work()
    assert renewals > MOST_TIMES


async def test_news_after_the_end_of_a_call_is_nobodys() -> None:
    patience = Patience(1)
    async with patience:
        pass
    patience.renew()


async def test_several_calls_of_one_server_run_together(tmp_path: Path) -> None:
    world, gate = World(tmp_path), tmp_path / "gate"
    script = {
        "tools": [tool("one"), tool("two")],
        "answers": {"one": [{"later": str(gate)}], "two": [{"touch": str(gate)}]},
    }
    async with world.session(world.config("s", script)) as session:
        await ready(session)
        server = world.servers[0]
        from handrail.providers.mcp.asked import NobodyAnswers

        def ignored(*said: object) -> None: ...

        def sent(name: str) -> Awaitable[Any]:
            return server.call(name, {}, unchanged=ignored, progress=ignored, answering=NobodyAnswers())

        async with asyncio.timeout(PATIENCE):
            results = await asyncio.gather(sent("one"), sent("two"))
        assert [block.text for result in results for block in result.content if block.type == "text"] == [
            "open",
            "made",
        ]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            [{"error": {"code": -32602, "message": "no such port"}}],
            "s refused tools/call: no such port (error -32602).",
        ),
        (
            [{"error": {"code": -32000, "message": "busy"}}],
            "s refused tools/call: busy (error -32000).",
        ),
        ([{"reply": {"isError": True, "content": [{"type": "text", "text": "boom"}]}}], "boom"),
    ],
)
async def test_what_a_server_refuses_is_said_once_and_not_tried_again(
    tmp_path: Path, answer: list[Script], said: str
) -> None:
    world, file = World(tmp_path), tmp_path / "heard"
    script = {"tools": ONE, "heard": str(file), "answers": {"one": answer}}
    async with world.session(world.config("s", script)) as session:
        await ready(session)
        state = await called(session, "mcp_s_one")
        assert isinstance(state, Failed)
        assert said in state.fault.message
    assert len(heard(file, "tools/call")) == 1


async def test_roots_are_the_folders_of_the_workspace(tmp_path: Path) -> None:
    world = World(tmp_path)
    script = {"tools": ONE, "answers": {"one": [{"ask": {"method": "roots/list"}}]}}
    async with world.session(world.config("s", script)) as session:
        await ready(session)
        answer = json.loads(text_of(await called(session, "mcp_s_one")))
        assert [root["uri"] for root in answer["roots"]] == [tmp_path.as_uri()]


async def test_a_call_of_a_server_that_does_not_start_says_so(tmp_path: Path) -> None:
    world = World(tmp_path)
    script = {"tools": ONE, "answers": {"one": [{"rewrite": {"start": [{"hang": 1}]}}, {"exit": 1}]}}
    async with world.session(world.config("s", script, start_within=3)) as session:
        await ready(session)
        await called(session, "mcp_s_one")
        await until(session, lambda status: status.condition is not Condition.READY)
        state = await called(session, "mcp_s_two")
        assert isinstance(state, Failed)
        assert state.fault.message.startswith("s has not started within 3 s.")

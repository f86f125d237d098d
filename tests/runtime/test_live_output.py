"""Live output: gathered in time, the last state always told, and told before the call's outcome."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path
from typing import Any

import pytest

from call_harness import opened, request, settled, started
from handrail.contract.basics import CallId
from handrail.contract.calls import Completed
from handrail.contract.events import (
    CallChanged,
    NoticeGiven,
    OutputArrived,
    ProgressMade,
    fraction_of,
    fraction_within,
)
from handrail.runtime.live_output import INTERVAL, MOST_GATHERED
from handrail.testing import FakeTool


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


async def told(tmp_path: Path, behaviour: Any, clock: Clock) -> list[Any]:
    """The events of one run, from its output on."""
    heard: list[Any] = []
    async with opened(tmp_path, FakeTool("talker", behaviour), clock=clock) as session:
        session.subscribe(heard.append)
        assert isinstance(await settled(session, "talker"), Completed)
    return [event for event in heard if not isinstance(event, CallChanged) or isinstance(event.state, Completed)]


async def test_the_first_words_are_told_at_once_and_the_rest_together_at_the_end(tmp_path: Path) -> None:
    async def talk(params: Any, context: Any) -> str:
        for word in ("one ", "two ", "three"):
            context.output.text(word)
        return "ok"

    *output, outcome = await told(tmp_path, talk, Clock())
    assert [event.text for event in output] == ["one ", "two three"]
    assert isinstance(outcome, CallChanged)


async def test_words_that_come_slowly_are_told_one_by_one(tmp_path: Path) -> None:
    clock = Clock()

    async def talk(params: Any, context: Any) -> str:
        for word in ("one", "two", "three"):
            context.output.text(word)
            clock.now += INTERVAL
        return "ok"

    *output, _ = await told(tmp_path, talk, clock)
    assert [event.text for event in output] == ["one", "two", "three"]


async def test_a_clock_that_is_set_back_delays_nothing(tmp_path: Path) -> None:
    clock = Clock()

    async def talk(params: Any, context: Any) -> str:
        for word in ("one", "two"):
            context.output.text(word)
            clock.now -= 3_600
        return "ok"

    *output, _ = await told(tmp_path, talk, clock)
    assert [event.text for event in output] == ["one", "two"]


async def test_of_progress_the_last_state_is_told(tmp_path: Path) -> None:
    async def work(params: Any, context: Any) -> str:
        for percent in range(101):
            context.output.progress(percent / 100, f"{percent} %")
        return "ok"

    *output, _ = await told(tmp_path, work, Clock())
    assert output == [ProgressMade(CallId("c1"), 0.0, "0 %"), ProgressMade(CallId("c1"), 1.0, "100 %")]


async def test_what_was_gathered_is_told_though_nothing_follows(tmp_path: Path) -> None:
    arrived = asyncio.Event()

    async def talk(params: Any, context: Any) -> str:
        context.output.text("one")
        context.output.text("two")
        await arrived.wait()
        return "ok"

    async with opened(tmp_path, FakeTool("talker", talk), clock=Clock()) as session:
        session.subscribe(
            lambda event: arrived.set() if isinstance(event, OutputArrived) and event.text == "two" else None
        )
        assert isinstance(await settled(session, "talker"), Completed)


async def test_the_last_words_of_a_cancelled_call_are_told_before_its_outcome(tmp_path: Path) -> None:
    async def talk(params: Any, context: Any) -> str:
        context.output.text("one")
        context.output.text("two")
        await asyncio.Event().wait()
        return "never"

    heard: list[Any] = []
    async with opened(tmp_path, FakeTool("talker", talk), clock=Clock()) as session:
        session.subscribe(heard.append)
        await started(session, request("talker"))
        await session.cancel(CallId("c1"))
    assert [event.text for event in heard if isinstance(event, OutputArrived)] == ["one", "two"]
    assert isinstance(heard[-1], CallChanged)


async def test_a_notice_stands_where_it_was_given(tmp_path: Path) -> None:
    async def talk(params: Any, context: Any) -> str:
        context.output.text("one")
        context.output.text("two")
        context.output.notice("half way")
        context.output.text("three")
        return "ok"

    *output, _ = await told(tmp_path, talk, Clock())
    assert output == [
        OutputArrived(CallId("c1"), "one"),
        OutputArrived(CallId("c1"), "two"),
        NoticeGiven(CallId("c1"), "half way"),
        OutputArrived(CallId("c1"), "three"),
    ]


async def test_nothing_is_told_of_a_call_that_has_its_outcome(tmp_path: Path) -> None:
    outputs: list[Any] = []

    async def leave_it_behind(params: Any, context: Any) -> str:
        outputs.append(context.output)
        return "ok"

    heard: list[Any] = []
    async with opened(tmp_path, FakeTool("talker", leave_it_behind)) as session:
        session.subscribe(heard.append)
        await settled(session, "talker")
        outputs[0].text("too late")
        outputs[0].progress(1.0)
    assert isinstance(heard[-1], CallChanged)


async def test_a_flood_is_told_in_large_pieces_and_not_gathered_without_end(tmp_path: Path) -> None:
    async def flood(params: Any, context: Any) -> str:
        for _ in range(1_000):
            context.output.text("x" * 1_000)
        return "ok"

    *output, _ = await told(tmp_path, flood, Clock())
    assert sum(len(event.text) for event in output) == 1_000_000
    assert len(output) < 30
    assert max(len(event.text) for event in output) <= MOST_GATHERED + 1_000


@pytest.mark.parametrize(
    ("done", "total", "fraction"),
    [
        (30, 20, 1.0),
        (5, 20, 0.25),
        (3, 0, None),
        (3, -1, None),
        (3, None, None),
        (3, math.nan, None),
        (3, math.inf, None),
        (-1, 2, 0.0),
    ],
)
def test_progress_is_a_part_of_a_total_that_means_something(done: float, total: float | None, fraction: Any) -> None:
    assert fraction_of(done, total) == fraction


@pytest.mark.parametrize(("given", "told"), [(2.0, 1.0), (-1.0, 0.0), (0.5, 0.5), (math.nan, None), (None, None)])
def test_a_fraction_lies_between_nothing_and_all(given: float | None, told: float | None) -> None:
    assert fraction_within(given) == told

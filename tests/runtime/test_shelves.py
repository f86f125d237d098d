"""Providers run beside the session: none delays another, and what one has can change."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from handrail.contract.calls import Cancelled, Completed, Failed
from handrail.contract.events import Event, SourceChanged
from handrail.contract.provider import Condition, Shelf, SourceStatus
from handrail.contract.tool import Tool
from handrail.errors import ToolDefinitionError
from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.testing import FakeTool, MemoryJournal
from neutral_calls import calls


class Played:
    """A provider whose shelf a test fills. `opened` is set once it has the shelf."""

    def __init__(self, name: str, tools: Sequence[Tool[object]] = (), fault: Exception | None = None) -> None:
        self.name = name
        self.shelf: Shelf | None = None
        self.ended = False
        self.next: Sequence[Tool[object]] | None = None
        self._tools = tools
        self._fault = fault

    async def provide(self, shelf: Shelf) -> None:
        self.shelf = shelf
        shelf.put(self._tools)
        shelf.say(SourceStatus(self.name, Condition.STARTING))
        if self._fault is not None:
            raise self._fault
        try:
            await asyncio.Event().wait()
        finally:
            self.ended = True

    async def refresh(self) -> None:
        if self.next is not None and self.shelf is not None:
            self.shelf.put(self.next)


def names_of(session: Session) -> list[str]:
    return [shown.name for shown in session.menu().tools]


def parts(*providers: Played) -> Parts:
    return Parts(tools=(FakeTool("own"),), providers=providers, journal=MemoryJournal())


async def test_what_is_put_before_the_first_wait_is_there_at_once_and_ends_with_the_session(tmp_path: Path) -> None:
    provider = Played("harbour", [FakeTool("tide")])
    async with Session.open(tmp_path, parts=parts(provider)) as session:
        assert names_of(session) == ["own", "tide"]
        assert not provider.ended
    assert provider.ended


async def test_the_order_is_that_of_the_providers_whoever_is_ready_first(tmp_path: Path) -> None:
    first, second = Played("first"), Played("second", [FakeTool("b")])
    async with Session.open(tmp_path, parts=parts(first, second)) as session:
        assert first.shelf is not None
        first.shelf.put([FakeTool("a")])
        assert names_of(session) == ["own", "a", "b"]


async def test_two_of_the_same_name_take_nothing_from_each_other(tmp_path: Path) -> None:
    first, second = Played("harbour", [FakeTool("a")]), Played("harbour", [FakeTool("b")])
    async with Session.open(tmp_path, parts=parts(first, second)) as session:
        assert names_of(session) == ["own", "a", "b"]


async def test_one_that_raises_takes_away_its_own_tools_and_no_others(tmp_path: Path) -> None:
    broken, fine = Played("broken", [FakeTool("gone")], RuntimeError("no wind")), Played("fine", [FakeTool("b")])
    async with Session.open(tmp_path, parts=parts(broken, fine)) as session:
        assert names_of(session) == ["own", "b"]
        failed = next(status for status in session.sources() if status.condition is Condition.FAILED)
        assert (failed.name, failed.detail) == ("broken", "RuntimeError: no wind")


async def test_a_bad_tool_hides_no_other_of_its_provider(tmp_path: Path) -> None:
    provider = Played("harbour")
    async with Session.open(tmp_path, parts=parts(provider)) as session:
        assert provider.shelf is not None
        problems = provider.shelf.put([FakeTool("a"), FakeTool("own"), FakeTool("b")])
        assert names_of(session) == ["own", "a", "b"]
        assert len(problems) == 1
        assert "'own' is taken" in problems[0]


async def test_a_tool_that_was_taken_away_says_so_when_it_is_called(tmp_path: Path) -> None:
    provider = Played("harbour", [FakeTool("a"), FakeTool("b")])
    async with Session.open(tmp_path, parts=parts(provider)) as session:
        provider.next = [FakeTool("b"), FakeTool("c")]
        await session.run(calls(("b", {})))
        assert names_of(session) == ["own", "b", "c"]
        turn = await session.run(calls(("a", {}), ("c", {})))
        gone, there = turn.calls
        assert isinstance(gone, Failed)
        assert gone.fault.message == "a is no longer available: harbour does not offer it any more."
        assert isinstance(there, Completed)
        provider.next = [FakeTool("a")]
        await session.refresh()
        assert names_of(session) == ["own", "a"]


class Awake(Played):
    """Knows whether it has anything to refresh."""

    is_stale = False


async def test_one_that_knows_of_nothing_new_is_passed_by_until_it_does(tmp_path: Path) -> None:
    provider = Awake("harbour", [FakeTool("a")])
    async with Session.open(tmp_path, parts=parts(provider)) as session:
        provider.next = [FakeTool("b")]
        await session.run(calls(("own", {})))
        assert names_of(session) == ["own", "a"]
        provider.is_stale = True
        await session.run(calls(("own", {})))
        assert names_of(session) == ["own", "b"]


class Confused(Played):
    """Fails to say what it could have, and whether that has changed."""

    @property
    def is_stale(self) -> bool:
        raise RuntimeError("which way is up?")

    def may_have(self, tool: str) -> bool:
        raise RuntimeError("what is a tool?")


async def test_one_that_fails_to_say_whether_anything_changed_is_asked_for_it_and_harms_no_turn(tmp_path: Path) -> None:
    provider = Confused("harbour", [FakeTool("a")])
    async with Session.open(tmp_path, parts=parts(provider)) as session:
        assert provider.shelf is not None
        provider.shelf.put([FakeTool("a")])
        provider.next = [FakeTool("b")]
        (call,) = (await session.run(calls(("own", {})))).calls
        assert isinstance(call, Completed)
        assert names_of(session) == ["own", "b"]


async def test_one_that_fails_to_say_what_it_could_have_is_waited_for(tmp_path: Path) -> None:
    provider = Confused("harbour")
    async with Session.open(tmp_path, parts=parts(provider)) as session:
        turn = asyncio.create_task(session.run(calls(("a", {}))))
        assert (await asyncio.wait((turn,), timeout=0.05))[1]
        assert provider.shelf is not None
        provider.shelf.put([FakeTool("a")])
        (call,) = (await turn).calls
        assert isinstance(call, Completed)


def odd(**said: object) -> Tool[object]:
    tool = FakeTool("odd")
    for name, each in said.items():
        setattr(tool, name, each)
    return tool


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (odd(name=5), "5 can't name FakeTool: it is no text"),
        (odd(aliases=("a2", None)), "None can't name FakeTool: it is no text"),
        (odd(aliases="tide"), "FakeTool has aliases that are no tuple of names: 'tide'"),
        (odd(aliases=None), "FakeTool has aliases that are no tuple of names: None"),
        (odd(title=5), "odd has title = 5; it has to be a text"),
        (odd(description=None), "odd has description = None; it has to be a text"),
        (odd(kind="read"), "odd has kind = 'read'; it has to be a Kind, as Kind.READ"),
        (
            odd(needs_approval="Always"),
            'odd has needs_approval = \'Always\'; it has to be a function, True, False, "always", "never" or "once"',
        ),
        (odd(leads="no"), "odd has leads = 'no'; it has to be True or False"),
        (odd(on_cancel="wait"), 'odd has on_cancel = \'wait\'; it has to be "cancel" or "finish"'),
        (odd(timeout=True), "odd has timeout = True; it has to be seconds, or None"),
        (odd(max_result_chars="x"), "odd has max_result_chars = 'x'; it has to be a whole number above 0"),
        (odd(parameters=None), "odd says nowhere what it takes: write class FakeTool(Tool[Params])"),
    ],
)
async def test_a_tool_that_says_what_it_can_not_say_hides_no_other_of_its_provider(
    tmp_path: Path, bad: Tool[object], why: str
) -> None:
    provider = Played("harbour")
    async with Session.open(tmp_path, parts=parts(provider)) as session:
        assert provider.shelf is not None
        assert list(provider.shelf.put([FakeTool("a"), bad, FakeTool("b")])) == [why]
        assert names_of(session) == ["own", "a", "b"]


class Late:
    """A provider that has its tools when a test lets it, and none whose name does not begin as its own."""

    def __init__(self, name: str, *, comes: bool = True) -> None:
        self.name = name
        self.asked = asyncio.Event()
        self.comes = asyncio.Event()
        self._puts = comes

    async def provide(self, shelf: Shelf) -> None:
        shelf.say(SourceStatus(self.name, Condition.STARTING))
        await self.comes.wait()
        if self._puts:
            shelf.put([FakeTool(f"{self.name}_tide")])
        shelf.say(SourceStatus(self.name, Condition.READY if self._puts else Condition.FAILED))

    def may_have(self, tool: str) -> bool:
        self.asked.set()
        return tool.startswith(self.name)

    async def refresh(self) -> None: ...


@pytest.mark.parametrize(("comes", "ends"), [(True, Completed), (False, Failed)])
async def test_a_call_waits_for_a_source_that_is_starting_where_the_name_could_be_its_own(
    tmp_path: Path, comes: bool, ends: type
) -> None:
    brest, never = Late("brest", comes=comes), Late("never")
    given = Parts(tools=(FakeTool("own"),), providers=(brest, never), journal=MemoryJournal())
    async with Session.open(tmp_path, parts=given) as session:
        run = asyncio.create_task(session.run(calls(("own", {}), ("brest_tide", {}), ("typing_error", {}))))
        await brest.asked.wait()
        brest.comes.set()
        own, tide, error = (await run).calls
        assert isinstance(own, Completed)
        assert isinstance(tide, ends)
        assert isinstance(error, Failed)
        assert not never.comes.is_set()


async def test_a_call_that_waits_for_a_source_can_be_cancelled(tmp_path: Path) -> None:
    late = Late("late")
    given = Parts(tools=(), providers=(late,), journal=MemoryJournal())
    async with Session.open(tmp_path, parts=given) as session:
        run = asyncio.create_task(session.run(calls(("late_tide", {}))))
        await late.asked.wait()
        await session.cancel_all()
        assert isinstance((await run).calls[0], Cancelled)


async def test_how_it_stands_is_told_once_for_each_change(tmp_path: Path) -> None:
    provider, heard = Played("harbour"), list[Event]()
    async with Session.open(tmp_path, parts=parts(provider)) as session:
        session.subscribe(heard.append)
        assert provider.shelf is not None
        ready = SourceStatus("harbour", Condition.READY, "2 tools")
        provider.shelf.say(ready)
        provider.shelf.say(ready)
        assert heard == [SourceChanged(ready)]
        assert session.sources() == (ready,)


async def test_a_given_tool_that_can_not_be_registered_is_raised(tmp_path: Path) -> None:
    given = Parts(tools=(FakeTool("a"), FakeTool("a")), journal=MemoryJournal())
    with pytest.raises(ToolDefinitionError, match="'a' is taken"):
        async with Session.open(tmp_path, parts=given):
            pass

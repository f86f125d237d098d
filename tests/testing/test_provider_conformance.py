"""The kit for providers passes those that keep to their contract, and says what is wrong with others."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import ClassVar

import pytest

from handrail.contract.launching import Launcher
from handrail.contract.provider import Condition, Provider, Shelf, SourceStatus
from handrail.runtime.shelves import REFRESH_WITHIN
from handrail.testing import FakeTool, NotConforming, assert_provider_conforms
from handrail.testing.conforming import providing


class Harbour:
    """Keeps to the contract; what is wrong with others is said in the classes below."""

    name = "harbour"
    tools = ("tide", "moon", "sun")

    def __init__(self) -> None:
        self.shelf: Shelf | None = None

    async def provide(self, shelf: Shelf) -> None:
        self.shelf = shelf
        shelf.say(SourceStatus(self.name, Condition.STARTING))
        await asyncio.sleep(0)
        problems = shelf.put(self.made())
        shelf.say(SourceStatus(self.name, Condition.READY, "3 tools", tuple(problems)))
        await asyncio.Event().wait()

    def made(self) -> list[FakeTool]:
        return [FakeTool(name) for name in self.tools]

    async def refresh(self) -> None: ...


class Raises(Harbour):
    async def provide(self, shelf: Shelf) -> None:
        raise OSError("no wind")


class NeverSays(Harbour):
    async def provide(self, shelf: Shelf) -> None:
        shelf.say(SourceStatus(self.name, Condition.STARTING))
        await asyncio.Event().wait()


class Nameless(Harbour):
    name = ""


class ManyLines(Harbour):
    async def provide(self, shelf: Shelf) -> None:
        shelf.put(self.made())
        shelf.say(SourceStatus("harbour", Condition.READY, "no\nwind", ("also told",)))


class BadName(Harbour):
    def made(self) -> list[FakeTool]:
        bad = FakeTool("tide")
        bad.description = ""
        return [bad]


class NoTool(Harbour):
    def made(self) -> list[FakeTool]:
        return ["tide"]  # type: ignore[list-item]


class GivesUp(Harbour):
    """One tool that can't be is the end of all others."""

    async def provide(self, shelf: Shelf) -> None:
        for number, tool in enumerate(self.made()):
            if shelf.put(self.made()[: number + 1]):
                return shelf.say(SourceStatus(self.name, Condition.FAILED, tool.name))
        return None


class TellsNobody(Harbour):
    async def provide(self, shelf: Shelf) -> None:
        shelf.put(self.made())


class Wanders(Harbour):
    """No two of them have the same."""

    made_before: ClassVar[list[int]] = []

    def made(self) -> list[FakeTool]:
        self.made_before.append(1)
        return [FakeTool(f"tide_{len(self.made_before)}")]


class HangsWhenRefreshed(Harbour):
    async def refresh(self) -> None:
        await asyncio.Event().wait()


class RaisesWhenRefreshed(Harbour):
    async def refresh(self) -> None:
        raise ValueError("ebb")


class LosesWhenRefreshed(Harbour):
    async def refresh(self) -> None:
        if self.shelf is not None:
            self.shelf.put([])


class Stubborn(Harbour):
    """Does not let its cancellation through until somebody lets it go."""

    let_go = asyncio.Event()

    async def provide(self, shelf: Shelf) -> None:
        shelf.put(self.made())
        shelf.say(SourceStatus(self.name, Condition.READY, "", ("told",)))
        while not self.let_go.is_set():
            try:
                await self.let_go.wait()
            except asyncio.CancelledError:
                continue


class LeavesATask(Harbour):
    tasks: ClassVar[list[asyncio.Task[object]]] = []

    async def provide(self, shelf: Shelf) -> None:
        self.tasks.append(asyncio.create_task(asyncio.Event().wait(), name="left-behind"))
        await super().provide(shelf)


class SpeaksAfterItsEnd(Harbour):
    async def provide(self, shelf: Shelf) -> None:
        try:
            await super().provide(shelf)
        finally:
            asyncio.get_running_loop().call_soon(lambda: asyncio.get_running_loop().call_soon(shelf.put, ()))


class LeavesAProcess(Harbour):
    processes: ClassVar[list[asyncio.subprocess.Process]] = []

    async def provide(self, shelf: Shelf) -> None:
        code = "import time; time.sleep(600)"
        self.processes.append(await asyncio.create_subprocess_exec(sys.executable, "-c", code))
        await super().provide(shelf)


@pytest.fixture(autouse=True)
async def _cleaned_up():
    Stubborn.let_go = asyncio.Event()
    yield
    Stubborn.let_go.set()
    for task in LeavesATask.tasks:
        task.cancel()
    for process in LeavesAProcess.processes:
        process.kill()
        await process.wait()
    LeavesATask.tasks.clear()
    LeavesAProcess.processes.clear()


def made(kind: Callable[[], Provider]) -> Callable[[Launcher], Provider]:
    return lambda launcher: kind()


async def test_a_provider_that_keeps_to_its_contract_passes() -> None:
    passed = await assert_provider_conforms(
        made(Harbour), examples={"tide": [{}], "moon": [{"a": 1}, {}]}, cancellations=8
    )
    assert (passed.provider, passed.tools, passed.cancellations) == ("harbour", Harbour.tools, 8)
    assert passed.statuses == (SourceStatus("harbour", Condition.READY, "3 tools"),)


@pytest.mark.parametrize(
    ("kind", "problems"),
    [
        (Raises, ["start: it raised OSError: no wind. Say what went wrong as a status"]),
        (NeverSays, ["start: after 0.2 s it had put nothing on its shelf, or still said that it is starting."]),
        (Nameless, ["status: the provider's name is ''; give it one line", "status: a status has no name: "]),
        (ManyLines, ["status: a status has the text 'no\\nwind'; people are shown it as one line"]),
        (BadName, ["tools: tide: schema: the tool has no description."]),
        (NoTool, ["tools: it put 'tide' on its shelf, which is no tool"]),
        (GivesUp, ["bad tools: where the name tide was taken, it lacked moon, sun too."]),
        (TellsNobody, ["bad tools: what `put` gave back was told nobody."]),
        (Wanders, ["determinism: once it had ['tide_"]),
        (HangsWhenRefreshed, [f"refresh: it took longer than {REFRESH_WITHIN:g} s"]),
        (RaisesWhenRefreshed, ["refresh: it raised ValueError: ebb. Say"]),
        (LosesWhenRefreshed, ["refresh: nothing changed, and ['tide', 'moon', 'sun'] became []."]),
        (Stubborn, ["cancellation: cancelled when it was ready, it had not ended 0.2 s later."]),
        (LeavesATask, ["cancellation: cancelled when it was ready, it left tasks: left-behind."]),
        (SpeaksAfterItsEnd, ["cancellation: cancelled when it was ready, it then put tools on its shelf."]),
        (LeavesAProcess, ["cancellation: cancelled when it was ready, it left child processes: python"]),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
async def test_what_is_wrong_is_said(
    monkeypatch: pytest.MonkeyPatch, kind: Callable[[], Provider], problems: list[str]
) -> None:
    monkeypatch.setattr(providing, "GRACE", 0.2)
    monkeypatch.setattr("handrail.testing.provider_conformance.GRACE", 0.2)
    monkeypatch.setattr(
        "handrail.testing.provider_conformance.REFRESH_WITHIN", 0.2 if "Hangs" in kind.__name__ else 5.0
    )
    with pytest.raises(NotConforming) as raised:
        await assert_provider_conforms(made(kind), starts_within=0.2 if kind is NeverSays else 30.0, cancellations=3)
    told = [str(problem) for problem in raised.value.problems]
    for problem in problems:
        expected = problem.replace(f"{REFRESH_WITHIN:g} s", "0.2 s")
        assert any(text.startswith(expected) for text in told), told


async def test_examples_for_a_tool_that_is_not_there_are_a_problem() -> None:
    with pytest.raises(NotConforming, match="there are examples for ebb, which it does not have: tide, moon, sun"):
        await assert_provider_conforms(made(Harbour), examples={"ebb": [{}]}, cancellations=0)


async def test_a_tool_that_does_not_conform_is_a_problem_of_its_provider() -> None:
    async def lies(arguments, context) -> str:
        (context.workspace.root / "hidden").write_text("x")
        return "done"

    class Lies(Harbour):
        def made(self) -> list[FakeTool]:
            return [FakeTool("tide", lies)]

    with pytest.raises(NotConforming, match="tools: tide: effects: "):
        await assert_provider_conforms(made(Lies), examples={"tide": [{}]}, cancellations=2)

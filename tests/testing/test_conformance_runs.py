"""What a tool gives back, and how it stops: tools that are wrong in one way each."""

from __future__ import annotations

import asyncio
import os
import subprocess
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from conformance_tools import problems_of, the_problem

from handrail.contract.basics import JsonObject
from handrail.contract.context import RunContext
from handrail.contract.effects import Claims, PathClaim
from handrail.contract.results import (
    DiffDisplay,
    ImagePart,
    JsonPart,
    ResourcePart,
    TerminalDisplay,
    TextDisplay,
    TextPart,
    ToolResult,
)
from handrail.runtime import scheduler
from handrail.testing import FakeTool, Fault, FaultyTool, assert_conforms
from handrail.testing.conforming.cancelling import moment_of

HALF = "\ud83d"
WRITES = Claims(writes=(PathClaim(".", "tree"),))


def giving(result: Any) -> FakeTool:
    async def behaviour(params: JsonObject, context: RunContext) -> Any:
        return result

    return FakeTool("giving", behaviour)


def doing(behaviour: Callable[[RunContext], Awaitable[object]], claims: Claims = WRITES) -> FakeTool:
    async def run(params: JsonObject, context: RunContext) -> str:
        await behaviour(context)
        return "done"

    return FakeTool("doing", run, claims=claims)


async def pause(times: int = 3) -> None:
    for _ in range(times):
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Fault.RAISES, "ended as failed: faulty failed by a fault of its own: ZeroDivisionError"),
        (Fault.FAILS, "ended as failed: There is no such thing"),
        (Fault.WRONG_TYPE, "it returned str, not a ToolResult"),
        (Fault.CANCELS_ITSELF, "it was cancelled from within"),
        (Fault.SILENT, "KeyError"),
    ],
)
async def test_an_example_that_does_not_succeed_is_a_problem(fault: Fault, said: str, tmp_path: Path) -> None:
    problem = await the_problem(FaultyTool(fault), {}, workspace=tmp_path)
    assert problem.startswith("run: example 1 {} ended as failed")
    assert said in problem


@pytest.mark.parametrize("fault", [Fault.HANGS, Fault.STUBBORN])
async def test_a_tool_that_does_not_end_is_given_up(fault: Fault, tmp_path: Path) -> None:
    problem = await the_problem(FaultyTool(fault), {}, workspace=tmp_path, longest_run=0.05)
    assert problem == "run: example 1 {} has no result: it had not ended after 0.05 s."


async def test_a_huge_result_is_the_runtimes_to_cut(tmp_path: Path) -> None:
    await assert_conforms(FaultyTool(Fault.HUGE), {}, workspace=tmp_path, cancellations=4)


RESULTS = [
    pytest.param(ToolResult((ImagePart("AAAA", "image/png"),)), "data of type str, not bytes", id="base64 in an image"),
    pytest.param(ToolResult((ResourcePart("file:x", text=HALF),)), "text with half of a surr", id="half a character"),
    pytest.param(
        ToolResult.of_text("a" + HALF), "part 1 has text with half of a surrogate pair at character 1", id="text"
    ),
    pytest.param(
        ToolResult.of_json({"a": [HALF]}), "part 1 has half of a surrogate pair", id="half a character in JSON"
    ),
    pytest.param(ToolResult.of_json(float("nan")), "part 1 is no JSON", id="not a number"),
    pytest.param(ToolResult((TextPart("ok"), JsonPart(float("inf")))), "part 2 is no JSON", id="the second part"),
    pytest.param(ToolResult.of_text("ok", data={"a": b"x"}), "gave data that is no JSON", id="bytes in data"),
    pytest.param(ToolResult.of_text("ok", display="ok"), "gave a display that is of type str", id="a string displayed"),
    pytest.param(ToolResult.of_text("ok", display=TextDisplay(HALF)), "gave a display that has its text", id="display"),
    pytest.param(
        ToolResult.of_text("ok", display=DiffDisplay(Path("a"), None, b"x")),
        "its text of type bytes",
        id="a diff of bytes",
    ),
    pytest.param(
        ToolResult.of_text("ok", display=TerminalDisplay("ls", HALF, 0)), "its text with half of", id="a terminal"
    ),
]


@pytest.mark.parametrize(("result", "said"), RESULTS)
async def test_a_result_that_can_not_be_sent_kept_or_shown_is_a_problem(
    result: ToolResult, said: str, tmp_path: Path
) -> None:
    problem = await the_problem(giving(result), {}, workspace=tmp_path)
    assert problem.startswith("result: example 1 {} gave ")
    assert said in problem


async def test_a_result_that_the_runtime_can_not_take_is_a_problem(tmp_path: Path) -> None:
    problem = await the_problem(giving(ToolResult.of_json({"tide": b"5.2"})), {}, workspace=tmp_path)
    assert "JSON" in problem


async def test_every_kind_of_part_and_display_passes(tmp_path: Path) -> None:
    parts = (TextPart("😀"), JsonPart({"a": 1}), ImagePart(b"\x89PNG", "image/png"), ResourcePart("file:x", text="x"))
    display = TerminalDisplay("ls", "a", 0)
    await assert_conforms(
        giving(ToolResult(parts, display=display, data={"a": 1})), {}, workspace=tmp_path, cancellations=0
    )


async def leaves_a_task(context: RunContext) -> None:
    context.output.text("on its way")
    task = asyncio.create_task(asyncio.Event().wait(), name="left")
    await pause()
    task.cancel()


async def leaves_a_file(context: RunContext) -> None:
    part = context.workspace.root / "tides.txt.part"
    part.touch()
    await pause()
    part.rename(context.workspace.root / "tides.txt")


async def leaves_a_temporary_file(context: RunContext) -> None:
    handle, name = tempfile.mkstemp(prefix="handrail-test-")
    os.close(handle)
    await pause()
    os.unlink(name)


async def writes_in_two_goes(context: RunContext) -> None:
    before = await context.files.read("tides.txt")
    await context.files.write("tides.txt", b"half", replacing=before)
    await pause()
    await context.files.write("tides.txt", b"half and half", replacing=await context.files.read("tides.txt"))


async def goes_on(context: RunContext) -> None:
    for _ in range(5):
        try:
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            context.output.text("not now")


async def fails_instead(context: RunContext) -> None:
    try:
        await pause()
    except asyncio.CancelledError:
        raise OSError("the connection was closed") from None


CANCELLED = [
    pytest.param(leaves_a_task, "left tasks running: Event.wait", id="a task"),
    pytest.param(leaves_a_file, "left tides.txt.part behind", id="a file"),
    pytest.param(leaves_a_temporary_file, "left the temporary file", id="a temporary file"),
    pytest.param(writes_in_two_goes, "left tides.txt neither as it was before nor as it is", id="half a file"),
    pytest.param(goes_on, "ended as completed. Let CancelledError through", id="goes on"),
    pytest.param(fails_instead, "ended as failed (doing failed by a fault of its own: OSError", id="fails"),
]


@pytest.mark.parametrize(("behaviour", "said"), CANCELLED)
async def test_what_a_cancelled_tool_does_wrong_is_named_with_its_moment(
    behaviour: Callable[[RunContext], Awaitable[object]],
    said: str,
    harbour: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # what is left there goes with the test
    found = await problems_of(doing(behaviour), {}, workspace=harbour, cancellations=60)
    assert all(one.startswith("cancellation: example 1 {}, cancelled after step ") for one in found)
    assert any(said in one for one in found), found


async def test_a_child_process_that_a_cancelled_tool_leaves_is_a_problem(harbour: Path) -> None:
    started: list[subprocess.Popen[bytes]] = []

    def end(child: subprocess.Popen[bytes]) -> None:
        child.kill()
        child.wait()

    async def leaves_a_child(context: RunContext) -> None:
        started.append(child := await asyncio.to_thread(subprocess.Popen, ["sleep", "60"]))
        await pause()
        end(child)

    try:
        problem = await the_problem(doing(leaves_a_child, Claims.unknown()), {}, workspace=harbour, cancellations=60)
    finally:
        for child in started:
            end(child)
    assert "left child processes running: sleep (" in problem


async def test_the_same_seed_finds_the_same_again(tmp_path: Path) -> None:
    async def found(seed: int) -> list[str]:
        return await problems_of(doing(goes_on, Claims.nothing()), {}, workspace=tmp_path, cancellations=60, seed=seed)

    first = await found(1)
    assert await found(1) == first
    assert any([await found(seed) != first for seed in range(2, 6)])


async def test_a_tool_that_does_not_stop_is_interrupted_and_that_is_a_problem(
    harbour: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "STUBBORN_GRACE", 0.01)
    never = asyncio.Event()

    async def clings(context: RunContext) -> None:
        try:
            await pause()
        except asyncio.CancelledError:
            await never.wait()

    problem = await the_problem(doing(clings), {}, workspace=harbour, cancellations=40)
    assert "ended as interrupted" in problem
    assert "did not stop when it was cancelled" in problem


async def test_work_that_goes_on_in_a_thread_after_the_call_is_a_problem(harbour: Path) -> None:
    async def lets_go(context: RunContext) -> None:
        path = context.workspace.root / "tides.txt"

        def slowly() -> None:
            for _ in range(20):
                time.sleep(0.001)
                with open(path, "a"):
                    pass

        await asyncio.to_thread(slowly)

    problem = await the_problem(doing(lets_go), {}, workspace=harbour, cancellations=30)
    assert problem == (
        "cancellation: after a call was settled, it still wrote tides.txt. Wait for all that you started."
    )


async def test_a_tool_that_cleans_up_conforms(harbour: Path) -> None:
    async def tidy(context: RunContext) -> None:
        part = context.workspace.root / "tides.txt.part"
        try:
            part.touch()
            async with asyncio.TaskGroup() as group:
                group.create_task(pause())
                group.create_task(pause(5))
            part.rename(context.workspace.root / "tides.txt")
        finally:
            part.unlink(missing_ok=True)

    await assert_conforms(doing(tidy), {}, workspace=harbour, cancellations=60)


async def test_a_tool_whose_files_differ_each_time_is_not_compared(harbour: Path) -> None:
    async def random(context: RunContext) -> None:
        await pause()
        await context.files.write(f"{os.urandom(8).hex()}.txt", b"x", replacing=None)

    report = await assert_conforms(doing(random), {}, workspace=harbour, cancellations=20)
    assert (
        "Two runs left different files, so what cancelled calls left in the workspace was not compared." in report.notes
    )


def finishing(behaviour: Callable[[RunContext], Awaitable[object]]) -> FakeTool:
    tool = doing(behaviour)
    tool.on_cancel = "finish"
    return tool


async def test_a_tool_that_is_waited_for_must_come_to_its_end(harbour: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def in_its_own_time(context: RunContext) -> None:
        (context.workspace.root / "a").touch()
        await pause(10)
        (context.workspace.root / "b").touch()

    await assert_conforms(finishing(in_its_own_time), {}, workspace=harbour, cancellations=40)
    monkeypatch.setattr(scheduler, "FINISH_GRACE", 0)
    problem = await the_problem(finishing(in_its_own_time), {}, workspace=harbour, cancellations=40)
    assert "ended as interrupted" in problem
    assert "It declares on_cancel='finish', so it is waited for" in problem


def test_moments_are_the_same_for_a_seed_and_lie_within_the_run() -> None:
    turns = [2, 0, 500]
    moments = [moment_of(turns, 7, number) for number in range(400)]
    assert moments == [moment_of(turns, 7, number) for number in range(400)]
    assert moments != [moment_of(turns, 8, number) for number in range(400)]
    assert {moment.step for moment in moments} == {1, 2, 3}
    assert all(moment.turns <= turns[moment.step - 1] for moment in moments)
    assert sum(moment.turns == 0 for moment in moments) > 200
    assert max(moment.turns for moment in moments) > 400

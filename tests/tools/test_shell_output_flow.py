"""What becomes of a command's output on its way: live, in memory, in its file, under any flood."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tool_harness import Bench, SeenOutput

from handrail.contract.spill import Kept
from handrail.runtime.spilling import CallSpill, SpillFolder
from handrail.tools.shell import Shell
from handrail.tools.shells import capture
from handrail.tools.shells.capture import Capture
from handrail.tools.shells.live import MOST, Live

HANG = 60


class Gate:
    """A spill that writes only when it may."""

    def __init__(self) -> None:
        self.open = asyncio.Event()
        self.data = b""

    @property
    def kept(self) -> Kept:
        return Kept(Path("f"), len(self.data))

    async def add(self, data: bytes) -> None:
        await self.open.wait()
        self.data += data


class Child:
    pid = 1
    held = False

    def stop(self) -> None: ...

    def hold_output(self) -> None:
        self.held = True

    def take_output(self) -> None:
        self.held = False

    def send(self, data: bytes) -> bool:
        return False

    async def drained(self) -> None: ...

    def end_input(self) -> None: ...


async def test_a_command_waits_while_its_file_lags_behind() -> None:
    gate, child = Gate(), Child()
    captured = Capture(SeenOutput(), gate, 0)
    captured.started(child)
    fed = 0
    while not child.held:
        captured.feed(b"x" * 100_000)
        fed += 100_000
        assert fed <= 2 * capture.MOST_WAITING
    gate.open.set()
    await captured.close()
    assert not child.held
    assert len(gate.data) == fed


async def test_output_that_a_result_can_hold_goes_to_no_file() -> None:
    gate = Gate()
    gate.open.set()
    captured = Capture(SeenOutput(), gate, 100)
    captured.feed(b"x" * 100)
    await captured.close()
    assert gate.data == b""
    captured = Capture(SeenOutput(), gate, 100)
    captured.feed(b"x" * 60)
    captured.feed(b"y" * 60)
    await captured.close()
    assert gate.data == b"x" * 60 + b"y" * 60


async def test_a_full_disk_is_said_and_costs_the_command_nothing(tmp_path: Path) -> None:
    """/dev/full gives ENOSPC for every write."""
    bench = Bench(tmp_path)
    (tmp_path / "results").mkdir()
    spill = CallSpill(SpillFolder(tmp_path / "results"), "c1")
    full = Path("/dev/full")
    bench.spill = spill
    spill._path = full
    async with asyncio.timeout(HANG):
        result = await bench.run(Shell(), command="seq 1000000; exit 4")
    assert "left out: it could not be kept in a file (No space left on device): ask for a smaller part" in result.text
    assert result.text.endswith("1000000\nExit code: 4")


async def test_a_file_has_a_bound_and_the_result_says_how_much_it_holds(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.spill = CallSpill(SpillFolder(tmp_path / "results"), "c1", 100_000)
    result = await bench.run(Shell(), command="seq 1000000")
    (path,) = (tmp_path / "results").iterdir()
    assert path.stat().st_size == 100_000
    assert f"the first 100,000 bytes are in {path}, for the tools that read and search files" in result.text


async def test_live_output_of_a_flood_is_thinned_and_its_end_arrives() -> None:
    seen = SeenOutput()
    live = Live(seen)
    for number in range(200):
        live.feed(f"{number}".encode() * 1_000)
    live.close()
    text = "".join(seen.texts)
    assert len(text) < 2 * MOST
    assert " bytes not shown …]" in text
    assert text.endswith("199")


@pytest.mark.parametrize("size", [1, 2, 3])
async def test_live_output_comes_in_whole_characters(size: int) -> None:
    seen = SeenOutput()
    live = Live(seen)
    data = "é中🐚".encode()
    for start in range(0, len(data), size):
        live.feed(data[start : start + size])
    live.close()
    assert "".join(seen.texts) == "é中🐚"

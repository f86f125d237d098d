"""ripgrep reads whatever is called .gitignore. What has no end there costs bounded time and memory, and is named."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from search_harness import Tight, make
from tool_harness import Bench

from handrail.errors import ToolFailed
from handrail.tools.glob import Glob
from handrail.tools.grep import Grep
from handrail.tools.read_many_files import ReadManyFiles

SEARCHES: list[tuple[Any, dict[str, object]]] = [
    (Grep(), {"pattern": "needle"}),
    (Glob(), {"pattern": "*.py"}),
    (ReadManyFiles(), {"paths": ["**/*.py"]}),
]
PLACES = [".gitignore", "below/.ignore", "below/.rgignore"]
IS_NAMED = "is no file but a FIFO or device, or leads to one. include_ignored=true does not read it."


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("tool", "arguments"), SEARCHES, ids=lambda value: getattr(value, "name", ""))
async def test_a_search_that_waits_for_a_fifo_names_it(
    tool: Any, arguments: dict[str, object], place: str, tmp_path: Path
) -> None:
    make(tmp_path, {"below/a.py": "needle"})
    os.mkfifo(tmp_path / place)
    bench = Bench(tmp_path, launcher=Tight(seconds=0.5, memory=2_000_000_000))
    result = await bench.run(tool, **arguments)
    assert result.fault is not None
    assert f"{place} {IS_NAMED}" in result.text
    assert "a.py" in (await Bench(tmp_path).run(tool, include_ignored=True, **arguments)).text


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("tool", "arguments"), SEARCHES, ids=lambda value: getattr(value, "name", ""))
async def test_a_search_that_reads_a_device_is_ended_before_the_memory_is(
    tool: Any, arguments: dict[str, object], place: str, tmp_path: Path
) -> None:
    make(tmp_path, {"below/a.py": "needle"})
    (tmp_path / place).symlink_to("/dev/zero")
    bench = Bench(tmp_path, launcher=Tight(seconds=60, memory=100_000_000))
    with pytest.raises(ToolFailed) as caught:
        await bench.run(tool, **arguments)
    assert "it took more memory than it is given" in str(caught.value)
    assert f"{place} {IS_NAMED}" in str(caught.value)
    assert "a.py" in (await bench.run(tool, include_ignored=True, **arguments)).text


async def test_an_endless_ignore_file_above_the_folder_searched_is_named_too(tmp_path: Path) -> None:
    make(tmp_path, {"below/a.py": "needle"})
    os.mkfifo(tmp_path / ".gitignore")
    bench = Bench(tmp_path, launcher=Tight(seconds=0.5, memory=2_000_000_000))
    assert f"../.gitignore {IS_NAMED}" in (await bench.run(Grep(), pattern="needle", path="below")).text


async def test_a_file_too_large_to_be_searched_across_lines_is_no_empty_result(tmp_path: Path) -> None:
    with (tmp_path / "large").open("wb") as file:
        file.write(b"a\n")
        file.truncate(300_000_000)
    bench = Bench(tmp_path, launcher=Tight(seconds=60, memory=100_000_000))
    with pytest.raises(ToolFailed, match="search without multiline=true, which takes whole files into memory"):
        await bench.run(Grep(), pattern="x\ny", multiline=True)

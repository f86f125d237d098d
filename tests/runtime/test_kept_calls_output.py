"""What a call keeps of its output itself: in one bounded file, for two tools, as long as no hook takes it back."""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from call_harness import settled
from handrail.contract.basics import CallId
from handrail.contract.events import Event, NoticeGiven
from handrail.contract.hooks import Block, ReplaceResult
from handrail.contract.results import ToolResult
from handrail.contract.spill import Kept
from handrail.runtime.parts import Parts
from handrail.runtime.spilling import CallSpill, NoSpill, SpillFolder
from handrail.session import Session
from handrail.settings.places import STATE_VARIABLE
from handrail.testing import FakeTool
from handrail.tools import builtin_tools

CALL = CallId("c1")


@pytest.fixture(autouse=True)
def state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("state")
    folder.chmod(0o700)
    monkeypatch.setenv(STATE_VARIABLE, str(folder))
    return folder


async def keeps_much(params: Any, context: Any) -> str:
    await context.spill.add(b"first\n")
    await context.spill.add(b"second\n")
    return f"first, and more: {context.spill.kept.in_words}"


def opened(workspace: Path) -> Any:
    return Session.open(workspace, parts=Parts(tools=[*builtin_tools(), FakeTool("much", keeps_much)]))


def kept(state: Path) -> list[Path]:
    return list(state.glob("results/*/c1.output.txt"))


async def test_the_model_reads_and_searches_it_without_being_asked_about(tmp_path: Path, state: Path) -> None:
    async with opened(tmp_path) as session:
        result = await settled(session, "much")
        (file,) = kept(state)
        page = await settled(session, "read_file", {"file_path": str(file)}, id="c2")
        found = await settled(session, "grep", {"pattern": "sec", "path": str(file)}, id="c3")
    assert result.result.text == f"first, and more: the whole is in {file}, for the tools that read and search files"
    assert "second" in page.result.text
    assert "second" in found.result.text
    assert file.stat().st_mode & 0o777 == 0o600


async def _withholds(used: Any) -> Block:
    return Block("not for the model")


async def _replaces(used: Any) -> ReplaceResult:
    return ReplaceResult(ToolResult.of_text("[taken out]"))


async def _agrees(used: Any) -> None: ...


@pytest.mark.parametrize(("hook", "left"), [(_withholds, 0), (_replaces, 0), (_agrees, 1)])
async def test_what_a_hook_takes_back_goes_from_the_file_too(
    hook: Callable[[Any], Any], left: int, tmp_path: Path, state: Path
) -> None:
    async with opened(tmp_path) as session:
        session.after_tool(hook)
        await settled(session, "much")
        assert len(kept(state)) == left


async def test_a_file_that_can_not_be_taken_away_is_told_of(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(folder: SpillFolder, call: CallId) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(SpillFolder, "discard", refuse)
    told: list[Event] = []
    async with opened(tmp_path) as session:
        session.subscribe(told.append)
        session.after_tool(_withholds)
        await settled(session, "much")
        (file,) = kept(state)
    notices = [event.message for event in told if isinstance(event, NoticeGiven)]
    assert (
        f"{file} holds output that a hook took back, and could not be removed (Permission denied). Remove it."
        in notices
    )


async def test_a_full_file_takes_no_more_and_counts_the_rest(tmp_path: Path) -> None:
    spill = CallSpill(SpillFolder(tmp_path), CALL, most=10)
    for piece in (b"0123456", b"789abc", b"def"):
        await spill.add(piece)
    path = tmp_path / "c1.output.txt"
    assert path.read_bytes() == b"0123456789"
    assert spill.kept == Kept(path, 10, 6)
    assert spill.kept.in_words == f"the first 10 bytes are in {path}, for the tools that read and search files"


async def test_pieces_lie_in_the_order_in_which_they_came(tmp_path: Path) -> None:
    spill = CallSpill(SpillFolder(tmp_path), CALL)
    await asyncio.gather(*(spill.add(b"%d\n" % number) for number in range(50)))
    assert (tmp_path / "c1.output.txt").read_bytes() == b"".join(b"%d\n" % number for number in range(50))


async def test_a_second_attempt_of_a_call_begins_anew(tmp_path: Path) -> None:
    for text in (b"a longer one", b"short"):
        await CallSpill(SpillFolder(tmp_path), CALL).add(text)
    assert (tmp_path / "c1.output.txt").read_bytes() == b"short"


async def test_a_folder_that_can_not_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    spill = CallSpill(SpillFolder(tmp_path / "file" / "below"), CALL)
    await spill.add(b"x")
    assert spill.kept == Kept(None, 0, 1, "Not a directory")
    assert spill.kept.in_words == "it could not be kept in a file (Not a directory): ask for a smaller part"


async def test_a_session_that_keeps_nothing_says_to_ask_for_less() -> None:
    spill = NoSpill()
    await spill.add(b"x")
    assert spill.kept.in_words == "ask for a smaller part"


def test_only_a_file_is_taken_away_when_it_can_not_be_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As root, a device that stands there would be gone from the machine."""
    pipe, file = tmp_path / "pipe", tmp_path / "file"
    os.mkfifo(pipe)
    file.touch()

    def fail(*given: Any) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "open", fail)
    for path in (pipe, file):
        with pytest.raises(OSError, match="No space left"):
            SpillFolder(tmp_path).append(path, b"x", anew=True)
    assert pipe.is_fifo()
    assert not file.exists()

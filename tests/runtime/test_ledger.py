from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from call_harness import opened, settled
from handrail.contract.context import FileContent, FileLedger, RunContext
from handrail.contract.hooks import Block, ToolUsed
from handrail.contract.results import ToolResult
from handrail.contract.tool import Kind, Tool
from handrail.runtime.ledger import MOST_FILES, MOST_VIEWS, ConversationLedger
from handrail.session import Session
from handrail.testing import FakeTool
from handrail.tools import builtin_tools
from handrail.tools.parameters import Parameters
from handrail.wire import Wire
from neutral_calls import calls, read


def content(text: str, path: str = "/ws/f") -> FileContent:
    data = text.encode()
    return FileContent(Path(path), data, hashlib.sha256(data).hexdigest(), 0o644)


def test_what_was_noted_last_is_what_is_known_of_a_file() -> None:
    ledger = ConversationLedger()
    assert ledger.last(Path("/ws/f")) is None
    ledger.note(content("a"), "lines 1-")
    ledger.note(content("b"))
    assert ledger.last(Path("/ws/f")) == content("b").digest


def test_a_view_was_shown_if_it_was_this_view_of_this_content() -> None:
    ledger = ConversationLedger()
    ledger.note(content("a"), "lines 1-9")
    assert ledger.shown(content("a"), "lines 1-9")
    assert not ledger.shown(content("a"), "lines 2-9")
    assert not ledger.shown(content("b"), "lines 1-9")
    assert not ledger.shown(content("a", "/ws/g"), "lines 1-9")


def test_other_content_makes_every_view_a_new_one_even_when_the_old_comes_back() -> None:
    ledger = ConversationLedger()
    for text in ("a", "b"):
        ledger.note(content(text), "lines 1-9")
    assert not ledger.shown(content("a"), "lines 1-9")


def test_a_write_shows_nothing() -> None:
    ledger = ConversationLedger()
    ledger.note(content("a"))
    assert not ledger.shown(content("a"), "")


def test_what_was_used_longest_ago_is_forgotten_first() -> None:
    ledger = ConversationLedger()
    for number in range(MOST_FILES):
        ledger.note(content("a", f"/ws/{number}"))
    ledger.note(content("a", "/ws/0"))
    ledger.note(content("a", "/ws/more"))
    assert ledger.last(Path("/ws/0")) is not None
    assert ledger.last(Path("/ws/1")) is None


def test_the_views_of_one_file_are_bounded() -> None:
    ledger = ConversationLedger()
    for number in range(MOST_VIEWS + 1):
        ledger.note(content("a"), f"line {number}")
    assert ledger.shown(content("a"), f"line {MOST_VIEWS - 1}")
    assert not ledger.shown(content("a"), f"line {MOST_VIEWS}")


class Noting(Tool[Parameters]):
    name = "noting"
    description = "Says whether it has run in this conversation."
    kind = Kind.READ

    async def run(self, params: Parameters, ledger: FileLedger) -> ToolResult:
        known = ledger.last(Path("/ws/f"))
        ledger.note(content("a"))
        return ToolResult.of_text("new" if known is None else "known")


@pytest.mark.parametrize(("times", "said"), [(1, "new"), (2, "known")])
async def test_the_calls_of_a_session_share_a_ledger(times: int, said: str, tmp_path: Path) -> None:
    async with opened(tmp_path, Noting()) as session:
        for number in range(times):
            state = await settled(session, "noting", id=f"c{number}")
    assert state.result.text == said


async def test_what_a_child_call_was_shown_is_not_shown_to_the_model_nor_to_another_child(tmp_path: Path) -> None:
    async def asks(params: Mapping[str, Any], context: RunContext) -> str:
        first = await context.calls.call("noting", {})
        second = await context.calls.call("noting", {})
        return f"{first.text} {second.text}"

    async with opened(tmp_path, Noting(), FakeTool("asks", asks, makes_calls=True)) as session:
        children = await settled(session, "asks", id="c1")
        own = await settled(session, "noting", id="c2")
    assert (children.result.text, own.result.text) == ("new new", "new")


async def reads(session: Session, *paths: str) -> list[str]:
    turn = await session.run(calls(*map(read, paths)), Wire.NEUTRAL)
    return [result["result"] for result in turn.messages[-1]["results"]]


async def test_what_was_cut_for_a_turns_sake_is_shown_when_it_is_asked_for_again(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).write_text(f"{name}\n" * 200)
    async with opened(tmp_path, *builtin_tools(), turn_budget=4_000) as session:
        cut = await reads(session, "a", "b", "c")
        again = await reads(session, "a")
        third = await reads(session, "a")
    assert all("characters" in text and "left out" in text for text in cut)
    assert "   200→a" in again[0]
    assert "left out" not in again[0]
    assert third == ["[a has not changed since you read it: Lines 1-200 of 200. force=true shows it again.]"]


async def test_what_a_hook_withheld_was_not_shown(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a\n")
    async with opened(tmp_path, *builtin_tools()) as session:
        once = [Block("not yet")]

        @session.after_tool
        async def withhold(used: ToolUsed) -> Block | None:
            return once.pop() if once else None

        first, second = [*await reads(session, "a"), *await reads(session, "a")]
    assert "not yet" in first
    assert second == "     1→a"
    assert "has not changed" not in second

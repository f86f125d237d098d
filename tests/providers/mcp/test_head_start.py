"""Servers let a session's first calls pass, for as long as those are at work."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from handrail.providers.mcp import head_start
from handrail.providers.mcp.head_start import AT_WORK, SHARE

IDLE = [0.0, 0.0]
AT_WORK_FOR_THREE_LOOKS = [0.0, 2 * AT_WORK, 4 * AT_WORK, 6 * AT_WORK, 6 * AT_WORK]
HAD_ITS_SHARE = [0.0, SHARE / 2, SHARE]


@pytest.mark.parametrize("spent", [IDLE, AT_WORK_FOR_THREE_LOOKS, HAD_ITS_SHARE])
async def test_it_lasts_while_the_process_is_at_work_and_has_not_had_its_share(
    monkeypatch: pytest.MonkeyPatch, spent: list[float]
) -> None:
    looks = looking(monkeypatch, spent)
    await head_start.head_start(asyncio.Event())
    assert next(looks, None) is None


async def test_it_has_an_end_whatever_the_process_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(head_start, "MOST", 0.0)
    looks = looking(monkeypatch, [0.0, AT_WORK, 2 * AT_WORK])
    await head_start.head_start(asyncio.Event())
    assert next(looks) == 2 * AT_WORK


async def test_a_server_that_somebody_waits_for_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(head_start, "LOOK_EVERY", 3_600.0)
    wanted = asyncio.Event()
    wanted.set()
    await head_start.head_start(wanted)


def looking(monkeypatch: pytest.MonkeyPatch, spent: list[float]) -> Iterator[float]:
    """Has the process spend this much of a processor, as seen from look to look."""
    looks = iter(spent)
    monkeypatch.setattr(head_start, "HEAD_START", 0.0)
    monkeypatch.setattr(head_start, "LOOK_EVERY", 0.0)
    monkeypatch.setattr(head_start.time, "process_time", lambda: next(looks))
    return looks

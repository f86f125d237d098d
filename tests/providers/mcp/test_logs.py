"""What a server says on stderr is kept without its secrets, however it comes and wherever it is cut."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.providers.mcp import log
from handrail.providers.mcp.log import ServerLog
from handrail.providers.mcp.whole_lines import MOST_BEGUN, lines_of, parted
from handrail.sandbox.kept_output import KeptOutput
from handrail.settings.redaction import Redactor

SECRET = "hunter2-hunter2"
REDACTOR = Redactor({}, (SECRET,))
LINES = st.lists(st.sampled_from([SECRET, "tide ", "\n", "é", "x" * 5_000]), max_size=30).map("".join)


@given(LINES, st.lists(st.integers(1, 9_000)))
def test_no_cut_shows_a_secret_and_no_line_is_lost(said: str, sizes: list[int]) -> None:
    shown, begun, rest = "", b"", said.encode()
    for size in sizes:
        text, begun = parted(begun + rest[:size], REDACTOR.text, to_the_end=False)
        assert len(begun) <= MOST_BEGUN
        shown, rest = shown + text, rest[size:]
    shown += parted(begun + rest, REDACTOR.text, to_the_end=True)[0]
    assert shown == REDACTOR.text(said)


@given(st.binary(max_size=40), st.lists(st.sampled_from([b"a", b"bb\n", b"c" * 30, b"\n"]), max_size=20))
def test_what_is_left_out_of_much_is_whole_lines(begun: bytes, pieces: list[bytes]) -> None:
    kept = KeptOutput(20)
    for piece in pieces:
        kept.add(piece)
    said = begun + b"".join(pieces)
    shown = lines_of(kept, begun)
    if not kept.dropped:
        assert shown == said
        return
    before, _, after = shown.partition(b" bytes left out]\n")
    before, _, count = before.rpartition(b"[")
    assert said.startswith(before)
    assert said.endswith(after)
    assert before[-1:] in (b"", b"\n")
    assert len(before) + int(count) + len(after) == len(said)


async def test_a_secret_in_two_writes_is_not_in_the_log_and_a_question_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "WRITE_EVERY", 0)
    monkeypatch.setattr(log, "QUIET", 60)
    written: list[bytes] = []
    news = asyncio.Event()
    loop = asyncio.get_running_loop()

    def keep(self: ServerLog, file: Path, data: bytes) -> None:
        written.append(data)
        loop.call_soon_threadsafe(news.set)

    monkeypatch.setattr(ServerLog, "_keep", keep)
    kept = ServerLog(tmp_path / "s.log", REDACTOR)
    keeping = asyncio.create_task(kept.keep())
    kept.add(b"at sea\nthe word is hunter2-")
    await news.wait()
    kept.add(b"hunter2\nname? ")
    monkeypatch.setattr(log, "QUIET", 0.01)
    while b"name? " not in b"".join(written):
        news.clear()
        await news.wait()
    keeping.cancel()
    await asyncio.wait((keeping,))
    assert b"".join(written) == b"at sea\nthe word is [redacted:marked]\nname? "


def test_the_last_words_of_a_server_begin_with_no_part_of_a_secret(tmp_path: Path) -> None:
    kept = ServerLog(None, REDACTOR)
    kept.add(b"x" * 8_192)
    kept.add(b"y" * 4_000 + SECRET.encode())
    kept.add(b"z" * (8_192 - 8))
    assert SECRET[-8:] not in kept.last_line()
    kept.add(b"\nno wind\n")
    assert kept.last_line() == "no wind"

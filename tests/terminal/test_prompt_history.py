"""What was typed at earlier times: the latest first, never more than a file of bounded size."""

from __future__ import annotations

from pathlib import Path

from handrail.surfaces.terminal.history import MOST_BYTES, NAME, PromptHistory


async def loaded(folder: Path) -> list[str]:
    return [string async for string in PromptHistory(folder).load()]


async def test_the_latest_comes_first_line_breaks_and_all(tmp_path: Path) -> None:
    history = PromptHistory(tmp_path)
    for typed in ("one", "two\n# lines", "three"):
        history.append_string(typed)
    assert await loaded(tmp_path) == ["three", "two\n# lines", "one"]


async def test_a_file_that_has_grown_too_large_loses_its_oldest_messages(tmp_path: Path) -> None:
    history = PromptHistory(tmp_path)
    sent = [f"{n} {'x' * 50_000}" for n in range(30)]
    for typed in sent:
        history.append_string(typed)
    file = tmp_path / NAME
    assert file.stat().st_size > MOST_BYTES
    kept = await loaded(tmp_path)
    assert kept == sent[: -len(kept) - 1 : -1]
    assert 5 < len(kept) < 15
    assert file.stat().st_size <= MOST_BYTES / 2
    assert file.stat().st_mode & 0o077 == 0
    assert await loaded(tmp_path) == kept


async def test_what_is_typed_while_the_file_is_read_is_there_once(tmp_path: Path) -> None:
    PromptHistory(tmp_path).append_string("before")
    history = PromptHistory(tmp_path)
    history.append_string("meanwhile")
    assert [string async for string in history.load()] == ["meanwhile", "before"]


async def test_a_link_to_the_file_stays_one(tmp_path: Path) -> None:
    kept = tmp_path / "elsewhere"
    kept.write_bytes(b"\n# 2026\n+old\n" + b"\n# 2026\n+new\n" * 100_000)
    (tmp_path / NAME).symlink_to(kept)
    assert set(await loaded(tmp_path)) == {"new"}
    assert (tmp_path / NAME).is_symlink()

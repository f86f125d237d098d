from __future__ import annotations

import asyncio
import os
import random
import stat
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from file_harness import HANG, temporary_files, writing
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handrail.contract.context import FileContent
from handrail.errors import ToolFailed
from handrail.runtime import atomic


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "work space"
    folder.mkdir()
    return folder


async def test_the_mode_stays(root: Path) -> None:
    (root / "run.sh").write_text("old")
    (root / "run.sh").chmod(0o751)
    files = writing(root, "run.sh")
    await files.write("run.sh", b"new", replacing=await files.read("run.sh"))
    assert stat.S_IMODE((root / "run.sh").stat().st_mode) == 0o751


async def test_set_user_id_goes_as_with_any_write(root: Path) -> None:
    (root / "a").write_text("old")
    (root / "a").chmod(0o4755)
    files = writing(root, "a")
    await files.write("a", b"new", replacing=await files.read("a"))
    assert stat.S_IMODE((root / "a").stat().st_mode) == 0o755


async def test_attributes_stay(root: Path) -> None:
    (root / "a").write_text("old")
    os.setxattr(root / "a", "user.origin", b"here")
    files = writing(root, "a")
    await files.write("a", b"new", replacing=await files.read("a"))
    assert os.getxattr(root / "a", "user.origin") == b"here"


async def test_other_content_since_the_read_is_a_conflict(root: Path) -> None:
    (root / "a").write_text("one")
    files = writing(root, "a")
    content = await files.read("a")
    (root / "a").write_text("two")
    with pytest.raises(ToolFailed, match=r"a has changed since it was read, and was left as it is\. Read it again"):
        await files.write("a", b"mine", replacing=content)
    assert (root / "a").read_text() == "two"


async def test_another_digest_is_a_conflict(root: Path) -> None:
    (root / "a").write_text("one")
    files = writing(root, "a")
    content = replace(await files.read("a"), digest="0" * 64)
    with pytest.raises(ToolFailed, match="has changed since it was read"):
        await files.write("a", b"mine", replacing=content)


@pytest.mark.parametrize("gone", ["file", "folder"])
async def test_a_deleted_file_is_a_conflict(gone: str, root: Path) -> None:
    (root / "sub").mkdir()
    (root / "sub/a").write_text("one")
    files = writing(root, "sub/a")
    content = await files.read("sub/a")
    (root / "sub/a").unlink()
    if gone == "folder":
        (root / "sub").rmdir()
    with pytest.raises(ToolFailed, match="has changed since it was read"):
        await files.write("sub/a", b"mine", replacing=content)
    assert not (root / "sub/a").exists()


async def test_a_newer_time_with_the_same_content_is_none(root: Path) -> None:
    (root / "a").write_text("one")
    files = writing(root, "a")
    content = await files.read("a")
    os.utime(root / "a", (1, 1))
    await files.write("a", b"mine", replacing=content)
    assert (root / "a").read_text() == "mine"


async def test_a_change_while_it_writes_is_a_conflict(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "a").write_text("one")
    files = writing(root, "a")
    content = await files.read("a")
    fsync = os.fsync

    def fsync_and_change(handle: int) -> None:
        fsync(handle)
        (root / "a").write_text("two!")

    monkeypatch.setattr(os, "fsync", fsync_and_change)
    with pytest.raises(ToolFailed, match="has changed since it was read"):
        await files.write("a", b"mine", replacing=content)
    assert (root / "a").read_text() == "two!"
    assert temporary_files(root) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="needs an ordinary user: root may write every file")
async def test_a_read_only_file_is_left_alone(root: Path) -> None:
    (root / "a").write_text("one")
    (root / "a").chmod(0o444)
    files = writing(root, "a")
    with pytest.raises(ToolFailed, match="permission denied"):
        await files.write("a", b"mine", replacing=await files.read("a"))
    assert (root / "a").read_text() == "one"


async def test_missing_folders_are_made(root: Path) -> None:
    await writing(root, "x/y/z").write("x/y/z", b"new", replacing=None)
    assert (root / "x/y/z").read_bytes() == b"new"


async def test_the_mode_follows_the_umask(root: Path) -> None:
    before = os.umask(0o027)
    try:
        await writing(root, "a").write("a", b"", replacing=None)
    finally:
        os.umask(before)
    assert stat.S_IMODE((root / "a").stat().st_mode) == 0o640


async def test_a_file_that_appeared_is_left_alone(root: Path) -> None:
    files = writing(root, "a")
    (root / "a").write_text("theirs")
    with pytest.raises(ToolFailed, match=r"a appeared meanwhile and was left as it is\. Read it and try again"):
        await files.write("a", b"mine", replacing=None)
    assert (root / "a").read_text() == "theirs"


@pytest.mark.parametrize("path", ["a", "a/", "a/."])
async def test_a_folder_that_appeared_is_said_to_be_one(path: str, root: Path) -> None:
    files = writing(root, path)
    (root / "a").mkdir()
    with pytest.raises(ToolFailed, match=r"a is a folder, not a file\. List it"):
        await files.write(path, b"mine", replacing=None)


@pytest.mark.parametrize("path", ["a/", "a//", "a/.", "x/a/"])
async def test_no_file_is_made_by_the_name_of_a_folder(path: str, root: Path) -> None:
    with pytest.raises(ToolFailed, match=r"a was not created: the path given ends with a slash.* Add the file's name"):
        await writing(root, path).write(path, b"mine", replacing=None)
    assert list(root.iterdir()) == []


async def test_one_of_many_at_once_wins_and_the_rest_are_told(root: Path) -> None:
    files = writing(root, "x/a")
    writes = (files.write("x/a", str(n).encode(), replacing=None) for n in range(12))
    outcomes = await asyncio.gather(*writes, return_exceptions=True)
    won = [outcome for outcome in outcomes if isinstance(outcome, FileContent)]
    assert [outcome for outcome in outcomes if not isinstance(outcome, (FileContent, ToolFailed))] == []
    assert [content.data for content in won] == [(root / "x/a").read_bytes()]


async def test_many_files_share_a_new_folder(root: Path) -> None:
    names = [f"x/y/{number}" for number in range(12)]
    files = writing(root, *names)
    await asyncio.gather(*(files.write(name, name.encode(), replacing=None) for name in names))
    assert sorted(path.name for path in (root / "x/y").iterdir()) == sorted(name[4:] for name in names)


@pytest.mark.parametrize("number", sorted(atomic.NO_HARD_LINKS))
async def test_a_file_system_without_hard_links_will_do(
    number: int, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_link(*args: object, **kwargs: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "link", no_link)
    files = writing(root, "a")
    await files.write("a", b"mine", replacing=None)
    assert (root / "a").read_text() == "mine"
    with pytest.raises(ToolFailed, match="appeared meanwhile"):
        await files.write("a", b"again", replacing=None)
    assert temporary_files(root) == []


async def test_a_full_disk_leaves_nothing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int, data: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(ToolFailed, match=r"x/a was not changed: the disk is full\. Free some space and try again"):
        await writing(root, "x/a").write("x/a", b"mine", replacing=None)
    assert list(root.iterdir()) == []


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Callable[[int], None]]]:
    """Calls what is in the list, with the number of the step, before each change to the file system."""
    listeners: list[Callable[[int], None]] = []
    count = 0

    def watched(original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            nonlocal count
            count += 1
            for listener in listeners:
                listener(count)
            return original(*args, **kwargs)

        return call

    for name in ("open", "write", "fsync", "fchmod", "replace", "link", "mkdir", "unlink"):
        monkeypatch.setattr(os, name, watched(getattr(os, name)))
    yield listeners
    assert count


@pytest.mark.parametrize("step", range(1, 25))
@pytest.mark.parametrize("old", ["old" * 1000, None], ids=["replacing", "creating"])
async def test_a_write_cancelled_at_any_step_is_whole_or_not_at_all(
    step: int, old: str | None, root: Path, steps: list[Callable[[int], None]]
) -> None:
    loop = asyncio.get_running_loop()
    path = root / "sub/a"
    if old is not None:
        path.parent.mkdir()
        path.write_text(old)
    files = writing(root, "sub/a")
    content = await files.read("sub/a") if old is not None else None
    task = asyncio.ensure_future(files.write("sub/a", b"new" * 1000, replacing=content))
    reached = threading.Event()

    def cancel_and_go_on() -> None:
        task.cancel()
        loop.call_soon(reached.set)

    counted = 0

    def listener(_: int) -> None:
        nonlocal counted
        counted += 1
        if counted == step:
            loop.call_soon_threadsafe(cancel_and_go_on)
            reached.wait(HANG)

    steps.append(listener)
    outcome = (await asyncio.gather(task, return_exceptions=True))[0]
    steps.clear()
    assert isinstance(outcome, asyncio.CancelledError) or (isinstance(outcome, FileContent) and counted < step)
    text = path.read_text() if path.exists() else None
    assert text in (old, "new" * 1000)
    assert temporary_files(root) == []


@pytest.mark.parametrize("seed", range(40))
async def test_a_write_cancelled_at_a_random_instant_is_whole_or_not_at_all(seed: int, root: Path) -> None:
    path = root / "a"
    path.write_bytes(b"old" * 100_000)
    files = writing(root, "a")
    task = asyncio.ensure_future(files.write("a", b"new" * 100_000, replacing=await files.read("a")))
    instant = random.Random(seed).uniform(0, 0.01)
    asyncio.get_running_loop().call_later(instant, task.cancel)
    await asyncio.gather(task, return_exceptions=True)
    assert path.read_bytes() in (b"old" * 100_000, b"new" * 100_000)
    assert temporary_files(root) == []


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(first=st.binary(max_size=200), second=st.binary(max_size=200))
def test_what_was_written_is_read(first: bytes, second: bytes, tmp_path: Path) -> None:
    async def round_trip() -> None:
        (tmp_path / "a").unlink(missing_ok=True)
        files = writing(tmp_path, "a")
        await files.write("a", first, replacing=None)
        await files.write("a", second, replacing=await files.read("a"))
        assert (await files.read("a")).data == second

    asyncio.run(round_trip())


@pytest.mark.parametrize("before", [None, b"old"])
async def test_a_write_gives_what_a_read_of_it_would(before: bytes | None, root: Path) -> None:
    files = writing(root, "a")
    old = None
    if before is not None:
        (root / "a").write_bytes(before)
        (root / "a").chmod(0o640)
        old = await files.read("a")
    assert await files.write("a", b"new", replacing=old) == await files.read("a")

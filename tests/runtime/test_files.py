from __future__ import annotations

import asyncio
import hashlib
import os
import socket
import threading
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

import pytest
from file_harness import HANG, reading, writing

from handrail.contract.context import Workspace
from handrail.contract.effects import Effects
from handrail.errors import FileTooLarge, ToolFailed
from handrail.runtime import atomic
from handrail.runtime.files import WorkspaceFiles


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "work space"
    folder.mkdir()
    return folder


async def test_a_file_is_read_with_its_digest_and_mode(root: Path) -> None:
    (root / "a").write_bytes(b"x\0\xff")
    (root / "a").chmod(0o640)
    content = await reading(root, "a").read("a")
    assert (content.data, content.mode) == (b"x\0\xff", 0o640)
    assert content.digest == hashlib.sha256(b"x\0\xff").hexdigest()


@pytest.mark.parametrize("path", ["a", "./a", "sub/../a", "{root}/a"])
async def test_a_path_may_be_spelled_as_in_the_effects(path: str, root: Path) -> None:
    (root / "a").write_text("x")
    (root / "sub").mkdir()
    spelled = path.format(root=root)
    assert (await reading(root, spelled).read(spelled)).data == b"x"


@pytest.mark.parametrize("path", ["b", "sub", "../a", "/etc/passwd", "a/../../b"])
async def test_a_path_that_the_effects_do_not_hold_is_refused(path: str, root: Path) -> None:
    (root / "b").write_text("x")
    files = reading(root, "a")
    with pytest.raises(ToolFailed, match="not among the paths that this call said it would read"):
        await files.read(path)


async def test_a_path_to_read_may_not_be_written(root: Path) -> None:
    with pytest.raises(ToolFailed, match="said it would write"):
        await reading(root, "a").write("a", b"", replacing=None)


async def test_a_path_to_write_may_be_read(root: Path) -> None:
    (root / "a").write_text("x")
    assert (await writing(root, "a").read("a")).data == b"x"


async def test_unknown_effects_hold_every_path(root: Path) -> None:
    files = WorkspaceFiles(Workspace(root), Effects.unknown())
    await files.write("new/a", b"x", replacing=None)
    assert (await files.read("new/a")).data == b"x"


async def test_a_tree_holds_what_is_below_it_and_nothing_else(root: Path) -> None:
    (root / "sub/deep").mkdir(parents=True)
    (root / "sub/deep/a").write_text("x")
    (root / "b").write_text("x")
    files = reading(root, "sub", scope="tree")
    assert (await files.read("sub/deep/a")).data == b"x"
    for path in ("b", "sub/../b", "subway"):
        with pytest.raises(ToolFailed, match="not among the paths"):
            await files.read(path)


@dataclass(frozen=True)
class Refusal:
    id: str
    path: str
    says: str
    there: tuple[str, ...] = ()
    """Files that exist, with their folders; a trailing slash makes a folder."""


REFUSALS = [
    Refusal("FIFO", "pipe", "pipe is a FIFO (named pipe), and only regular files"),
    Refusal("socket", "sock", "sock is a socket, and only regular files"),
    Refusal("device", "/dev/zero", "/dev/zero is a device, and only regular files"),
    Refusal("terminal", "/dev/tty", "/dev/tty is a device, and only regular files"),
    Refusal("memory of a process", "/proc/self/mem", "/proc/self/mem can't be used: Input/output error"),
    Refusal("large", "big", "big has 268,435,457 bytes; files of more than 268,435,456 are not read whole."),
    Refusal("circle", "circle", "circle can't be used: links lead in a circle. Use a path without them."),
    Refusal("circle on the way", "circle/x", "circle/x can't be used: links lead in a circle."),
    Refusal("folder", "sub", "sub is a folder, not a file. List it to see what is in it.", ("sub/",)),
    Refusal("root", "/", "/ is a folder, not a file. List it to see what is in it."),
    Refusal("long name", "x" * 300, "the name is too long. Use a shorter one."),
    Refusal("file in the way", "a/b", "a/b can't be used: a file stands where its path needs a folder.", ("a",)),
    Refusal("slip", "app.pi", "There is no app.pi. Nearest names in the workspace: app.py.", ("app.py", "zebra")),
    Refusal("slip below", "s/x.c", "There is no s/x.c. Nearest names in s: x.h.", ("s/x.h",)),
    Refusal("no folder", "sr/x", "the workspace has no folder sr. Nearest names in the workspace: src.", ("src/",)),
    Refusal("letter case", "readme.MD", "Nearest names in the workspace: README.md.", ("README.md",)),
    Refusal("accent", "\u00e9.txt", "Nearest names in the workspace: e\u0301.txt.", ("e\u0301.txt",)),
    Refusal("odd space", "9.41 AM", r'Nearest names in the workspace: "9.41\u202fAM".', ("9.41\u202fAM",)),
    Refusal("nothing near", "zzz", "No name in the workspace is like it; list the folder, or search", ("app.py",)),
    Refusal("outside", "../app.pi", "There is no ../app.pi. Correct the path.", ("../app.py",)),
]  # fmt: skip


def make(root: Path, names: tuple[str, ...]) -> None:
    for name in names:
        (root / name).parent.mkdir(exist_ok=True)
        if name.endswith("/"):
            (root / name).mkdir()
        else:
            (root / name).touch()


def make_specials(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(root / "pipe")
    os.symlink("circle", root / "circle")
    (root / "big").touch()
    os.truncate(root / "big", atomic.MAX_BYTES + 1)
    monkeypatch.chdir(root)  # a socket's path may have 107 bytes at most
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("sock")


@pytest.mark.parametrize("case", REFUSALS, ids=attrgetter("id"))
async def test_what_cannot_be_read_is_refused_in_words_and_without_waiting(
    case: Refusal, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(root, case.there)
    make_specials(root, monkeypatch)
    async with asyncio.timeout(HANG):
        with pytest.raises(ToolFailed) as caught:
            await reading(root, case.path).read(case.path)
    assert case.says in str(caught.value)


async def test_a_path_with_a_nul_is_refused(root: Path) -> None:
    files = WorkspaceFiles(Workspace(root), Effects.unknown())
    with pytest.raises(ToolFailed, match="holds a NUL character, which no path can"):
        await files.read("a\0b")


async def test_a_proc_file_without_a_size_is_read_whole(root: Path) -> None:
    content = await reading(root, "/proc/self/status").read("/proc/self/status")
    assert content.data.startswith(b"Name:")


async def test_kind_tells_what_stands_there(root: Path) -> None:
    (root / "file").touch()
    (root / "folder").mkdir()
    os.mkfifo(root / "pipe")
    os.symlink("folder", root / "link")
    os.symlink("gone", root / "dangling")
    files = reading(root, "file", "folder", "pipe", "link", "dangling", "none", "none/below", ".", "/")
    kinds = {path: await files.kind(path) for path in ("file", "folder", "pipe", "link", "dangling", "none/below", "/")}
    assert kinds == {
        "file": "file", "folder": "folder", "pipe": "other", "link": "folder", "dangling": None,
        "none/below": None, "/": "folder",
    }  # fmt: skip
    assert await files.exists("file")
    assert not await files.exists("none")


async def test_entries_have_kinds_and_sizes_and_are_in_order(root: Path) -> None:
    (root / "b").write_bytes(b"12345")
    (root / "a").mkdir()
    os.symlink("/etc/passwd", root / "c")
    os.mkfifo(root / "d")
    (root / os.fsdecode(b"\xff\n")).touch()
    entries = await reading(root, ".", scope="tree").entries(".")
    assert [(entry.name, entry.kind, entry.size) for entry in entries] == [
        ("a", "folder", 0), ("b", "file", 5), ("c", "link", 0), ("d", "other", 0), ("\udcff\n", "file", 0),
    ]  # fmt: skip


async def test_the_loop_goes_on_while_the_disk_is_slow(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "a").write_text("x")
    released = threading.Event()
    fstat = os.fstat

    def slow(handle: int) -> os.stat_result:
        assert released.wait(HANG)
        return fstat(handle)

    monkeypatch.setattr(os, "fstat", slow)
    task = asyncio.ensure_future(reading(root, "a").read("a"))
    await asyncio.sleep(0)
    released.set()
    assert (await task).data == b"x"


@pytest.mark.parametrize("size", [0, 1, 30_000_000], ids=["empty", "small", "of several pieces"])
async def test_a_scan_gives_all_bytes_in_order(size: int, root: Path) -> None:
    data = (os.urandom(1_000) * (size // 1_000 + 1))[:size]
    (root / "f").write_bytes(data)
    pieces: list[bytes] = []
    await reading(root, "f").scan("f", pieces.append)
    assert b"".join(pieces) == data
    assert all(pieces)


async def test_what_is_too_large_to_be_held_can_be_scanned_up_to_a_bound(root: Path) -> None:
    (root / "f").touch()
    os.truncate(root / "f", atomic.MAX_BYTES + 1)
    with pytest.raises(FileTooLarge, match="f has 268,435,457 bytes; files of more than 268,435,456 "):
        await reading(root, "f").read("f")
    size = 0

    def count(piece: bytes) -> None:
        nonlocal size
        size += len(piece)

    await reading(root, "f").scan("f", count)
    assert size == atomic.MAX_BYTES + 1
    os.truncate(root / "f", atomic.MAX_SCANNED + 1)
    with pytest.raises(FileTooLarge, match="f has 17,179,869,185 bytes"):
        await reading(root, "f").scan("f", count)


async def test_whoever_takes_a_scan_may_end_it(root: Path) -> None:
    (root / "f").write_bytes(b"a" * 30_000_000)
    taken: list[bytes] = []

    def take(piece: bytes) -> None:
        taken.append(piece)
        raise ToolFailed("Enough.")

    with pytest.raises(ToolFailed, match="Enough"):
        await reading(root, "f").scan("f", take)
    assert len(taken) == 1


async def test_a_cancelled_scan_ends_at_the_next_piece(root: Path) -> None:
    (root / "f").write_bytes(b"a" * 60_000_000)
    loop = asyncio.get_running_loop()
    taken: list[bytes] = []
    first, told = asyncio.Event(), threading.Event()

    def take(piece: bytes) -> None:
        taken.append(piece)
        loop.call_soon_threadsafe(first.set)
        told.wait(HANG)

    task = asyncio.ensure_future(reading(root, "f").scan("f", take))
    await first.wait()
    task.cancel()
    await asyncio.sleep(0)
    told.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(taken) == 1


@pytest.mark.skipif(not Path("/proc/self/pagemap").exists(), reason="only Linux has such files")
async def test_a_file_without_an_end_is_refused(root: Path) -> None:
    with pytest.raises(ToolFailed, match="goes on after 16,777,216 bytes, and may have no end") as caught:
        await reading(root, "/proc/self/pagemap").read("/proc/self/pagemap")
    assert not isinstance(caught.value, FileTooLarge)

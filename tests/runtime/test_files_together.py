from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from file_harness import temporary_files, writing

from handrail.contract.context import FileChange
from handrail.errors import ToolFailed
from handrail.runtime.files import WorkspaceFiles

OLD = {"a": b"old a", "b": b"old b", "gone": b"old gone"}
NEW = {"a": b"new a", "b": b"new b", "sub/made": b"made", "deep/er/made": b"deep"}
BREAKABLE = ("link", "replace", "open", "fsync", "write", "mkdir", "unlink")


def everything(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, data in OLD.items():
        (tmp_path / name).write_bytes(data)
        (tmp_path / name).chmod(0o640)
    return tmp_path


def files_of(root: Path) -> WorkspaceFiles:
    return writing(root, *OLD, *NEW)


async def changes(files: WorkspaceFiles) -> list[FileChange]:
    return [
        FileChange("gone", await files.read("gone"), None),
        FileChange("a", await files.read("a"), NEW["a"]),
        FileChange("sub/made", None, NEW["sub/made"], mode=0o750),
        FileChange("deep/er/made", None, NEW["deep/er/made"]),
        FileChange("b", await files.read("b"), NEW["b"]),
    ]


async def test_several_files_are_changed_made_and_deleted(root: Path) -> None:
    files = files_of(root)
    contents = await files.change(await changes(files))
    assert everything(root) == NEW
    assert [None if content is None else content.data for content in contents] == [
        None, NEW["a"], NEW["sub/made"], NEW["deep/er/made"], NEW["b"],
    ]  # fmt: skip
    assert [(root / name).stat().st_mode & 0o777 for name in ("a", "sub/made")] == [0o640, 0o750]
    assert [content for content in contents if content] == [
        await files.read(name) for name in ("a", "sub/made", "deep/er/made", "b")
    ]


@pytest.mark.parametrize("name", ["a", "b", "gone"])
async def test_nothing_is_changed_where_one_file_is_not_what_was_read(name: str, root: Path) -> None:
    files = files_of(root)
    wanted = await changes(files)
    (root / name).write_bytes(b"theirs")
    with pytest.raises(ToolFailed, match=f"{name} has changed since it was read, .* No file was changed."):
        await files.change(wanted)
    assert everything(root) == OLD | {name: b"theirs"}


async def test_nothing_is_changed_where_a_new_file_is_there_already(root: Path) -> None:
    files = files_of(root)
    wanted = await changes(files)
    (root / "sub").mkdir()
    (root / "sub/made").write_bytes(b"theirs")
    with pytest.raises(ToolFailed, match="sub/made appeared meanwhile and was left as it is"):
        await files.change(wanted)
    assert everything(root) == OLD | {"sub/made": b"theirs"}


def breaking(monkeypatch: pytest.MonkeyPatch, name: str, at: int) -> Callable[[], bool]:
    """The call of that number of `os.NAME` fails as on a full disk. Gives whether it came to that."""
    real: Any = getattr(os, name)
    count = 0

    def call(*arguments: Any, **keywords: Any) -> Any:
        nonlocal count
        count += 1
        if count == at:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(*arguments, **keywords)

    monkeypatch.setattr(os, name, call)
    return lambda: count >= at


@pytest.mark.parametrize("name", BREAKABLE)
async def test_a_failure_at_any_step_leaves_all_as_it_was_or_all_done(
    name: str, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for at in range(1, 60):
        files = files_of(root)
        wanted = await changes(files)
        with monkeypatch.context() as patch:
            came = breaking(patch, name, at)
            try:
                await files.change(wanted)
            except ToolFailed as error:
                said = str(error)
            else:
                said = ""
        found = {path: data for path, data in everything(root).items() if ".handrail-" not in path}
        assert found in (OLD, NEW), (at, said)
        if found == NEW:
            for path in NEW:
                (root / path).unlink()
            for path, data in OLD.items():
                (root / path).write_bytes(data)
        if not came():
            break
        assert name == "unlink" or temporary_files(root) == []
        for path in temporary_files(root):
            path.unlink()
    else:
        raise AssertionError("it never ran to its end")


async def test_what_was_done_is_undone_and_said(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = files_of(root)
    wanted = await changes(files)
    breaking(monkeypatch, "replace", 3)
    with pytest.raises(ToolFailed) as caught:
        await files.change(wanted)
    assert str(caught.value) == (
        "gone was not changed: the disk is full. Free some space and try again. "
        "Put back as they were before: a, b, deep/er/made, sub/made."
    )
    assert everything(root) == OLD
    assert sorted(path.name for path in root.iterdir()) == sorted(OLD)


async def test_what_somebody_changed_meanwhile_is_not_put_back(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = files_of(root)
    wanted = await changes(files)
    replace, count = os.replace, 0

    def replace_and_interfere(*arguments: Any, **keywords: Any) -> None:
        nonlocal count
        count += 1
        if count == 3:
            (root / "b").unlink()
            (root / "b").write_bytes(b"theirs")
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        replace(*arguments, **keywords)

    monkeypatch.setattr(os, "replace", replace_and_interfere)
    with pytest.raises(ToolFailed, match=r"b could not be put back as it was, and holds what this call gave it"):
        await files.change(wanted)
    assert everything(root) == OLD | {"b": b"theirs"}


async def test_a_link_is_not_deleted_for_its_file(root: Path) -> None:
    (root / "link").symlink_to("a")
    files = writing(root, "link")
    with pytest.raises(ToolFailed, match="link is a link to a file, and was left as it is"):
        await files.change([FileChange("link", await files.read("link"), None)])
    assert (root / "link").is_symlink()
    assert everything(root)["a"] == OLD["a"]

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from file_harness import reading, temporary_files, writing

from handrail.errors import ToolFailed


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "work space"
    folder.mkdir()
    return folder


async def test_a_link_that_the_facts_contained_is_followed(root: Path) -> None:
    (root / "target").write_text("x")
    os.symlink("target", root / "link")
    assert (await reading(root, "link").read("link")).data == b"x"


async def test_a_write_goes_through_the_link_and_the_link_stays(root: Path) -> None:
    (root / "target").write_text("old")
    os.symlink("target", root / "link")
    files = writing(root, "link")
    await files.write("link", b"new", replacing=await files.read("link"))
    assert (root / "link").is_symlink()
    assert (root / "target").read_bytes() == b"new"


@pytest.mark.parametrize("swap", ["file", "folder"])
async def test_a_link_put_in_the_way_after_the_decision_is_refused(swap: str, root: Path) -> None:
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "a").write_text("secret")
    (root / "sub").mkdir()
    (root / "sub/a").write_text("x")
    files = writing(root, "sub/a")
    content = await files.read("sub/a")
    if swap == "file":
        (root / "sub/a").unlink()
        os.symlink(outside / "a", root / "sub/a")
    else:
        (root / "sub").rename(root / "was")
        os.symlink(outside, root / "sub")
    with pytest.raises(ToolFailed, match="leads to another place now"):
        await files.read("sub/a")
    with pytest.raises(ToolFailed, match="leads to another place now"):
        await files.write("sub/a", b"y", replacing=content)
    assert (outside / "a").read_text() == "secret"


async def test_a_link_that_leads_elsewhere_since_is_refused(root: Path) -> None:
    (root / "one").write_text("1")
    (root / "two").write_text("2")
    os.symlink("one", root / "link")
    files = reading(root, "link")
    (root / "link").unlink()
    os.symlink("two", root / "link")
    with pytest.raises(ToolFailed, match="leads to another place now"):
        await files.read("link")


async def test_a_link_below_a_tree_is_not_followed(root: Path) -> None:
    (root / "sub").mkdir()
    os.symlink("/etc", root / "sub/folder")
    os.symlink("/etc/passwd", root / "sub/file")
    files = reading(root, "sub", scope="tree")
    with pytest.raises(ToolFailed, match="leads to another place now"):
        await files.read("sub/folder/passwd")
    with pytest.raises(ToolFailed, match="leads to another place now"):
        await files.read("sub/file")


async def test_a_race_of_swaps_never_leads_outside(root: Path) -> None:
    outside = root.parent / "outside"
    for folder, text in ((outside, "secret"), (root / "real", "inside")):
        folder.mkdir()
        (folder / "a").write_text(text)
    os.symlink(outside, root / "link")
    (root / "sub").mkdir()
    files = writing(root, "sub/a")
    (root / "sub").rmdir()
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            for name in ("real", "link"):
                os.rename(root / name, root / "sub")
                os.rename(root / "sub", root / name)

    swapper = threading.Thread(target=swap)
    swapper.start()
    seen = []
    try:
        for _ in range(300):
            try:
                content = await files.read("sub/a")
                seen.append(content.data)
                await files.write("sub/a", b"inside", replacing=content)
            except ToolFailed:
                continue
    finally:
        over.set()
        swapper.join()
    assert set(seen) <= {b"inside"}
    assert (outside / "a").read_text() == "secret"
    assert temporary_files(root.parent) == []

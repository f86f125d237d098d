from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from tool_harness import Bench

from handrail.contract.results import TextDisplay
from handrail.errors import ToolFailed
from handrail.tools.list_directory import MOST_ENTRIES, ListDirectory


def make(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


async def listed(root: Path, path: str = ".", *, show_ignored: bool = False) -> str:
    return (await Bench(root).run(ListDirectory(), path=path, show_ignored=show_ignored)).text


async def test_folders_come_first_then_files_with_sizes(tmp_path: Path) -> None:
    make(tmp_path, {"b.txt": "12345", ".hidden": "", "z/x": "", "a/x": "", "A.txt": "x" * 1234})
    assert await listed(tmp_path) == "a/\nz/\n.hidden  (0 bytes)\nA.txt  (1,234 bytes)\nb.txt  (5 bytes)"


async def test_what_is_neither_file_nor_folder_is_named(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    os.symlink("/etc", tmp_path / "link")
    os.symlink("odd\nname", tmp_path / "nowhere")
    assert (await listed(tmp_path)).split("\n") == [
        "link  (link to /etc)", r'nowhere  (link to "odd\nname")', "pipe  (not a regular file)",
    ]  # fmt: skip


async def test_odd_names_survive(tmp_path: Path) -> None:
    for name in ("-n", "two\nlines", os.fsdecode(b"bad\xff"), " blank"):
        (tmp_path / name).touch()
    make(tmp_path, {".gitignore": "*.log\n"})
    rows = (await listed(tmp_path)).split("\n")
    assert rows == [
        '" blank"  (0 bytes)', "-n  (0 bytes)", ".gitignore  (6 bytes)",
        r'"bad\xff"  (0 bytes)', r'"two\nlines"  (0 bytes)',
    ]  # fmt: skip


async def test_an_empty_folder_says_so(tmp_path: Path) -> None:
    assert await listed(tmp_path) == "[Nothing is in this folder.]"


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("large")
    for number in range(MOST_ENTRIES + 5):
        (folder / f"{number:05}").touch()
    (folder / "z").mkdir()
    return folder


@pytest.mark.parametrize(
    ("offset", "first", "count", "note"),
    [
        (0, "z/", 1_000, "[Entries 1-1,000 of 1,006. To go on: offset=1000.]"),
        (1_000, "00999  (0 bytes)", 6, "[Entries 1,001-1,006 of 1,006: the last ones.]"),
    ],
)
async def test_a_large_folder_comes_in_pages(offset: int, first: str, count: int, note: str, large: Path) -> None:
    *rows, last = (await Bench(large).run(ListDirectory(), offset=offset)).text.split("\n")
    assert (rows[0], len(rows), last) == (first, count, note)


async def test_an_offset_past_the_end_is_told_how_many_there_are(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    with pytest.raises(ToolFailed, match=r"offset 1 is past the end: \. has 1 entry\."):
        await Bench(tmp_path).run(ListDirectory(), offset=1)


IGNORING = {
    ".gitignore": "*.log\nbuild/\n/only-here\n!important.log\n",
    "x.log": "", "important.log": "", "build/x": "", "only-here": "", "kept": "", ".git/config": "",
    "sub/.gitignore": "!keep.log\nmine\n",
    "sub/keep.log": "", "sub/x.log": "", "sub/mine": "", "sub/only-here": "", "sub/build/x": "",
    "sub/deep/keep.log": "", "sub/deep/x.log": "",
}  # fmt: skip


@pytest.mark.parametrize(
    ("path", "names", "ignored"),
    [
        (".", ["sub/", ".gitignore", "important.log", "kept"], 3),
        ("sub", ["deep/", ".gitignore", "keep.log", "only-here"], 3),
        ("./sub/", ["deep/", ".gitignore", "keep.log", "only-here"], 3),
        ("sub/deep", ["keep.log"], 1),
        ("build", ["x"], 0),
    ],
)
async def test_ignored_entries_are_left_out_and_counted(
    path: str, names: list[str], ignored: int, tmp_path: Path
) -> None:
    make(tmp_path, IGNORING)
    rows = (await listed(tmp_path, path)).split("\n")
    note = [f"[{ignored} ignored by .gitignore; show_ignored=true lists them too.]"] if ignored else []
    assert [row.split("  ")[0] for row in rows] == names + note


async def test_all_is_listed_where_asked_for(tmp_path: Path) -> None:
    make(tmp_path, IGNORING)
    rows = (await listed(tmp_path, show_ignored=True)).split("\n")
    assert [row.split("  ")[0] for row in rows] == [
        ".git/", "build/", "sub/", ".gitignore", "important.log", "kept", "only-here", "x.log",
    ]  # fmt: skip


async def test_a_folder_of_ignored_entries_says_so(tmp_path: Path) -> None:
    make(tmp_path, {".gitignore": "*\n", "x": ""})
    assert "[Nothing but ignored entries.]\n[2 ignored" in await listed(tmp_path)


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("f", "f is a file, not a folder. Use read_file to see what is in it."),
        ("fold", "There is no fold. Nearest names in the workspace: folder."),
        ("f/x", "a file stands where its path needs a folder"),
        ("pipe", "pipe is neither a folder nor a file. Use another path."),
    ],
)
async def test_what_is_no_folder_is_refused(path: str, says: str, tmp_path: Path) -> None:
    make(tmp_path, {"f": "", "folder/x": ""})
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ToolFailed) as caught:
        await listed(tmp_path, path)
    assert says in str(caught.value)


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
async def test_an_ignore_file_that_is_no_file_does_not_matter(kind: str, tmp_path: Path) -> None:
    make(tmp_path, {"sub/x": ""})
    ignore = tmp_path / "sub/.gitignore"
    {"link": lambda: os.symlink("/etc/passwd", ignore), "pipe": lambda: os.mkfifo(ignore), "folder": ignore.mkdir}[
        kind
    ]()
    assert "x  (0 bytes)" in await listed(tmp_path, "sub")


async def test_one_of_a_thing_is_not_many(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    result = await Bench(tmp_path).run(ListDirectory())
    assert result.text == "a  (1 byte)"
    assert result.display == TextDisplay("1 entry in .")


@pytest.mark.parametrize(
    "line", ["\\", "a\\", "!", "!\\", "[z-a]", "a" * 100_000, "b\udcff"], ids=lambda line: line[:3]
)
async def test_a_line_of_an_ignore_file_that_is_no_pattern_leaves_the_others_to_hold(line: str, tmp_path: Path) -> None:
    make(tmp_path, {"x.log": "", "y": ""})
    (tmp_path / ".gitignore").write_bytes(f"*.log\n{line}\n".encode(errors="surrogateescape"))
    text = (await Bench(tmp_path).run(ListDirectory())).text
    assert "x.log" not in text
    assert "\ny  (0 bytes)\n[1 ignored by .gitignore" in text

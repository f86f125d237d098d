from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

import pytest
from tool_harness import Bench

from handrail.contract.confirmation import EditConfirmation
from handrail.contract.results import DiffDisplay
from handrail.errors import ToolFailed
from handrail.tools.write_file import WriteFile


@dataclass(frozen=True)
class Write:
    id: str
    before: bytes | None
    content: str
    after: bytes
    says: str


GB18030 = "这是一个用中文写的文件里面有足够的文字。\n".encode("gb18030") * 5
WRITES = [
    Write("new", None, "a\nb\n", b"a\nb\n", "Created f (2 lines)."),
    Write("new, empty", None, "", b"", "Created f (0 lines)."),
    Write("new, CRLF", None, "a\r\n", b"a\r\n", "Created f (1 line)."),
    Write("replace", b"old\n", "a\nb", b"a\nb", "Replaced f (2 lines; before, 1 line)."),
    Write("empty it", b"x\n" * 500, "", b"", "Replaced f (it is now empty; before, it had 500 lines)."),
    Write("same", b"a\n", "a\n", b"a\n", "f holds exactly this already; nothing was written."),
    Write("literal backslash n", None, 'print("a\\nb")\n', b'print("a\\nb")\n', "Created f (1 line)."),
    Write("dollar and quotes", None, "m('^[sv]d[a-z]$', \"'(\")", b"m('^[sv]d[a-z]$', \"'(\")", "Created f (1 line)."),
    Write("CRLF kept", b"a\r\nb\r\n", "c\nd\n", b"c\r\nd\r\n", "Kept from the old file: CRLF line endings."),
    Write("CRLF given", b"a\n", "c\r\n", b"c\r\n", "Replaced f (1 line; before, 1 line)."),
    Write("mostly LF", b"a\r\nb\nc\n", "d\n", b"d\n", "Replaced f (1 line; before, 3 lines)."),
    Write("BOM kept", b"\xef\xbb\xbfa", "b", b"\xef\xbb\xbfb", "Kept from the old file: UTF-8 with a byte order mark."),
    Write("BOM given", b"\xef\xbb\xbfa", "\ufeffb", b"\xef\xbb\xbfb", "Kept from the old file: UTF-8 with a byte"),
    Write("UTF-16 kept", "h\xe9".encode("utf-16"), "\u4e2d", "\u4e2d".encode("utf-16"), "UTF-16-LE with a byte order"),
    Write("UTF-16 same", "h\xe9".encode("utf-16"), "h\xe9", "h\xe9".encode("utf-16"), "nothing was written"),
    Write("Latin-1 kept", b"caf\xe9", "caf\xe9s", b"caf\xe9s", "Kept from the old file: Latin-1."),
    Write("GB18030 kept", GB18030, "\u4e2d\n", "\u4e2d\n".encode("gb18030"), "Kept from the old file: GB18030."),
    Write("binary", b"a\0b", "text", b"text", "Replaced f"),
]


@pytest.mark.parametrize("case", WRITES, ids=attrgetter("id"))
async def test_a_write_gives_the_whole_file_its_content(case: Write, tmp_path: Path) -> None:
    path = tmp_path / "f"
    if case.before is not None:
        path.write_bytes(case.before)
    bench = Bench(tmp_path)
    shown = await bench.confirm(WriteFile(), file_path="f", content=case.content)
    result = await bench.run(WriteFile(), file_path="f", content=case.content)
    assert path.read_bytes() == case.after
    assert case.says in result.text
    assert isinstance(shown, EditConfirmation)
    assert (shown.path, shown.old is None) == (path, case.before is None)
    if result.display is not None:
        assert result.display == DiffDisplay(path, shown.old, shown.new)


@pytest.mark.parametrize("before", [None, b"TOKEN=abc\n", b"\xff\xfe\x00\x01"], ids=["new", "text", "binary"])
async def test_a_placeholder_is_not_written_where_a_secret_stood(before: bytes | None, tmp_path: Path) -> None:
    file = tmp_path / "f"
    if before is not None:
        file.write_bytes(before)
    with pytest.raises(
        ToolFailed, match=r"f holds \[redacted:github-token\], which stands where a secret was taken out"
    ):
        await Bench(tmp_path).run(WriteFile(), file_path="f", content="TOKEN=[redacted:github-token]\n")
    assert (file.read_bytes() if file.exists() else None) == before


async def test_a_file_about_placeholders_can_be_written_again(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("It prints [redacted:marked].\n")
    await Bench(tmp_path).run(WriteFile(), file_path="f", content="It prints [redacted:marked] now.\n")
    assert (tmp_path / "f").read_text() == "It prints [redacted:marked] now.\n"


async def test_a_write_that_changes_nothing_does_not_touch_the_file(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a")
    before = (tmp_path / "f").stat()
    await Bench(tmp_path).run(WriteFile(), file_path="f", content="a")
    after = (tmp_path / "f").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


async def test_missing_folders_come_with_the_file(tmp_path: Path) -> None:
    result = await Bench(tmp_path).run(WriteFile(), file_path="x/y/f", content="a")
    assert result.text == "Created x/y/f (1 line)."
    assert (tmp_path / "x/y/f").read_text() == "a"


async def test_the_mode_stays(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text("a")
    (tmp_path / "run.sh").chmod(0o755)
    await Bench(tmp_path).run(WriteFile(), file_path="run.sh", content="b")
    assert (tmp_path / "run.sh").stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("sub", "sub is a folder, not a file"),
        ("f/x", "a file stands where its path needs a folder"),
        (".", "is a folder"),
    ],
)
async def test_what_is_no_file_is_not_written(path: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "f").touch()
    for attempt in (Bench(tmp_path).confirm, Bench(tmp_path).run):
        with pytest.raises(ToolFailed, match=says):
            await attempt(WriteFile(), file_path=path, content="a")


@pytest.mark.parametrize(
    ("names", "note"),
    [
        ((), "Replaced f (1 line; before, 1 line)."),
        (("g",), "Replaced f (1 line; before, 1 line). It had 2 names (hard links): the other keeps the old content."),
        (("g", "h"), "It had 3 names (hard links): the others keep the old content."),
    ],
)
async def test_a_write_tells_of_the_other_names_of_a_file(names: tuple[str, ...], note: str, tmp_path: Path) -> None:
    (tmp_path / "f").write_text("old\n")
    for name in names:
        (tmp_path / name).hardlink_to(tmp_path / "f")
    result = await Bench(tmp_path).run(WriteFile(), file_path="f", content="new\n")
    assert result.text.endswith(note)
    assert [(tmp_path / name).read_text() for name in names] == ["old\n"] * len(names)


async def test_a_character_that_the_encoding_lacks_is_refused(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"caf\xe9")
    with pytest.raises(ToolFailed, match="f is encoded in Latin-1, which has no \u4e2d"):
        await Bench(tmp_path).run(WriteFile(), file_path="f", content="\u4e2d")
    assert (tmp_path / "f").read_bytes() == b"caf\xe9"


async def test_a_file_that_changed_since_it_was_read_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("v1\n")
    bench = Bench(tmp_path)
    await bench.noted("f")
    (tmp_path / "f").write_text("v2\n")
    with pytest.raises(ToolFailed, match="f has changed since you last read it, and was left as it is"):
        await bench.run(WriteFile(), file_path="f", content="mine\n")
    assert (tmp_path / "f").read_text() == "v2\n"
    await bench.noted("f")
    await bench.run(WriteFile(), file_path="f", content="mine\n")
    await bench.run(WriteFile(), file_path="f", content="mine too\n")
    assert (tmp_path / "f").read_text() == "mine too\n"


async def test_folders_many_levels_deep_come_with_the_file(tmp_path: Path) -> None:
    await Bench(tmp_path).run(WriteFile(), file_path="d/" * 600 + "f", content="x")
    assert (tmp_path / ("d/" * 600)).joinpath("f").read_text() == "x"


@pytest.mark.parametrize("path", ["d/" * 3_000 + "f", f"{'d' * 200}/" * 30 + "f", "d/e/" + "n" * 300])
async def test_a_path_that_no_program_could_open_is_refused_and_no_folder_of_it_stays(
    path: str, tmp_path: Path
) -> None:
    with pytest.raises(ToolFailed, match="can't be used: the name is too long"):
        await Bench(tmp_path).run(WriteFile(), file_path=path, content="x")
    assert list(tmp_path.iterdir()) == []

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

import pytest
from tool_harness import Bench, CheckFailed

from handrail.contract.confirmation import EditConfirmation, PatchConfirmation
from handrail.contract.results import DiffDisplay, PatchDisplay
from handrail.errors import ToolFailed
from handrail.tools.apply_patch import ApplyPatch


def patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch"])


def update(*lines: str) -> str:
    return patch("*** Update File: f", *lines)


@dataclass(frozen=True)
class Patch:
    id: str
    before: bytes
    hunks: tuple[str, ...]
    after: bytes
    reason: str


TWO = b"def a():\n  x\ndef b():\n  x\n"
NESTED = b"c A\nd f\nx\nc B\nd f\nx\n"
LOOSE = TWO.replace(b"x", b"x  ", 1)
BRACES = b"f() {\n  if (a) {\n  }\n  x;\n}\ng() {\n  x;\n}\n"
PATCHES = [
    Patch("line", b"a\nb\nc\n", ("@@", " a", "-b", "+B", " c"), b"a\nB\nc\n", "the plain case"),
    Patch("no marker", b"a\nb\n", ("-b", "+B"), b"a\nB\n", "the first hunk may do without"),
    Patch("two hunks", b"a\nb\nc\nd\n", ("@@", "-a", "+A", "@@", "-d", "+D"), b"A\nb\nc\nD\n", "in order"),
    Patch("the same twice", b"x\ny\nx\n", ("@@", " y", "-x", "+z"), b"x\ny\nz\n", "one place with its context"),
    Patch("after the last", b"x\ny\nx\n", ("@@", "-x", "+1", " y", "@@", "-x", "+2"), b"1\ny\n2\n", "what is left"),
    Patch("header", TWO, ("@@ def b():", "-  x", "+  y"), b"def a():\n  x\ndef b():\n  y\n", "below it"),
    Patch("two headers", NESTED, ("@@ c B", "@@ d f", "-x", "+y"), NESTED[:-2] + b"y\n", "each"),
    Patch("blanks below a header", LOOSE, ("@@ def a():", "-  x", "+  y"), TWO.replace(b"x", b"y", 1), "the nearest"),
    Patch("section", b"# A\nx\n# B\nx\n", ("@@ # B", "-x", "+y"), b"# A\nx\n# B\ny\n", "without indentation"),
    Patch("braces", BRACES, ("@@ f() {", "-  x;", "+  y;"), BRACES.replace(b"x", b"y", 1), "to the end of the body"),
    Patch("numbered header", b"a\nb\n", ("@@ -2,1 +2,1 @@ x", "-b", "+B"), b"a\nB\n", "numbers say nothing"),
    Patch("empty line", b"a\n\nb\n", ("@@", " a", "", "-b", "+B"), b"a\n\nB\n", "context, if its space was lost"),
    Patch("no final newline", b'{"a":1}', ("@@", '-{"a":1}', '+{"a":2}'), b'{"a":2}', "none is added"),
    Patch("blank last line", b"alpha\nbeta\n\n", ("@@", "-alpha", "+ALPHA"), b"ALPHA\nbeta\n\n", "nor taken away"),
    Patch("added at the end", b"a", ("@@", " a", "+b"), b"a\nb", "the last line stays without its newline"),
    Patch("newline taken away", b"a\n", ("@@", "-a", "+b", "\\ No newline at end of file"), b"b", "where it says so"),
    Patch("newline added", b"a", ("@@", "-a", "\\ No newline at end of file", "+b"), b"b\n", "or so"),
    Patch("CRLF", b"a\r\nb\r\nc", ("@@", " a", "-b", "+B", "+C"), b"a\r\nB\r\nC\r\nc", "the file's own"),
    Patch("CRLF at the end", b"a\r\nb", ("@@", " b", "+c"), b"a\r\nb\r\nc", "even there"),
    Patch("mixed", b"a\r\nb\nc\r\n", ("@@", " a", "-b", "+B", " c"), b"a\r\nB\nc\r\n", "each line its own"),
    Patch("BOM", b"\xef\xbb\xbfa\n", ("@@", "-a", "+b"), b"\xef\xbb\xbfb\n", "kept"),
    Patch("UTF-16", "a\r\nb\r\n".encode("utf-16"), ("@@", "-b", "+c"), "a\r\nc\r\n".encode("utf-16"), "kept"),
    Patch("trailing blanks", b"a  \nb\n", ("@@", " a", "-b", "+B"), b"a  \nB\n", "are the same text"),
    Patch("end of file", b"x\ny\nx\n", ("@@", "-x", "+z", "*** End of File"), b"x\ny\nz\n", "the last one"),
    Patch("appended", b"a\n", ("@@", "+b", "*** End of File"), b"a\nb\n", "where it says so"),
    Patch("filled", b"", ("@@", "+a"), b"a\n", "an empty file has one place alone"),
    Patch("deleted lines", b"a\nb\nc\n", ("@@", " a", "-b", "-c"), b"a\n", "to nothing"),
    Patch("all", b"a\n", ("@@", "-a"), b"", "even all of it"),
    Patch("signs in lines", b"-a\n+b\n", ("@@", "--a", "++c", " +b"), b"+c\n+b\n", "the first one counts"),
    Patch("backslashes", b"a\n", ("@@", "-a", r"+\1 \g<0> \n $& {x}"), b"\\1 \\g<0> \\n $& {x}\n", "no template"),
    Patch("overlapping lines", b"a\na\nb\n", ("@@", " a", " a", "-b", "+c"), b"a\na\nc\n", "the whole hunk counts"),
]  # fmt: skip


@pytest.mark.parametrize("case", PATCHES, ids=attrgetter("id"))
async def test_a_patch_keeps_every_other_byte(case: Patch, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(case.before)
    (tmp_path / "f").chmod(0o751)
    bench = Bench(tmp_path)
    shown = await bench.confirm(ApplyPatch(), input=update(*case.hunks))
    result = await bench.run(ApplyPatch(), input=update(*case.hunks))
    assert (tmp_path / "f").read_bytes() == case.after
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o751
    assert isinstance(shown, EditConfirmation)
    assert result.display == DiffDisplay(tmp_path / "f", shown.old, shown.new)


@dataclass(frozen=True)
class Refused:
    id: str
    before: bytes
    hunks: tuple[str, ...]
    says: str


REFUSED = [
    Refused("absent", b"f(x):\n  b\n", ("@@", " f(y):", "-  b", "+  c"), "was not found. Nearest: line 1, which reads"),
    Refused("twice", b"x\ny\nx\n", ("@@", "-x", "+z"), "Hunk 1 of f stands at 2 places: lines 1, 3. Give more of the"),
    Refused("overlapping", b"a\na\na\n", ("@@", " a", "-a", "+b"), "Hunk 1 of f stands at 2 places: lines 1, 2."),
    Refused("a part of a line", b"xa\nab\n", ("@@", "-a", "+b"), "Hunk 1 of f was not found."),
    Refused("indented", b"  a\n", ("@@", "-a", "+b"), "has 2 spaces where the hunk has no blank"),
    Refused("out of order", b"a\nb\n", ("@@", "-b", "+B", "@@", "-a", "+A"), "Hunk 2 of f stands at line 1, and the"),
    Refused("overlapping hunks", b"a\nb\nc\n", ("@@", "-a", " b", "@@", " b", "-c"), "make one of two that overlap."),
    Refused("absent after", b"a\nb\n", ("@@", "-a", "+A", "@@", "-x", "+z"), "was not found after line 1, where the"),
    Refused("no such header", b"a\n", ("@@ def f():", "-a", "+b"), "Hunk 1 of f: its header `def f():` is not in the"),
    Refused("two headers", b"h\nx\nh\nx\n", ("@@ h", "-x", "+y"), "Hunk 1 of f stands at 2 places: lines 2, 4."),
    Refused("of others", b"def z():\n" + TWO, ("@@ def z():", "-  x", "+  y"), "at none that belongs to its header"),
    Refused("another section", b"# A\n# B\nx\n# C\nx\n", ("@@ # A", "-x", "+y"), "at none that belongs to its header"),
    Refused("above the header", b"x\nh\n", ("@@ h", "-x", "+y"), "Hunk 1 of f stands at line 1, above its header `h`."),
    Refused("nowhere", b"a\n", ("@@", "+b"), "Hunk 1 of f only adds lines, and does not say where."),
    Refused("not at the end", b"a\nb\n", ("@@", "-a", "+c", "*** End of File"), "stands at line 1, and not at the end"),
    Refused("not there at all", b"a\n", ("@@", "-q", "+c", "*** End of File"), "was not found at the end of the file"),
    Refused("no change", b"a\n", ("@@", "-a", "+a"), "f would not change: what the hunks take away and"),
    Refused("binary", b"a\0b", ("@@", "-a", "+a"), "f is binary, 3 bytes, and can't be patched."),
    Refused("left out", b"a\nb\n", ("@@", "-a", "+# ... rest of the code"), "stands for code that was left out"),
    Refused("a secret", b"a\n", ("@@", "-a", "+[redacted:$KEY]"), "stands where a secret was taken out"),
]  # fmt: skip


@pytest.mark.parametrize("case", REFUSED, ids=attrgetter("id"))
async def test_a_patch_that_does_not_fit_changes_nothing_and_says_why(case: Refused, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(case.before)
    for attempt in (Bench(tmp_path).confirm, Bench(tmp_path).run):
        with pytest.raises(ToolFailed) as caught:
            await attempt(ApplyPatch(), input=update(*case.hunks))
        assert case.says in str(caught.value)
    assert (tmp_path / "f").read_bytes() == case.before


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "The patch must begin with the line `*** Begin Patch`."),
        ("*** Begin Patch\n*** Add File: f\n+a", "its end is missing"),
        (patch(), "The patch names no file."),
        (patch("hello"), "Line 2 of the patch, `hello`: expected `*** Add File: PATH`"),
        (patch("*** Add File: ", "+a"), "the path is missing"),
        (patch("*** Add File: f", "a"), "Line 3 of the patch, `a`: every line of a new file must begin with `+`."),
        (patch("*** Update File: f"), "has no hunks"),
        (patch("*** Update File: f", "@@", " a"), "changes nothing"),
        (patch("*** Update File: f", "@@", "a"), "every line of a hunk must begin with a space, `-` or `+`"),
        (patch("*** Update File: f", "*** Move to: ", "@@", "-a", "+b"), "the path is missing"),
        (patch("*** Add File: p", "+a", "*** Add File: p/q", "+b"), "has p as a file, and p/q as a file in it"),
        (patch("*** Add File: p/q", "+a", "*** Add File: ./p", "+b"), "has ./p as a file, and p/q as a file in it"),
        (patch("*** Delete File: f", "*** Delete File: ./f"), "The patch names ./f more than once."),
        (patch("*** Update File: f", "*** Move to: f", "-a", "+b"), "more than once"),
        (patch(*(f"*** Delete File: {number}" for number in range(201))), "at most 200 are changed at once"),
        (patch("*** Delete File: f", "*** End Patch"), "`*** End Patch` ends the patch, but more lines follow"),
    ],
)
async def test_what_is_no_patch_is_found_before_anybody_is_asked(text: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(CheckFailed) as caught:
        await Bench(tmp_path).run(ApplyPatch(), input=text)
    assert says in str(caught.value)


SEVERAL = patch(
    *("*** Add File: new/made", "+made", "+here"),
    *("*** Update File: a", "@@", "-a", "+A"),
    *("*** Update File: b", "*** Move to: c", "@@", "-b", "+B"),
    *("*** Update File: same", "*** Move to: elsewhere/same"),
    "*** Delete File: gone",
)


def several(root: Path) -> None:
    for name in ("a", "b", "same", "gone"):
        (root / name).write_text(f"{name}\n")
    (root / "b").chmod(0o755)


def everything(root: Path) -> dict[str, str]:
    return {str(path.relative_to(root)): path.read_text() for path in root.rglob("*") if path.is_file()}


async def test_files_are_added_changed_moved_and_deleted_together(tmp_path: Path) -> None:
    several(tmp_path)
    bench = Bench(tmp_path)
    shown = await bench.confirm(ApplyPatch(), input=SEVERAL)
    result = await bench.run(ApplyPatch(), input=SEVERAL)
    assert everything(tmp_path) == {"a": "A\n", "c": "B\n", "new/made": "made\nhere\n", "elsewhere/same": "same\n"}
    assert (tmp_path / "c").stat().st_mode & 0o777 == 0o755
    assert result.text.split("\n") == [
        "Created new/made (2 lines).",
        "Changed a (1 hunk).",
        "Moved b to c, and changed it (1 hunk).",
        "Moved same to elsewhere/same.",
        "Deleted gone.",
    ]
    assert isinstance(shown, PatchConfirmation)
    assert isinstance(result.display, PatchDisplay)
    assert [(file.path, file.old, file.new) for file in shown.files] == [
        (file.path, file.old, file.new) for file in result.display.files
    ]
    effects = ApplyPatch().bind({"input": SEVERAL}).claims()
    assert {claim.path for claim in effects.writes} == {
        "new/made", "a", "b", "c", "same", "elsewhere/same", "gone",
    }  # fmt: skip
    assert effects.destructive


@pytest.mark.parametrize("taken", ["new/made", "c"])
async def test_a_patch_never_writes_over_a_file_that_it_makes(taken: str, tmp_path: Path) -> None:
    several(tmp_path)
    (tmp_path / taken).parent.mkdir(exist_ok=True)
    (tmp_path / taken).write_text("theirs")
    before = everything(tmp_path)
    with pytest.raises(ToolFailed, match=f"{taken} is there already, and a patch does not write over it"):
        await Bench(tmp_path).run(ApplyPatch(), input=SEVERAL)
    assert everything(tmp_path) == before


async def test_one_section_that_does_not_fit_stops_all(tmp_path: Path) -> None:
    several(tmp_path)
    (tmp_path / "gone").unlink()
    before = everything(tmp_path)
    with pytest.raises(ToolFailed, match="There is no gone"):
        await Bench(tmp_path).run(ApplyPatch(), input=SEVERAL)
    assert everything(tmp_path) == before


async def test_a_file_that_changed_since_it_was_read_is_not_patched(tmp_path: Path) -> None:
    several(tmp_path)
    bench = Bench(tmp_path)
    await bench.noted("gone")
    (tmp_path / "gone").write_text("theirs\n")
    with pytest.raises(ToolFailed, match="gone has changed since you last read it"):
        await bench.run(ApplyPatch(), input=SEVERAL)
    assert (tmp_path / "gone").read_text() == "theirs\n"


async def test_a_second_patch_builds_on_the_first(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"alpha\nbeta\n\n")
    bench = Bench(tmp_path)
    await bench.run(ApplyPatch(), input=update("@@", "-alpha", "+ALPHA"))
    await bench.run(ApplyPatch(), input=update("@@", "-beta", "+BETA"))
    assert (tmp_path / "f").read_bytes() == b"ALPHA\nBETA\n\n"


async def test_a_patch_that_names_a_file_and_a_link_to_it_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a\nb\n")
    (tmp_path / "link").symlink_to("f")
    both = patch("*** Update File: link", "@@", "-a", "+A", "*** Update File: f", "@@", "-b", "+B")
    with pytest.raises(ToolFailed, match="f and link are one file: a link leads there"):
        await Bench(tmp_path).run(ApplyPatch(), input=both)
    assert (tmp_path / "f").read_text() == "a\nb\n"


REPEATED = 20_000
"""Lines that are all the same: work that took their square would take minutes."""


@pytest.mark.parametrize("headers", [("@@ line",), ("@@ line", "@@ line", "@@ line"), ("@@  line",), ()])
async def test_a_file_of_equal_lines_costs_no_more_than_others(headers: tuple[str, ...], tmp_path: Path) -> None:
    before = b"line\n" * REPEATED + b" line\n" * REPEATED
    (tmp_path / "f").write_bytes(before)
    with pytest.raises(ToolFailed, match=r"places: lines [124], "):
        await Bench(tmp_path).run(ApplyPatch(), input=update(*(headers or ("@@",)), " line", "-line", "+c"))
    assert (tmp_path / "f").read_bytes() == before


def test_what_is_no_patch_may_touch_anything() -> None:
    assert ApplyPatch().bind({"input": "x"}).claims().certainty == "unknown"

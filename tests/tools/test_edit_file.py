from __future__ import annotations

import os
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

import pytest
from tool_harness import Bench, CheckFailed

from handrail.contract.confirmation import EditConfirmation
from handrail.contract.results import DiffDisplay
from handrail.errors import InvalidArguments, ToolFailed
from handrail.tools.edit_file import EditFile


@dataclass(frozen=True)
class Edit:
    id: str
    before: bytes
    old: str
    new: str
    after: bytes
    reason: str
    every: bool = False


ODD = "\u0161\u6100a"
"""In UTF-16 it holds the bytes of `a` twice: once across two characters."""
REST = "# rest of code ..."
EDITS = [
    Edit("word", b"red fish\n", "red", "blue", b"blue fish\n", "the plain case"),
    Edit("CRLF", b"a\r\nb\r\nc\r\n", "a\nb", "x\ny", b"x\r\ny\r\nc\r\n", "\\n matches any line ending, which is kept"),
    Edit("CRLF given", b"a\r\nb\r\nc\r\n", "a\r\nb", "x\r\ny", b"x\r\ny\r\nc\r\n", "given as it is in the file"),
    Edit("CRLF given for LF", b"a\nb\nc\n", "a\r\nb", "x\r\ny", b"x\ny\nc\n", "the file's ending counts"),
    Edit("CRLF and tabs", b"\tif a:\r\n\t\tb\r\n", "\tif a:\n\t\tb", "\tb", b"\tb\r\n", "tabs stay tabs"),
    Edit("mixed, word", b"a\r\nb\nc\r\n", "b", "B", b"a\r\nB\nc\r\n", "lines not touched keep their own ending"),
    Edit("mixed, lines", b"a\r\nb\nc\r\nd\n", "a\nb\nc\n", "a\nB\nc\n", b"a\r\nB\nc\r\nd\n", "so do those inside"),
    Edit("mixed, more lines", b"a\r\nb\nc\r\n", "a\nb\nc\n", "a\nx\nb\nc\n", b"a\r\nx\nb\nc\r\n", "kept lines too"),
    Edit("mixed, fewer lines", b"a\r\nb\nc\r\nd", "a\nb\nc\nd", "a\nd", b"a\r\nd", "the same when lines go"),
    Edit("new line in CRLF", b"a\r\nb\r\n", "b", "b\nc", b"a\r\nb\r\nc\r\n", "the ending of the line it comes to"),
    Edit("new line at a CRLF end", b"a\r\nb", "b", "b\nc", b"a\r\nb\r\nc", "or of the line before"),
    Edit("starts with a line end", b"a\r\nb\r\n", "\nb", "\nc", b"a\r\nc\r\n", "no stray carriage return is left"),
    Edit("BOM", b"\xef\xbb\xbfhello\n\xe4\xb8\xad\n", "hello", "hello2", b"\xef\xbb\xbfhello2\n\xe4\xb8\xad\n", "kept"),
    Edit("BOM given", b"\xef\xbb\xbfhello\n", "\ufeffhello", "\ufeffbye", b"\xef\xbb\xbfbye\n", "and never doubled"),
    Edit("no final newline", b'{"a":1}', "1", "2", b'{"a":2}', "none is added"),
    Edit("blank last line", b"alpha\nbeta\n\n", "alpha", "ALPHA", b"ALPHA\nbeta\n\n", "nor taken away"),
    Edit("newline at the end", b"no newline end", "end", "end\n", b"no newline end\n", "what is given is written"),
    Edit("backslashes", b"foo", "foo", r"\1 \g<0> \n \\", rb"\1 \g<0> \n \\", "no template"),
    Edit("dollars", b"foo", "foo", "$& $1 $$ ${x}", b"$& $1 $$ ${x}", "no template of another language"),
    Edit("pattern", b"a.c abc\n", "a.c", "x", b"x abc\n", "no pattern"),
    Edit("literal backslash n", b'sep = ","', '","', '"\\n"', b'sep = "\\n"', "nothing is unescaped"),
    Edit("dollar before a quote", b"m()", "m()", "m('^[sv]d[a-z]$')", b"m('^[sv]d[a-z]$')", "nothing is guessed"),
    Edit("curly quotes", b"say 'hi'", "'hi'", "\u2018hi\u2019", b"say \xe2\x80\x98hi\xe2\x80\x99", "code points count"),
    Edit("straight quotes", b"x", "x", "/^[\"'(]+/", b"/^[\"'(]+/", "none is made curly"),
    Edit("tab", b"\tlong n;\n", "\tlong n;", "\tlong m;", b"\tlong m;\n", "a tab is a tab"),
    Edit("trailing blanks", b"a  \nb\n", "a  \n", "a\n", b"a\nb\n", "blanks count"),
    Edit("blanks at line ends", b"a  \nb\t\nc\n", "a\nb\n", "a\nB\n", b"a  \nB\nc\n", "are the same text"),
    Edit("blanks given", b"a\nb\nc\n", "a \nb  ", "x\nb  ", b"x\nb\nc\n", "in the call too; kept lines stay"),
    Edit("blanks and CRLF", b"a \r\nb\r\n", "a\nb", "a\nb\nc", b"a \r\nb\r\nc\r\n", "both at once"),
    Edit("blanks of no matter", b"f(a )\nf(a)  \ng\n", "f(a)\ng", "h", b"f(a )\nh\n", "only those at line ends"),
    Edit("composed", "cafe\u0301!\nx\n".encode(), "caf\u00e9!", "tea", b"tea\nx\n", "one text, two spellings"),
    Edit("decomposed", "caf\u00e9\nx\n".encode(), "cafe\u0301\nx", "cafe\u0301\ny", "caf\u00e9\ny\n".encode(), "kept"),
    Edit("Hangul", "\u1112\u1161\u11ab a\n".encode(), "\ud55c a", "b", b"b\n", "made of letters or whole"),
    Edit("line numbers", b"x\nalpha\nbeta\n", " 12\u2192alpha\n 13\u2192beta", " 12\u2192o", b"x\no\n", "of read_file"),
    Edit("line numbers in one", b"alpha\nbeta\n", "     1\u2192alpha\n", "one\n", b"one\nbeta\n", "in one alone"),
    Edit("numbers in the file", b"1\xe2\x86\x92a\na\n", "1\u2192a", "b", b"b\na\n", "written so is found first"),
    Edit("omitted there too", f"{REST}\na\n".encode(), f"{REST}\na", f"{REST}\nb", f"{REST}\nb\n".encode(), "stays"),
    Edit("Latin-1", b"// opera\xe7\xe3o\nx=1\n", "x=1", "x=2", b"// opera\xe7\xe3o\nx=2\n", "other bytes stay"),
    Edit("Latin-1 letter", b"opera\xe7\xe3o", "\xe7\xe3o", "\xe7\xf5es", b"opera\xe7\xf5es", "in the file's encoding"),
    Edit("UTF-16", "h\xe9\n".encode("utf-16"), "h\xe9", "h", "h\n".encode("utf-16"), "encoding and mark stay"),
    Edit("UTF-16 CRLF", "a\r\nb\r\n".encode("utf-16"), "a\nb", "c\nd", "c\r\nd\r\n".encode("utf-16"), "both at once"),
    Edit("UTF-16, odd offset", ODD.encode("utf-16"), "a", "b", ODD.replace("a", "b").encode("utf-16"), "not bytes"),
    Edit("UTF-32", "a\n".encode("utf-32"), "a", "b", "b\n".encode("utf-32"), "is not taken for UTF-16"),
    Edit("all", b"a b a\n", "a", "bb", b"bb b bb\n", "each place once", every=True),
    Edit("all, overlapping", b"aaaa", "aa", "b", b"bb", "places that don't overlap", every=True),
    Edit("all, containing itself", b"a a", "a", "aa", b"aa aa", "new text is not searched", every=True),
    Edit("all, mixed endings", b"a\r\na\n", "a\n", "b\nc\n", b"b\r\nc\r\nb\nc\n", "each place has its own", every=True),
    Edit("delete", b"a\nb\nc\n", "b\n", "", b"a\nc\n", "to nothing"),
    Edit("everything", b"a\nb\n", "a\nb\n", "c", b"c", "the whole file"),
    Edit("form feed and U+2028", "a\u2028b\x0cc\nE\n".encode(), "E", "F", "a\u2028b\x0cc\nF\n".encode(), "no ends"),
    Edit("lone CR", b"a\rb\n", "a\rb", "c", b"c\n", "nor does a lone CR"),
    Edit("fill", b"", "", "x\n", b"x\n", "an empty file can be filled"),
    Edit("large", b"line\n" * 200_000 + b"end\n", "end", "END", b"line\n" * 200_000 + b"END\n", "whatever the size"),
]  # fmt: skip


@pytest.mark.parametrize("case", EDITS, ids=attrgetter("id"))
async def test_edit_keeps_every_other_byte(case: Edit, tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(case.before)
    path.chmod(0o755)
    arguments = {"file_path": "f", "old_string": case.old, "new_string": case.new, "replace_all": case.every}
    bench = Bench(tmp_path)
    shown = await bench.confirm(EditFile(), **arguments)
    result = await bench.run(EditFile(), **arguments)
    assert path.read_bytes() == case.after
    assert path.stat().st_mode & 0o777 == 0o755
    assert isinstance(shown, EditConfirmation)
    assert isinstance(result.display, DiffDisplay)
    assert (shown.path, shown.old, shown.new) == (path, result.display.old, result.display.new)
    assert result.fault is None


@dataclass(frozen=True)
class Refused:
    id: str
    before: bytes
    old: str
    new: str
    says: str
    every: bool = False


TAB, CURLY, BLANKS, WORD = (
    "Nearest: line 2, which has a tab where old_string has 4 spaces. Read lines 1-2 and try again.",
    'Nearest: line 1, which has U+201C (\u201c) where old_string has U+0022 (").',
    "Nearest: line 1, which has 2 spaces where old_string has a space.",
    "Nearest: line 1, which reads `def alpha(a, b):` where old_string has `def alpha(a, c):`.",
)
REFUSED = [
    Refused(
        "no end of line", b"a\nb", "b\n", "c", "Nearest: line 2, which is where the file ends, and old_string goes"
    ),
    Refused("absent", b"hello\n", "absent text", "y", "was not found in f. Nothing in it is like old_string. Read the"),
    Refused("twice", b"x=1\ny=2\nx=1\n", "x=1", "x=9", "2 times in f: lines 1, 3. Add lines around it"),
    Refused("twice in a line", b"x x\n", "x", "y", "old_string occurs 2 times in f: line 1 and more."),
    Refused("many", b"x\n" * 50, "x", "y", "occurs 50 times in f: lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and more."),
    Refused("overlapping", b"aaa", "aa", "b", "occurs more than once in f, overlapping itself, at line 1."),
    Refused("twice, either ending", b"a\r\nb\na\nb\n", "a\nb", "c", "occurs 2 times in f: lines 1, 3."),
    Refused("tab for spaces", b"def f():\n\treturn 1\n", "    return 1", "x", TAB),
    Refused("curly quotes", "T: \u201cone\u201d\n".encode(), 'T: "one"', "x", CURLY),
    Refused("twice in normal form", b"a \nb\na\t\nb\n", "a\nb", "x", "occurs 2 times in f: lines 1, 3."),
    Refused("blanks inside", b"a  line\nb\n", "a line\nb", "x", BLANKS),
    Refused("blanks before", b"  p\n  q\n", "p\nq", "x", "Nearest: line 1, which has 2 spaces where old_string has no"),
    Refused("half a character", "e\u0301\u0323".encode(), "\u00e9", "x", "was not found in f."),
    Refused("other word", b"def alpha(a, b):\n    return a\n", "def alpha(a, c):\n    return a", "x", WORD),
    Refused("past the end", b"a\nlast line", "last line\nmore", "x", "line 2, which is where the file ends, and old"),
    Refused(
        "numbers that jump", b"alpha\nbeta\n", "     1\u2192alpha\n     3\u2192beta", "x", "leave them out and try"
    ),
    Refused("numbers of others", b"alpha\nbeta\n", "1\talpha\n2\tbeta", "x", "leave them out and try again."),
    Refused("numbers in a part", b"a\nb\n", "1\u2192a\n2\u2192b", "1\u2192a\nc", "leave them out and try again."),
    Refused(
        "omitted code", b"a()\nb()\n", "a()", "c()\n# ... rest of the code ...", "stands for code that was left out"
    ),
    Refused("done already", b"def b():\n  pass\n", "def a():\n  pass", "def b():\n  pass", "there already, at line 1"),
    Refused("empty file", b"", "x", "y", "The file is empty: leave old_string empty to fill it."),
    Refused("empty old", b"a\nb\n", "", "x", "old_string is empty, but f exists and has 2 lines. Give the text"),
    Refused("endings alone", b"a\nb\n", "a\nb", "a\r\nb", "f would not change: old_string and new_string differ in"),
    Refused("not in the encoding", b"opera\xe7", "opera", "\u4e2d", "which has no \u4e2d. Use other characters"),
    Refused("old not in the encoding", b"opera\xe7", "\u4e2d", "x", "old_string was not found in f."),
    Refused("binary", b"a\0b", "a", "b", "f is binary, 3 bytes, and can't be edited as text."),
]


@pytest.mark.parametrize("case", REFUSED, ids=attrgetter("id"))
async def test_an_edit_that_does_not_fit_changes_nothing_and_says_why(case: Refused, tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(case.before)
    before = path.stat()
    arguments = {"file_path": "f", "old_string": case.old, "new_string": case.new, "replace_all": case.every}
    for attempt in (Bench(tmp_path).confirm, Bench(tmp_path).run):
        with pytest.raises(ToolFailed) as caught:
            await attempt(EditFile(), **arguments)
        assert case.says in str(caught.value)
    assert path.read_bytes() == case.before
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.parametrize(
    ("old", "new", "every", "says"),
    [("a", "a", False, "are the same"), ("", "", False, "are the same"), ("", "X", True, "must not be empty")],
)
async def test_what_can_never_work_is_found_before_anybody_is_asked(
    old: str, new: str, every: bool, says: str, tmp_path: Path
) -> None:
    (tmp_path / "f").write_text("abc")
    with pytest.raises(CheckFailed, match=says):
        await Bench(tmp_path).run(EditFile(), file_path="f", old_string=old, new_string=new, replace_all=every)
    assert (tmp_path / "f").read_text() == "abc"


async def test_an_empty_old_string_creates_a_file(tmp_path: Path) -> None:
    result = await Bench(tmp_path).run(EditFile(), file_path="new/f", old_string="", new_string="a\nb\n")
    assert result.text == "Created new/f (2 lines)."
    assert (tmp_path / "new/f").read_bytes() == b"a\nb\n"


async def test_a_missing_file_is_told_with_its_neighbours(tmp_path: Path) -> None:
    (tmp_path / "app.py").touch()
    with pytest.raises(ToolFailed, match=r"There is no apq.py. Nearest names in the workspace: app.py."):
        await Bench(tmp_path).run(EditFile(), file_path="apq.py", old_string="a", new_string="b")


async def test_the_result_says_how_often_and_where(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a\nb\nb\n")
    bench = Bench(tmp_path)
    once = await bench.run(EditFile(), file_path="f", old_string="a", new_string="c")
    often = await bench.run(EditFile(), file_path="f", old_string="b", new_string="c", replace_all=True)
    assert once.text == "Edited f: replaced 1 occurrence, at line 1."
    assert often.text == "Edited f: replaced 2 occurrences, the first at line 2."


async def test_an_edit_goes_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a")
    os.symlink("f", tmp_path / "link")
    await Bench(tmp_path).run(EditFile(), file_path="link", old_string="a", new_string="b")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "f").read_text() == "b"


async def test_stale_text_is_never_put_somewhere_near(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("def a():\n    return 1\n")
    bench = Bench(tmp_path)
    await bench.run(EditFile(), file_path="f", old_string="def a", new_string="def b")
    with pytest.raises(ToolFailed, match="was not found"):
        await bench.run(EditFile(), file_path="f", old_string="def a():\n    return 1", new_string="x")
    assert (tmp_path / "f").read_text() == "def b():\n    return 1\n"


@pytest.mark.parametrize(("before", "old"), [("old\n", "old"), ("", "")])
async def test_an_edit_tells_of_the_other_names_of_a_file(before: str, old: str, tmp_path: Path) -> None:
    (tmp_path / "f").write_text(before)
    (tmp_path / "g").hardlink_to(tmp_path / "f")
    result = await Bench(tmp_path).run(EditFile(), file_path="f", old_string=old, new_string="new")
    assert result.text.endswith(" It had 2 names (hard links): the other keeps the old content.")
    assert (tmp_path / "g").read_text() == before


@pytest.mark.parametrize(
    ("before", "old"), [(b"TOKEN=abc\n", "abc"), (b"", ""), (None, "")], ids=["text", "empty", "new"]
)
async def test_a_placeholder_does_not_take_a_secrets_place(before: bytes | None, old: str, tmp_path: Path) -> None:
    file = tmp_path / "f"
    if before is not None:
        file.write_bytes(before)
    with pytest.raises(ToolFailed, match=r"f holds \[redacted:\$API_KEY\], .* Nothing was written"):
        await Bench(tmp_path).run(EditFile(), file_path="f", old_string=old, new_string="[redacted:$API_KEY]")
    assert (file.read_bytes() if file.exists() else None) == before


async def test_a_placeholder_that_the_file_holds_can_be_edited_around(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("prints [redacted:marked]")
    await Bench(tmp_path).run(
        EditFile(), file_path="f", old_string="prints [", new_string="shows [redacted:marked] as ["
    )
    assert (tmp_path / "f").read_text() == "shows [redacted:marked] as [redacted:marked]"


async def test_several_edits_are_made_at_once(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"a\r\nb\r\nc c\r\n")
    edits = [
        {"old_string": "c", "new_string": "a", "replace_all": True},
        {"old_string": "a\n", "new_string": "b\nb\n"},
        {"old_string": "b", "new_string": "c", "expected_count": 1},
    ]
    result = await Bench(tmp_path).run(EditFile(), file_path="f", edits=edits)
    assert (tmp_path / "f").read_bytes() == b"b\r\nb\r\nc\r\na a\r\n"
    assert result.text == "Edited f: 3 edits, 4 occurrences, the first of each at line 4, 1, 3."


@pytest.mark.parametrize(
    ("edits", "says"),
    [
        (
            [("a", "b"), ("x", "y")],
            "Edit 2 of 2 can't be made, and none was: old_string was not found in f. Nothing in",
        ),
        (
            [("a", "b"), ("a b", "y")],
            "Edit 2 of 2 can't be made, and none was: it touches the same text of f as edit 1",
        ),
        ([("a b", "new"), ("new", "y")], "only in what an edit before it puts there"),
        ([("a", "q"), ("c", "y")], "Edit 2 of 2 can't be made, and none was: old_string occurs 2 times in f: line 2"),
        ([("a", "q"), ("b", "b\n// ... existing code ...")], "stands for code that was left out"),
    ],
)
async def test_one_edit_that_does_not_fit_stops_all(edits: list[tuple[str, str]], says: str, tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a b\nc c\n")
    given = [{"old_string": old, "new_string": new} for old, new in edits]
    with pytest.raises(ToolFailed) as caught:
        await Bench(tmp_path).run(EditFile(), file_path="f", edits=given)
    assert says in str(caught.value)
    assert (tmp_path / "f").read_text() == "a b\nc c\n"


@pytest.mark.parametrize(
    ("count", "after", "says"),
    [
        (2, "y y z\n", "replaced 2 occurrences"),
        (1, "x x z\n", "occurs 2 times in f, not 1 time as expected_count says: line 1 and more."),
        (
            3,
            "x x z\n",
            "occurs 2 times in f, not 3 times as expected_count says: line 1 and more. Correct it",
        ),
    ],
)
async def test_an_expected_count_must_be_met(count: int, after: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x x z\n")
    try:
        arguments = {"old_string": "x", "new_string": "y", "expected_count": count}
        said = (await Bench(tmp_path).run(EditFile(), file_path="f", **arguments)).text
    except ToolFailed as error:
        said = str(error)
    assert says in said
    assert (tmp_path / "f").read_text() == after


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"old_string": "a"},
        {"new_string": "a"},
        {"edits": []},
        {"edits": [{"old_string": "", "new_string": "x"}]},
        {"edits": [{"old_string": "a", "new_string": "x"}], "old_string": "a", "new_string": "x"},
        {"edits": [{"old_string": "a", "new_string": "x"}], "replace_all": True},
    ],
)
def test_an_edit_is_given_in_one_way(arguments: dict[str, object]) -> None:
    with pytest.raises(InvalidArguments):
        EditFile().bind({"file_path": "f", **arguments})


async def test_a_file_that_changed_since_it_was_read_is_not_edited(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a = 1\nb = 2\n")
    bench = Bench(tmp_path)
    await bench.noted("f")
    os.utime(tmp_path / "f", (1, 1))
    await bench.run(EditFile(), file_path="f", old_string="a = 1", new_string="a = 3")
    await bench.run(EditFile(), file_path="f", old_string="a = 3", new_string="a = 4")
    (tmp_path / "f").write_text("a = 4\nb = 5\n")
    with pytest.raises(ToolFailed, match="f has changed since you last read it, and was left as it is"):
        await bench.run(EditFile(), file_path="f", old_string="a = 4", new_string="a = 5")
    assert (tmp_path / "f").read_text() == "a = 4\nb = 5\n"
    await bench.noted("f")
    await bench.run(EditFile(), file_path="f", old_string="a = 4", new_string="a = 5")


async def test_what_was_seen_through_is_said(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a  \nb\n")
    result = await Bench(tmp_path).run(EditFile(), file_path="f", old_string="a\nb", new_string="c")
    assert result.text.endswith("Blanks at line ends, or composed characters, were seen through.")

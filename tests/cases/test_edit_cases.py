"""Faults that people reported of edits and writes, each as the calls of a whole session; and what one product does.

Every case of the areas below is in one of the tables, has a test of its own, or is decided otherwise, with the
reason. A case that is in none fails, and so does one that is in two.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from accounts import accounted, case
from call_harness import Person, opened
from corpus_files import cases
from handrail.contract.calls import Completed, Failed
from handrail.contract.confirmation import EditConfirmation, Reject
from handrail.tools import builtin_tools
from handrail.tools.text.omissions import omissions
from handrail.wire import Wire
from neutral_calls import Named, calls, kinds, read, write

REPORTED = cases("reported_faults", "edit")
PERMISSION = cases("permission_faults", "edit/write")
GEMINI = cases("gemini_behaviour", "edit-match", "edit-omission")

DECIDED_OTHERWISE = {
    "gm-edit-match-165": "blanks at the start of a line count: p and q at another depth are another text",
    "gm-edit-match-166": "the same: it is not found, so it can't be found twice",
    "gm-edit-match-168": "blanks inside of a line count: `call( x )` is not `call(x)`",
    "gm-edit-match-173": "new text is written as given: a newline in it is put into the file",
}


def edit(old: str, new: str, **more: Any) -> Named:
    return "edit_file", {"file_path": "f", "old_string": old, "new_string": new, **more}


def several(*edits: dict[str, Any]) -> Named:
    return "edit_file", {"file_path": "f", "edits": list(edits)}


def patch(*hunk: str) -> Named:
    lines = ("*** Begin Patch", "*** Update File: f", "@@", *hunk, "*** End Patch")
    return "apply_patch", {"input": "\n".join(lines)}


def shell(command: str) -> Named:
    return "shell", {"command": command}


def content(text: str) -> Named:
    return write("f", text)


Step = Named | bytes
"""A call, or what somebody else puts into the file."""


@dataclass(frozen=True)
class Story:
    before: bytes
    steps: tuple[Step, ...]
    after: bytes
    says: str = ""
    """In the result of the last call."""
    fails: bool = False
    """The last call does; all others succeed."""
    look: Callable[[Path], object] = field(default=lambda path: None)
    """Must be true afterwards."""


def ok(before: bytes, *steps: Step, after: bytes, **more: Any) -> Story:
    return Story(before, steps, after, **more)


def no(before: bytes, *steps: Step, says: str, after: bytes | None = None) -> Story:
    return Story(before, steps, before if after is None else after, says, fails=True)


LATIN, UTF_16 = b"// opera\xe7\xe3o\nx=1\n", "h\xe9".encode("utf-16")
GBK = "这个文件是用另一种编码写的\n这里有足够的文字让人知道\n".encode("gb18030")
ABC = b"a\r\nb\r\nc\r\n"
TABS = b"\tif a:\r\n\t\tb()\r\n\tc()\r\n"
STORIES: dict[str, list[Story]] = {
    "ED01": [
        ok(ABC, read("f"), edit("a\nb", "x\ny"), after=b"x\r\ny\r\nc\r\n"),
        ok(ABC, read("f"), patch("-a", "-b", "+x", "+y", " c"), after=b"x\r\ny\r\nc\r\n"),
        ok(ABC, read("f"), edit("a\r\nb", "x\r\ny"), after=b"x\r\ny\r\nc\r\n"),
    ],
    "ED04": [
        ok(b"a\r\nb\nc\r\n", edit("b", "B"), after=b"a\r\nB\nc\r\n"),
        ok(b"a\r\nb\nc\r\n", edit("a\nb\nc", "a\nB\nc"), after=b"a\r\nB\nc\r\n"),
        ok(b"a\r\nb\nc\r\n", patch(" a", "-b", "+B", " c"), after=b"a\r\nB\nc\r\n"),
    ],
    "ED05": [
        ok(b"\xef\xbb\xbfhello\n\xe4\xb8\xad\n", edit("hello", "hello2"), after=b"\xef\xbb\xbfhello2\n\xe4\xb8\xad\n"),
        ok(b"\xef\xbb\xbfhello\n", patch("-hello", "+hello2"), after=b"\xef\xbb\xbfhello2\n"),
        ok(b"\xef\xbb\xbfhello\n", content("hello2\n"), after=b"\xef\xbb\xbfhello2\n"),
    ],
    "ED06": [
        ok(b'{"a":1}', patch('-{"a":1}', '+{"a":2}'), after=b'{"a":2}'),
        ok(b'{"a":1}', edit("1", "2"), after=b'{"a":2}'),
        ok(b'{"a":1}', content('{"a":2}'), after=b'{"a":2}'),
    ],
    "ED07": [
        ok(b"alpha\nbeta\n\n", patch("-alpha", "+ALPHA", " beta"), after=b"ALPHA\nbeta\n\n"),
        ok(b"alpha\nbeta\n\n", patch("-alpha", "+ALPHA"), patch("-beta", "+BETA", " "), after=b"ALPHA\nBETA\n\n"),
        ok(b"alpha\nbeta\n\n", edit("alpha", "ALPHA"), edit("beta", "BETA"), after=b"ALPHA\nBETA\n\n"),
    ],
    "ED10": [
        ok(b"foo", edit("foo", "\\1 \\g<0> \\n \\\\"), after=b"\\1 \\g<0> \\n \\\\"),
        ok(b"foo foo", edit("foo", "\\1", replace_all=True), after=b"\\1 \\1"),
        ok(b"foo\r\nbar\r\n", edit("foo\nbar", "\\1 $& {x} %s"), after=b"\\1 $& {x} %s\r\n"),
        ok(b"foo\n", patch("-foo", "+\\1 \\g<0>"), after=b"\\1 \\g<0>\n"),
    ],
    "ED12": [
        ok(b'sep = ","', edit('","', '"\\n"'), after=b'sep = "\\n"'),
        ok(b'sep = ","', edit('","', '"\n"'), after=b'sep = "\n"'),
    ],
    "ED14": [ok(b"", content('print("a\\nb")\n'), after=b'print("a\\nb")\n')],
    "ED15": [
        ok(b"x", edit("x", "select('match', '^[sv]d[a-z]$')"), after=b"select('match', '^[sv]d[a-z]$')"),
        ok(b"x", content("select('match', '^[sv]d[a-z]$')"), after=b"select('match', '^[sv]d[a-z]$')"),
    ],
    "ED16": [ok(b"say 'hi'", edit("'hi'", "\u2018hi\u2019"), after=b"say \xe2\x80\x98hi\xe2\x80\x99")],
    "ED17": [
        no("T: \u201cone\u201d\nU: \u201ctwo\u201d\n".encode(), edit('T: "one"', 'T: "uno"'), says="U+201C"),
        no("T: it\u2019s\n".encode(), edit("T: it's", "T: is"), says="U+2019"),
    ],
    "ED18": [
        ok(b"x", edit("x", "/^[\"'(]+\\s*the/"), after=b"/^[\"'(]+\\s*the/"),
        ok(b"x", content("/^[\"'(]+\\s*the/"), after=b"/^[\"'(]+\\s*the/"),
    ],
    "ED21": [
        ok(b"\tlong n;\n", edit("\tlong n;", "\tlong m;"), after=b"\tlong m;\n"),
        no(b"\tlong n;\n", edit("    long n;", "    long m;"), says="has a tab where old_string has 4 spaces"),
    ],
    "ED22": [
        no(b"abc", edit("", "X", replace_all=True), says="old_string must not be empty"),
        no(b"abc", edit("", "X", expected_count=4), says="old_string must not be empty"),
        no(b"abc", several({"old_string": "", "new_string": "X", "replace_all": True}), says="old_string"),
    ],
    "ED28": [
        no(
            b"fn a() {\n  1\n}\nfn c() {}\n",
            *(edit("fn a", "fn b"), edit("fn a() {\n  1", "fn d() {\n  2")),
            says="was not found in f. Nearest: line 1",
            after=b"fn b() {\n  1\n}\nfn c() {}\n",
        ),
        no(b"a\nb\n", patch("-a", "+A"), patch("-a", "+B", " b"), says="Hunk 1 of f was not found", after=b"A\nb\n"),
    ],
    "ED29": [
        no(b"x=1\ny=2\nx=1\n", edit("x=1", "x=9"), says="occurs 2 times in f: lines 1, 3"),
        ok(b"x=1\ny=2\nx=1\n", edit("x=1", "x=9", expected_count=2), after=b"x=9\ny=2\nx=9\n"),
        ok(b"x=1\ny=2\nx=1\n", edit("x=1", "x=9", replace_all=True), after=b"x=9\ny=2\nx=9\n"),
        no(b"x=1\ny=2\nx=1\n", edit("x=1", "x=9", expected_count=3), says="occurs 2 times in f, not 3 times"),
        no(b"x=1\ny=2\nx=1\n", patch("-x=1", "+x=9"), says="stands at 2 places: lines 1, 3"),
    ],
    "ED30": [
        ok(b"aaaa", edit("aa", "b", replace_all=True), after=b"bb", says="replaced 2 occurrences"),
        no(b"aaaa", edit("aa", "b"), says="occurs 2 times in f"),
        no(b"aaa", edit("aa", "b"), says="occurs more than once in f, overlapping itself"),
    ],
    "ED31": [
        no(b"a", edit("a", "a"), says="are the same, so nothing would change"),
        no(b"a\n", patch("-a", "+a"), says="f would not change"),
        ok(b"a", content("a"), after=b"a", says="nothing was written"),
    ],
    "ED33": [
        ok(b"v1\n", read("f"), shell("touch f"), edit("v1", "v2"), after=b"v2\n"),
        ok(b"v1\n", read("f"), b"v1\n", content("v2\n"), after=b"v2\n"),
    ],
    "ED34": [
        no(b"v1\n", read("f"), b"v2\n", content("mine\n"), says="f has changed since you last read it", after=b"v2\n"),
        no(b"v1\n", read("f"), b"v2\n", edit("v1", "x"), says="f has changed since you last read it", after=b"v2\n"),
        no(b"a\n", read("f"), b"a\nb\n", patch("-a", "+c"), says="has changed since you last read", after=b"a\nb\n"),
        no(b"a\n", edit("a", "b"), b"c\n", content("d\n"), says="has changed since you last read", after=b"c\n"),
    ],
    "ED36": [
        ok(LATIN, read("f"), edit("x=1", "x=2"), after=LATIN.replace(b"1", b"2")),
        ok(LATIN, patch("-x=1", "+x=2"), after=LATIN.replace(b"1", b"2")),
        ok(b"\x93quoted\x94 \x80 5\nx\n", edit("x", "y"), after=b"\x93quoted\x94 \x80 5\ny\n"),
    ],
    "ED38": [
        ok(UTF_16, content("h\xe9"), edit("h", "H"), after="H\xe9".encode("utf-16")),
        ok(UTF_16, content("other"), after="other".encode("utf-16")),
        ok(GBK, content("中文\n"), after="中文\n".encode("gb18030")),
        ok(GBK, edit("另一种", "这种"), after=GBK.replace("另一种".encode("gb18030"), "这种".encode("gb18030"))),
        no(LATIN, content("中"), says="which has no 中"),
    ],
    "ED40": [
        ok(b"#!/bin/sh\n", edit("sh", "bash"), after=b"#!/bin/bash\n", look=lambda path: path.stat().st_mode & 0o100),
        ok(b"#!/bin/sh\n", content("x\n"), after=b"x\n", look=lambda path: path.stat().st_mode & 0o100),
        ok(b"a\n", patch("-a", "+b"), after=b"b\n", look=lambda path: path.stat().st_mode & 0o100),
    ],
    "ED45": [
        ok(
            b"a b",
            several(
                {"old_string": "a", "new_string": "b"}, {"old_string": "b", "new_string": "c", "replace_all": True}
            ),
            after=b"b c",
        ),
        no(
            b"a b",
            several({"old_string": "a b", "new_string": "x"}, {"old_string": "b", "new_string": "c"}),
            says="it touches the same text of f as edit 1, at line 1",
        ),
        no(
            b"a",
            several({"old_string": "a", "new_string": "b"}, {"old_string": "b", "new_string": "c"}),
            says="only in what an edit before it puts there",
        ),
    ],
    "cc-065": [ok(b"a\n", read("f"), edit("a", "b"), after=b"b\n")],
    "cc-066": [ok(b"a\n", read("f"), shell("touch -d 2001-01-01 f"), edit("a", "b"), after=b"b\n")],
    "cc-067": [
        ok(
            b"a\nb\nc\n",
            ("read_file", {"file_path": "f", "offset": 2, "limit": 1}),
            *(edit("b", "B"), read("f"), edit("c", "C"), edit("a", "A")),
            after=b"A\nB\nC\n",
        ),
        ok(b"a\n", read("f"), b"b\n", read("f"), edit("b", "c"), after=b"c\n"),
    ],
    "cc-068": [ok(b"a\n" * 5_000 + b"z\n", read("f"), edit("z", "y"), after=b"a\n" * 5_000 + b"y\n")],
    "cc-069": [ok(ABC, read("f"), edit("b", "B"), edit("c", "C"), after=b"a\r\nB\r\nC\r\n")],
    "cc-070": [ok(ABC, read("f"), edit("a\nb\n", "a\nB\n"), after=b"a\r\nB\r\nc\r\n")],
    "cc-071": [ok(TABS, read("f"), edit("\tif a:\n\t\tb()", "\tif b:\n\t\tb()"), after=TABS.replace(b"if a", b"if b"))],
    "cc-072": [
        ok(ABC, edit("b", "b\nb2"), after=b"a\r\nb\r\nb2\r\nc\r\n"),
        ok(ABC, content("x\ny\n"), after=b"x\r\ny\r\n"),
        ok(ABC, patch(" a", "+n", " b"), after=b"a\r\nn\r\nb\r\nc\r\n"),
    ],
}
TABLE = [pytest.param(story, id=f"{id}-{n}") for id, stories in STORIES.items() for n, story in enumerate(stories)]


def test_every_case_is_accounted_for_once() -> None:
    matched = [id for id in GEMINI if id not in DECIDED_OTHERWISE]
    assert accounted(globals(), STORIES, matched, DECIDED_OTHERWISE) == sorted({**REPORTED, **PERMISSION, **GEMINI})


@pytest.mark.parametrize("story", TABLE)
async def test_a_reported_fault_does_not_happen(story: Story, tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(story.before)
    path.chmod(0o755)
    async with opened(tmp_path, *builtin_tools()) as session:
        for index, step in enumerate(story.steps):
            if isinstance(step, bytes):
                path.write_bytes(step)
                continue
            stamp = (path.stat().st_ino, path.stat().st_mtime_ns)
            turn = await session.run(calls(step), Wire.NEUTRAL)
            failed = story.fails and index == len(story.steps) - 1
            assert kinds(turn) == [Failed if failed else Completed], turn.messages[-1]
            if failed or "nothing was written" in story.says:
                assert (path.stat().st_ino, path.stat().st_mtime_ns) == stamp
    assert path.read_bytes() == story.after
    assert story.says in str(turn.messages[-1]["results"][-1])
    assert story.look(path) is not False


@case("ED25")
async def test_a_file_that_becomes_empty_is_shown_so_before_and_said_so_after(tmp_path: Path) -> None:
    text = "line\n" * 2_048
    (tmp_path / "f").write_text(text)
    person = Person(Reject("no"))
    async with opened(tmp_path, *builtin_tools(), mode="default", asker=person) as session:
        await session.run(calls(content("")), Wire.NEUTRAL)
    shown = person.asked[0].confirmation
    assert isinstance(shown, EditConfirmation)
    assert (shown.title, shown.old, shown.new) == ("Write f (0 lines)", text, "")
    assert (tmp_path / "f").read_text() == text
    async with opened(tmp_path, *builtin_tools()) as session:
        turn = await session.run(calls(content("")), Wire.NEUTRAL)
    assert "it is now empty; before, it had 2,048 lines" in turn.messages[-1]["results"][0]["result"]


@case("ED35")
@pytest.mark.parametrize("other", ["f", "./f", "sub/../f", "link", "{root}/f"])
async def test_edits_of_one_file_at_once_are_all_made_whatever_it_is_called(other: str, tmp_path: Path) -> None:
    lines = [f"k{n}=a" for n in range(1, 51)]
    (tmp_path / "f").write_text("\n".join(lines))
    (tmp_path / "sub").mkdir()
    (tmp_path / "link").symlink_to("f")
    other = other.format(root=tmp_path)
    second = ("edit_file", {"file_path": other, "old_string": "k40=a", "new_string": "k40=Y"})
    async with opened(tmp_path, *builtin_tools()) as session:
        turn = await session.run(calls(edit("k3=a", "k3=X"), second), Wire.NEUTRAL)
    assert kinds(turn) == [Completed] * 2
    lines[2], lines[39] = "k3=X", "k40=Y"
    assert (tmp_path / "f").read_text() == "\n".join(lines)
    assert (tmp_path / "link").is_symlink()


async def test_edits_of_two_sessions_never_undo_each_other(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a\nb\n")
    async with opened(tmp_path, *builtin_tools()) as one, opened(tmp_path, *builtin_tools()) as other:
        turns = await asyncio.gather(
            one.run(calls(edit("a", "A")), Wire.NEUTRAL), other.run(calls(edit("b", "B")), Wire.NEUTRAL)
        )
    made = [kinds(turn) == [Completed] for turn in turns]
    assert any(made)
    assert (tmp_path / "f").read_text() == ("A" if made[0] else "a") + "\n" + ("B" if made[1] else "b") + "\n"


# What one product does. Its words and its kinds of error are its own: that it fails, and what comes out, is judged.


@pytest.mark.parametrize("id", [id for id in GEMINI if id.startswith("gm-edit-match")])
async def test_text_is_matched_as_that_product_does_where_it_matches_exactly(id: str, tmp_path: Path) -> None:
    given, expected = GEMINI[id]["given"], GEMINI[id]["expect"]
    path = tmp_path / "f"
    path.write_text(given["content"])
    old, new, every = given["old_string"], given["new_string"], given.get("allow_multiple", False)
    async with opened(tmp_path, *builtin_tools()) as session:
        turn = await session.run(calls(edit(old, new, replace_all=every)), Wire.NEUTRAL)
    exact = given["content"].count(old) if old else 0
    if id in DECIDED_OTHERWISE:
        assert path.read_text() == (given["content"].replace(old, new) if exact == 1 else given["content"])
        assert kinds(turn) == [Completed if exact == 1 else Failed]
        return
    assert kinds(turn) == [Failed if "error" in expected else Completed]
    assert path.read_text() == expected.get("content", given["content"])


@pytest.mark.parametrize("id", [id for id in GEMINI if id.startswith("gm-edit-omission")])
def test_omitted_code_is_seen_where_that_product_sees_it_and_where_it_should(id: str) -> None:
    item = GEMINI[id]
    flagged = bool(item["expect"]) or item.get("beat") == "flag"
    assert list(omissions(item["given"]["text"])) == ([item["given"]["text"]] if flagged else [])

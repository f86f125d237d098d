from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from handrail.tools.text.replacing import Edit, NotFound, Unfit, WrongCount, replace

texts = st.lists(st.sampled_from(["a", "b", "\n", "\r\n"]), max_size=30).map("".join)
olds = st.text(alphabet="ab\n", min_size=1, max_size=4).filter(str.strip)
news = st.text(alphabet="abX\n", max_size=6)
loose = st.lists(
    st.sampled_from(["a", "e\u0301", "\u00e9", "\u1112\u1161", "\ud558", " ", "\t", "\n", " \n", "\r\n"]), max_size=20
).map("".join)


def seen(text: str) -> str:
    return text.replace("\r\n", "\n")


def normal(text: str) -> str:
    lines = [line.rstrip(" \t") for line in seen(text).split("\n")]
    return unicodedata.normalize("NFC", "\n".join(lines))


@given(text=texts, old=olds, new=news)
def test_a_single_place_is_replaced_and_the_rest_stays(text: str, old: str, new: str) -> None:
    count = len(re.findall("(?=" + re.escape(old) + ")", seen(text)))
    try:
        replaced = replace(text, [Edit(old, new)])
    except NotFound:
        assert count == 0
    except WrongCount:
        assert count > 1
    else:
        assert count == 1
        assert seen(replaced.text) == seen(text).replace(old, new)
        assert replaced.done[0].line == seen(text)[: seen(text).find(old)].count("\n") + 1


@given(text=texts, old=olds, new=news)
def test_every_place_is_replaced_as_if_line_endings_were_one(text: str, old: str, new: str) -> None:
    assume(old in seen(text))
    replaced = replace(text, [Edit(old, new, every=True)])
    assert seen(replaced.text) == seen(text).replace(old, new)
    assert replaced.done[0].count == seen(text).count(old)


@given(lines=st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["\n", "\r\n"])), min_size=1))
def test_lines_that_stay_keep_their_endings(lines: list[tuple[str, str]]) -> None:
    text = "".join(line + ending for line, ending in [*lines, ("last", "\r\n")])
    old = "".join(line + "\n" for line, _ in lines) + "last"
    replaced = replace(text, [Edit(old, old.replace("last", "LAST"))])
    assert replaced.text == text.replace("last", "LAST")


@given(text=st.text(alphabet="ab\n", max_size=30), old=olds, new=news)
def test_a_file_of_one_ending_keeps_it(text: str, old: str, new: str) -> None:
    assume("\n" in text and old in text)
    crlf = replace(text.replace("\n", "\r\n"), [Edit(old, new, every=True)]).text
    assert crlf == replace(text, [Edit(old, new, every=True)]).text.replace("\n", "\r\n")


@given(text=loose, old=loose.filter(str.strip))
def test_what_is_replaced_by_itself_stays_as_it_is_written(text: str, old: str) -> None:
    try:
        replaced = replace(text, [Edit(old, old)])
    except Unfit:
        return
    assert replaced.text == text


@given(before=loose, place=loose.filter(str.strip), after=loose)
def test_whatever_is_found_is_the_same_text_in_its_normal_form(before: str, place: str, after: str) -> None:
    text = f"{before}|{place}\n{after}"
    replaced = replace(text, [Edit(f"|{normal(place)}\n", "<>")])
    assert replaced.text == f"{before}<>{after}"


@given(text=texts, edits=st.lists(st.tuples(olds, news), min_size=2, max_size=3))
def test_edits_made_at_once_do_not_see_each_other(text: str, edits: list[tuple[str, str]]) -> None:
    try:
        together = replace(text, [Edit(old, new) for old, new in edits])
        turned = replace(text, [Edit(old, new) for old, new in reversed(edits)])
    except Unfit:
        return
    assert together.text == turned.text
    assert together.done == tuple(reversed(turned.done))


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("a\u037e b\n", "a; b"),
        ("\u212a is\n", "K is"),
        ("x\u1fefy\n", "x`y"),
        ("cafe\u0301\n", "caf\u00e9"),
        ("caf\u00e9\n", "cafe\u0301"),
        ("one  \ntwo\n", "one\ntwo"),
        ("one\ntwo\n", "one\t\ntwo"),
        ("e\u0301\n", "\u00e9"),
    ],
)
def test_the_same_text_is_found_in_whatever_form_it_is_written(text: str, old: str) -> None:
    assert replace(text, [Edit(old, "new")]).text.startswith("new")

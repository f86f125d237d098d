from __future__ import annotations

import re

from hypothesis import assume, given
from hypothesis import strategies as st

from handrail.tools.text.replacing import NotFound, NotUnique, replace

texts = st.lists(st.sampled_from([b"a", b"b", b"\n", b"\r\n"]), max_size=30).map(b"".join)
olds = st.text(alphabet="ab\n", min_size=1, max_size=4).map(str.encode)
news = st.text(alphabet="abX\n", max_size=6).map(str.encode)


def seen(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")


@given(body=texts, old=olds, new=news)
def test_a_single_place_is_replaced_and_the_rest_stays(body: bytes, old: bytes, new: bytes) -> None:
    count = len(re.findall(b"(?=" + re.escape(old) + b")", seen(body)))
    try:
        replaced = replace(body, old, new, every=False)
    except NotFound:
        assert count == 0
    except NotUnique:
        assert count > 1
    else:
        assert count == 1
        assert seen(replaced.body) == seen(body).replace(old, new)
        assert replaced.line == seen(body)[: seen(body).find(old)].count(b"\n") + 1


@given(body=texts, old=olds, new=news)
def test_every_place_is_replaced_as_if_line_endings_were_one(body: bytes, old: bytes, new: bytes) -> None:
    assume(old in seen(body))
    replaced = replace(body, old, new, every=True)
    assert seen(replaced.body) == seen(body).replace(old, new)
    assert replaced.count == seen(body).count(old)


@given(lines=st.lists(st.tuples(st.sampled_from([b"a", b"b", b"c"]), st.sampled_from([b"\n", b"\r\n"])), min_size=1))
def test_lines_that_stay_keep_their_endings(lines: list[tuple[bytes, bytes]]) -> None:
    body = b"".join(line + ending for line, ending in [*lines, (b"last", b"\r\n")])
    old = b"".join(line + b"\n" for line, _ in lines) + b"last"
    replaced = replace(body, old, old.replace(b"last", b"LAST"), every=False)
    assert replaced.body == body.replace(b"last", b"LAST")


@given(body=st.text(alphabet="ab\n", max_size=30).map(str.encode), old=olds, new=news)
def test_a_file_of_one_ending_keeps_it(body: bytes, old: bytes, new: bytes) -> None:
    assume(b"\n" in body and old in body)
    crlf = replace(body.replace(b"\n", b"\r\n"), old, new, every=True).body
    assert crlf == replace(body, old, new, every=True).body.replace(b"\n", b"\r\n")

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from handrail.sandbox.kept_output import KeptOutput


@given(pieces=st.lists(st.binary(max_size=40), max_size=30), limit=st.integers(min_value=2, max_value=60))
def test_head_and_tail_are_the_ends_of_what_came(pieces: list[bytes], limit: int) -> None:
    kept = KeptOutput(limit)
    for piece in pieces:
        kept.add(piece)
    whole = b"".join(pieces)
    half = limit // 2
    assert kept.head == whole[:half]
    assert kept.tail == whole[half:][-half:]
    assert len(kept.head) + kept.dropped + len(kept.tail) == len(whole)

"""A server's JSON as it is read: what the parser does not take costs itself alone."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import from_json

from handrail.contract.basics import Json
from handrail.providers.mcp.readable import readable
from handrail.wire.jsontext import LONGEST_INTEGER

LONG = "7" * (LONGEST_INTEGER + 1)
NUMBERS = ["0", "-1", "12.5", "1e3", "7" * LONGEST_INTEGER, LONG, f"-{LONG}", f'"-{LONG}"', '"\\"1"', '"-"']


def as_text(digits: str) -> Json:
    return int(digits) if len(digits.lstrip("-")) <= LONGEST_INTEGER else digits


@given(st.lists(st.sampled_from(NUMBERS), max_size=6))
def test_an_integer_that_is_too_long_is_a_text_and_all_else_is_as_it_was(numbers: list[str]) -> None:
    written = f'{{"a": [{", ".join(numbers)}]}}'
    assert from_json(readable(written.encode())) == json.loads(written, parse_int=as_text)


@pytest.mark.parametrize("much", ['""', '"\\""', "1", "-1", "1.5"])
def test_one_beside_many_small_things_is_found(much: str) -> None:
    written = f"[{LONG}{f',{much}' * 200_000}]".encode()
    assert from_json(readable(written))[0] == LONG

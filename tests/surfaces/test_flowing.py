"""A text that is shown in parts: no line of a private key is, however it is cut."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.settings.redaction import Redactor
from handrail.surfaces.cli.flowing import Flowing

BODY = ["MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"] * 60
PLAIN = ["-----BEGIN PRIVATE KEY-----", *BODY, "-----END PRIVATE KEY-----"]
ENCRYPTED = [
    "-----BEGIN RSA PRIVATE KEY-----",
    "Proc-Type: 4,ENCRYPTED",
    "DEK-Info: AES-256-CBC,0011",
    "",
    *BODY,
    "-----END RSA PRIVATE KEY-----",
]
ARMOURED = ["-----BEGIN PGP PRIVATE KEY BLOCK-----", "", *BODY, "=abcd", "-----END PGP PRIVATE KEY BLOCK-----"]
KEYS = {"plain": PLAIN, "encrypted": ENCRYPTED, "armoured": ARMOURED}


def shown(parts: list[str]) -> list[str]:
    flowing = Flowing(Redactor({}))
    told = [flowing.text(part) for part in parts]
    return [line for text in told if text is not None for line in text.split("\n")]


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
@given(cuts=st.sets(st.integers(1, 70)))
def test_a_key_that_is_cut_anywhere_stands_there_once_as_what_it_is(key: list[str], cuts: set[int]) -> None:
    lines = ["Here it is:", *key, "Keep it safe."]
    places = [0, *sorted(cut for cut in cuts if cut < len(lines)), len(lines)]
    parts = ["\n".join(lines[begin:end]) for begin, end in pairwise(places)]
    assert shown(parts) == ["Here it is:", "[redacted:private-key]", "Keep it safe."]


def test_a_key_in_a_fence_that_is_shown_in_parts_is_not_shown() -> None:
    parts = ["\n".join(["```pem", *PLAIN[:40], "```"]), "\n".join(["```pem", *PLAIN[40:], "```"])]
    assert shown(parts) == ["```pem", "[redacted:private-key]", "```"]


def test_what_only_names_how_a_key_begins_costs_no_word_behind_it() -> None:
    parts = ["I looked for", "-----BEGIN PRIVATE KEY-----", "and found none.", "All is well."]
    assert shown(parts) == ["I looked for", "[redacted:private-key]", *parts[2:]]


@pytest.mark.parametrize("piece", [" ", "A", "A: ", "-", "`", " \t"])
def test_however_long_a_line_behind_its_beginning_is_it_is_looked_at_once(piece: str) -> None:
    line = piece * 200_000 + "!"
    assert shown([PLAIN[0], line, "End."])[-1] == "End."


def test_a_look_ahead_changes_nothing() -> None:
    flowing = Flowing(Redactor({}))
    assert flowing.ahead(PLAIN[0]) == "[redacted:private-key]"
    assert flowing.ahead(BODY[0]) == BODY[0]
    flowing.text(PLAIN[0])
    assert flowing.ahead(BODY[0]) == ""
    assert flowing.text(BODY[0]) is None

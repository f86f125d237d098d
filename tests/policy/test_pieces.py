"""A call taken apart: what a piece does is a part of it, and all else that is known of the call it keeps."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from made_facts import call, part, path, shell

from handrail.contract.tool import Opinion
from handrail.policy import Caller, Facts
from handrail.policy.pieces import alone, parts_of, pieces

NARROWED = {"effects", "paths", "shell"}
KNOWN = {
    "approval": "once",
    "opinion": Opinion("ask", "it is late"),
    "server": "tides",
    "definitions": ("tool-1", "all-1"),
    "annotations": (("readOnlyHint", True),),
    "caller": Caller("scout", interactive=False),
}
CALLS = {
    "a command of two parts, one with a redirection": shell(
        part("cat a.txt", reads=True), part("date", reads=True, redirected=(path("b.txt", "write"),)), **KNOWN
    ),
    "a command beside which a path is touched": replace(shell(part("date"), **KNOWN), paths=(path("c.txt", "write"),)),
    "two paths": call("fetch", path("a.txt"), path("b.txt", "write"), **KNOWN),
    "two hosts": call("fetch", hosts=("one.example", "two.example"), **KNOWN),
    "a path and a host": call("fetch", path("a.txt"), hosts=("one.example",), **KNOWN),
}


def others(facts: Facts) -> dict[str, object]:
    return {field.name: getattr(facts, field.name) for field in fields(facts) if field.name not in NARROWED}


@pytest.mark.parametrize("whole", CALLS.values(), ids=CALLS)
def test_a_piece_keeps_all_that_it_does_not_narrow(whole: Facts) -> None:
    made = [piece.facts for piece in pieces(whole)] + [alone(whole, each) for each in parts_of(whole)]
    assert len(made) > 1
    assert [others(piece) for piece in made] == [others(whole)] * len(made)


def test_nothing_that_these_calls_know_has_its_default() -> None:
    assert set(others(next(iter(CALLS.values())))) == {*KNOWN, "tool", "names", "kind", "places", "arguments"}

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.contract.effects import Claims, Effects, PathClaim, PathEffect, SimpleCommand


def file(path, resolved=None):
    return PathEffect(Path(path), Path(resolved or path))


def tree(path, resolved=None):
    return PathEffect(Path(path), Path(resolved or path), "tree")


def reads(*paths):
    return Effects(reads=frozenset(paths))


def writes(*paths):
    return Effects(writes=frozenset(paths))


paths = st.lists(st.sampled_from("ab"), max_size=3).map(lambda parts: Path("/", *parts))
path_effects = st.builds(PathEffect, paths, paths, st.sampled_from(["file", "tree"]))
words = st.frozensets(st.sampled_from(["x", "y"]), max_size=2)
effects = st.builds(
    Effects,
    reads=st.frozensets(path_effects, max_size=2),
    writes=st.frozensets(path_effects, max_size=2),
    connects=words,
    keys=words,
    destructive=st.booleans(),
    certainty=st.sampled_from(["exact", "bounded", "unknown"]),
)


@given(effects, effects)
def test_conflict_is_symmetric(one, other):
    assert one.conflicts_with(other) == other.conflicts_with(one)


@given(effects)
def test_unknown_conflicts_with_everything_that_has_effects(other):
    assert Effects.unknown().conflicts_with(other) == (not other.is_empty)


@given(effects)
def test_no_effects_conflict_with_nothing(other):
    assert not Effects.none().conflicts_with(other)


@given(effects, effects)
def test_reads_never_conflict_with_reads(one, other):
    left, right = Effects(reads=one.reads), Effects(reads=other.reads)
    assert not left.conflicts_with(right)


@given(effects)
def test_whoever_writes_conflicts_with_itself(one):
    if one.writes or one.keys:
        assert one.conflicts_with(one)


@given(effects, effects, effects)
def test_more_effects_never_conflict_with_less(one, more, other):
    both = Effects(
        reads=one.reads | more.reads,
        writes=one.writes | more.writes,
        connects=one.connects | more.connects,
        keys=one.keys | more.keys,
        certainty="unknown" if "unknown" in (one.certainty, more.certainty) else "bounded",
    )
    assert both.conflicts_with(other) or not one.conflicts_with(other)


@given(path_effects, path_effects)
def test_paths_overlap_when_one_holds_the_other(one, other):
    same = one.resolved == other.resolved
    above = one.scope == "tree" and one.resolved in other.resolved.parents
    below = other.scope == "tree" and other.resolved in one.resolved.parents
    assert one.overlaps(other) == (same or above or below)


CONFLICTS = [
    ("a file written twice", writes(file("/w/a")), writes(file("/w/a")), True),
    ("a file read while it is written", reads(file("/w/a")), writes(file("/w/a")), True),
    ("two files written", writes(file("/w/a")), writes(file("/w/b")), False),
    ("a file below a tree that is read", reads(tree("/w")), writes(file("/w/a/b")), True),
    ("a file beside a tree that is read", reads(tree("/w/a")), writes(file("/w/b")), False),
    ("a name that only begins like the tree", reads(tree("/w/a")), writes(file("/w/ab")), False),
    ("a tree written inside a tree that is read", reads(tree("/w")), writes(tree("/w/a")), True),
    ("a tree written above a file that is read", reads(file("/w/a/b")), writes(tree("/w")), True),
    ("a folder as a file holds nothing below it", reads(file("/w")), writes(file("/w/a")), False),
    ("the root holds everything", writes(tree("/")), reads(file("/w/a")), True),
    ("two links to one file", writes(file("/w/l1", "/w/a")), writes(file("/w/l2", "/w/a")), True),
    ("one name, two targets", writes(file("/w/l", "/w/a")), writes(file("/w/l", "/w/b")), False),
    ("one key", Effects(keys=frozenset({"todos"})), Effects(keys=frozenset({"todos", "x"})), True),
    ("two keys", Effects(keys=frozenset({"todos"})), Effects(keys=frozenset({"browser"})), False),
    ("two hosts", Effects(connects=frozenset({"*"})), Effects(connects=frozenset({"*"})), False),
    ("unknown and a read", Effects.unknown(), reads(file("/w/a")), True),
    ("unknown and a host", Effects.unknown(), Effects(connects=frozenset({"a.org"})), True),
    ("unknown and nothing", Effects.unknown(), Effects.none(), False),
    ("unknown and unknown", Effects.unknown(), Effects.unknown(), True),
    ("bounded is judged by its paths", Effects(certainty="bounded"), writes(file("/w/a")), False),
]


@pytest.mark.parametrize(("one", "other", "conflict"), [case[1:] for case in CONFLICTS], ids=[c[0] for c in CONFLICTS])
def test_calls_conflict_when_their_order_could_matter(one, other, conflict):
    assert one.conflicts_with(other) is conflict
    assert other.conflicts_with(one) is conflict


@pytest.mark.parametrize(
    ("one", "read_only", "destructive"),
    [
        (Effects.none(), True, False),
        (reads(tree("/w")), True, False),
        (Effects(runs=(SimpleCommand("ls", ("ls",), True),)), True, False),
        (Effects(certainty="bounded"), True, False),
        (writes(file("/w/a")), False, False),
        (Effects(connects=frozenset({"a.org"})), False, False),
        (Effects(keys=frozenset({"todos"})), False, False),
        (Effects(destructive=True), False, True),
        (Effects.unknown(), False, True),
        (Effects(certainty="unknown"), False, True),
    ],
)
def test_what_changes_nothing_and_what_may_lose_something(one, read_only, destructive):
    assert (one.read_only, one.is_destructive) == (read_only, destructive)


def test_locations_are_the_names_as_given_written_ones_first():
    one = Effects(
        reads=frozenset({file("/w/b"), file("/w/a")}), writes=frozenset({file("/w/z", "/real"), file("/w/z", "/other")})
    )
    assert one.locations == (Path("/w/z"), Path("/w/a"), Path("/w/b"))


def test_an_author_who_says_nothing_claims_the_unknown():
    assert Claims.unknown().certainty == "unknown"
    assert Claims.nothing() == Claims()
    assert Claims(reads=(PathClaim("a"),)) != Claims.nothing()

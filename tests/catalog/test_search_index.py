from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.catalog.search.index import Field, Index
from handrail.catalog.search.query import Query, parsed
from handrail.catalog.search.words import words_of

WORDS = st.lists(st.sampled_from(["issue", "open", "file", "send", "mail", "weather"]), max_size=6)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("getOpenIssues", ["get", "open", "issue"]),
        ("mcp__github__create_issue", ["mcp", "github", "create", "issue"]),
        ("getHTTPStatus2", ["get", "http", "status", "2"]),
        ("list the repositories of a user", ["list", "repository", "user"]),
        ("class glass bus", ["class", "glass", "bus"]),
        ("Grüße, Привет мир", ["grüße", "привет", "мир"]),
        ("", []),
    ],
)
def test_a_text_is_found_by_its_words(text: str, words: list[str]) -> None:
    assert words_of(text) == words


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("select:a,b", Query(names=("a", "b"))),
        (" Select: a , ,a", Query(names=("a",))),
        ("+slack send", Query(required=("slack",), words=("slack", "send"))),
        ("+ send", Query(words=("send",))),
        ("of the", Query()),
    ],
)
def test_a_query_names_tools_or_has_words(text: str, query: Query) -> None:
    assert parsed(text) == query
    assert query.is_empty == (text == "of the")


def test_what_is_required_is_looked_for_in_the_name_whatever_the_case() -> None:
    query = parsed("+GitHub +iss list")
    assert query.admits("mcp__github__list_Issues")
    assert not query.admits("github_list_pulls")


def index(*texts: str) -> Index:
    return Index([(Field(words_of(text), 1.0),) for text in texts])


def test_a_rare_word_counts_for_more_than_a_common_one() -> None:
    found = index("send mail", "send file", "send money", "read tides").ranked(words_of("send tides"))
    assert next(found) == 3


def test_a_field_with_more_weight_counts_for_more() -> None:
    documents = [(Field(["mail"], 1.0), Field(["fax"], 4.0)), (Field(["fax"], 1.0), Field(["mail"], 4.0))]
    assert list(Index(documents).ranked(["mail"])) == [1, 0]


def test_the_beginning_of_a_word_finds_it_behind_the_word_itself() -> None:
    assert list(index("repository tides", "repo tides", "mail").ranked(["repo"])) == [1, 0]


def test_a_word_of_two_letters_finds_no_longer_one() -> None:
    assert list(index("repository").ranked(["re"])) == []


@given(st.lists(WORDS, max_size=12), WORDS)
def test_what_is_found_shares_a_word_and_comes_once(documents: list[list[str]], wanted: list[str]) -> None:
    found = list(Index([(Field(words, 1.0),) for words in documents]).ranked(wanted))
    assert sorted(found) == [place for place, words in enumerate(documents) if set(words) & set(wanted)]


@given(st.lists(WORDS, max_size=12), WORDS)
def test_a_search_gives_the_same_each_time(documents: list[list[str]], wanted: list[str]) -> None:
    made = Index([(Field(words, 1.0),) for words in documents])
    assert list(made.ranked(wanted)) == list(made.ranked(reversed(wanted))) or len(set(wanted)) > 1
    assert list(islice(made.ranked(wanted), 3)) == list(made.ranked(wanted))[:3]

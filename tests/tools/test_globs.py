from __future__ import annotations

from dataclasses import dataclass, field
from operator import attrgetter

import pytest

from handrail.tools.search.globs import BadGlob, GlobMatcher, GlobPattern


@dataclass(frozen=True)
class Case:
    id: str
    pattern: str
    matches: list[str]
    others: list[str]
    last_names: tuple[str, ...] = field(default=())
    by_name_alone: bool = False


CASES = [
    Case("name at any depth", "*.py", ["a.py", "x/y/a.py", ".py"], ["a.pyc", "a.py/b"], ("*.py",), True),
    Case("folders and a name", "**/*.py", ["a.py", "x/y/a.py"], ["a.pyc"], ("*.py",), True),
    Case("choice", "*.{ts,tsx}", ["a.ts", "x/b.tsx"], ["a.t", "a.ts,tsx"], ("*.ts", "*.tsx"), True),
    Case("nested choice", "{a,b{c,d}}.x", ["a.x", "bc.x", "q/bd.x"], ["b.x"], ("a.x", "bc.x", "bd.x"), True),
    Case("one level", "src/*.py", ["src/a.py"], ["src/x/a.py", "x/src/a.py"], ("*.py",)),
    Case("all below", "src/**", ["src/a", "src/x/y"], ["a", "x/src/a"]),
    Case("folders between", "a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["b", "a/b/c"], ("b",)),
    Case("spans more than once", "**/a/**/b/*", ["a/b/x", "q/a/z/z/b/x", "a/b/b/x"], ["a/b/x/y"], ("*",)),
    Case("root only", "/a.py", ["a.py"], ["x/a.py"], ("a.py",)),
    Case("here", "./src/a", ["src/a"], ["a"], ("a",)),
    Case("one character", "a?c", ["abc"], ["ac", "a/c"], ("a?c",), True),
    Case("class", "[ab].py", ["a.py"], ["c.py"], ("[ab].py",), True),
    Case("other class", "[!ab].py", ["c.py"], ["a.py"], ("[!ab].py",), True),
    Case("other class, as shells write it", "x/[^ab].py", ["x/c.py"], ["x/a.py"], ("[^ab].py",)),
    Case("escaped bracket", r"app/\[id\]/p", ["app/[id]/p"], ["app/i/p"], ("p",)),
    Case("escaped brace", r"a\{b,c\}", ["a{b,c}"], ["ab"], (r"a\{b,c\}",), True),
    Case("choice with folders", "{src,lib}/*.c", ["src/a.c", "lib/a.c"], ["a.c", "x/a.c"], ("*.c",)),
    Case("newline in a name", "*.py", ["a\nb.py"], [], ("*.py",), True),
]


@pytest.mark.parametrize("case", CASES, ids=attrgetter("id"))
def test_a_glob_matches_what_it_says(case: Case) -> None:
    pattern = GlobPattern.parse(case.pattern)
    matcher = GlobMatcher(pattern)
    assert [path for path in case.matches if not matcher.matches(path)] == []
    assert [path for path in case.others if matcher.matches(path)] == []
    assert (pattern.last_names, pattern.by_name_alone) == (case.last_names, case.by_name_alone)


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("/", "it is empty"),
        ("[[:alpha:]]*", "classes such as .* are not known here; write the characters"),
        ("../*.py", "it can't go up with '..'"),
        ("{a,b}" * 9, "its braces expand to more than 256 patterns"),
    ],
)
def test_a_bad_glob_says_what_is_wrong(pattern: str, problem: str) -> None:
    with pytest.raises(BadGlob, match=problem):
        GlobPattern.parse(pattern)


@pytest.mark.parametrize("pattern", ["*a" * 40 + "b", "**/a/" * 40 + "b"], ids=["stars", "folders"])
def test_a_hostile_glob_ends(pattern: str) -> None:
    assert not GlobMatcher(GlobPattern.parse(pattern)).matches("/".join(["a" * 200] * 100 + ["a"] * 100))

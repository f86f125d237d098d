from __future__ import annotations

import pytest

from handrail.policy.shell.folders import Folder
from handrail.policy.shell.listing import Listing, listing_from
from handrail.policy.shell.parse import read
from handrail.policy.shell.words import Holds

AT = (Folder("/w"),)


def listing(text: str) -> Listing | None:
    """What the last command of a pipe is fed."""
    return listing_from(read(text, AT, "/home/u").commands[-1].feeders, AT)


LISTS = [
    ("find src", ["/w/src"], []),
    ("find", ["/w/."], []),
    ("find . -name '*.py'", ["/w/."], ["*.py"]),
    ("find . -name '*.py' -not -path '*/x/*'", ["/w/."], ["*.py"]),
    (r"find . \( -name '*.py' -o -name '*.js' \) -type f", ["/w/."], ["*.py", "*.js"]),
    ("find . -name '*.py' -o -type d", ["/w/."], []),
    ("find . -path ./x -prune -o -name '*.py' -print", ["/w/."], ["*.py"]),
    ("find . ! -name '*.py'", ["/w/."], []),
    (r"find . -not \( -name '*.py' \)", ["/w/."], []),
    (r"find src -name '*.py' -exec grep -l x {} \;", ["/w/src"], ["*.py"]),
    ("ls", ["/w/."], []),
    ("ls src", ["/w/src", "/w/."], []),
    ("git ls-files", ["/w/."], []),
    ("grep -rl x src", ["/w/src"], []),
    ("grep -rl x --include='*.py' .", ["/w/."], ["*.py"]),
    ("find src | grep -v test | sort | head -5", ["/w/src"], []),
    ("find src 2>/dev/null", ["/w/src"], []),
]

LISTS_NOTHING_KNOWN = [
    "cat a.txt",
    "grep -r x src",
    "ls -l",
    "find . -printf '%p'",
    "find . -ls",
    "find . -exec cat {} +",
    "git log",
    "find $X",
    "find . | sed s/a/b/",
    "find . | awk '{print $2}'",
    "find . | grep -c x",
    "find . | grep x a.txt",
    "find . | cat a.txt",
    "find . > out",
    "cd src; find .",
    "find . | tee out",
    "while x; do find .; done",
    "echo $X",
    r"echo 'a\nb'",
    "echo -n a",
    "printf '%d' 1",
]


@pytest.mark.parametrize(("lister", "within", "only"), LISTS, ids=[lister for lister, _, _ in LISTS])
def test_it_is_known_where_listed_names_lie(lister: str, within: list[str], only: list[str]) -> None:
    found = listing(f"{lister} | xargs x")
    assert found is not None
    assert [operand.path for operand in found.within] == within
    assert {operand.only for operand in found.within} == {tuple(only)}


@pytest.mark.parametrize("lister", LISTS_NOTHING_KNOWN)
def test_other_output_is_no_list_of_names(lister: str) -> None:
    assert listing(f"{lister} | xargs x") is None


@pytest.mark.parametrize("text", ["find . | xargs x < a.txt", "find . | xargs x <<< y", "xargs x", "find .; xargs x"])
def test_who_reads_something_else_is_fed_no_names(text: str) -> None:
    assert listing(text) is None


def test_words_that_are_printed_are_known() -> None:
    found = listing("echo a 'b c' | xargs x")
    assert found is not None
    assert [word.text for word in found.words or ()] == ["a", "b", "c"]


def test_names_that_find_lists_start_with_a_folder() -> None:
    find, git = listing("find . -print0 | xargs x"), listing("git ls-files | xargs x")
    assert find is not None
    assert git is not None
    assert (find.holds, find.zero) == (Holds.NAME, True)
    assert (git.holds, git.zero) == (Holds.LISTED, False)

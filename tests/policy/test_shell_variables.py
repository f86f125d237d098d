from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from handrail.policy.shell.folders import Folder
from handrail.policy.shell.parse import read
from handrail.policy.shell.words import Holds, Known, Word


def shown(text: str) -> list[list[str]]:
    """The words of each `x`; a question mark for one that is not known."""
    script = read(text, (Folder("/w"),), "/home/u")
    commands = [command for command in script.commands if command.words and command.words[0].text == "x"]
    return [[word.text if word.known is not Known.UNKNOWN else "?" for word in c.words[1:]] for c in commands]


FOLLOWED = [
    ("a value", "a=1; x $a", [["1"]]),
    ("in braces and quotes", 'a=1; x "${a}b"', [["1b"]]),
    ("the last one", "a=1; a=2; x $a", [["2"]]),
    ("by another", "a=1; b=$a/2; x $b", [["1/2"]]),
    ("a loop", "for a in 1 2; do x $a; done", [["1"], ["2"]]),
    ("a loop over a pattern", 'for a in *.py; do x "$a"; done', [["*.py"]]),
    ("a loop in a loop", "for a in 1 2; do for b in 3 4; do x $a$b; done; done", [["13"], ["14"], ["23"], ["24"]]),
    ("set in the loop", "for a in 1 2; do b=$a; x $b; done", [["1"], ["2"]]),
    ("set later in the loop", "b=0; for a in 1 2; do x $b; b=$a; done", [["?"]]),
    ("both branches", "if y; then a=1; else a=2; fi; x $a", [["1"], ["2"]]),
    ("one branch", "a=0; if y; then a=1; fi; x $a", [["1"], ["0"]]),
    ("one branch, and nothing before", "if y; then a=1; fi; x $a", [["1"], ["?"]]),
    ("a case", "a=0; case $b in 1) a=1;; 2) a=2;; esac; x $a", [["0"], ["1"], ["2"]]),
    ("after success", "a=0; y && a=1; x $a", [["1"], ["0"]]),
    ("in the same chain", "a=1 && x $a", [["1"]]),
    ("after failure", "a=0; y || a=1; x $a", [["1"], ["0"]]),
    ("a subshell", "a=0; (a=1; x $a); x $a", [["1"], ["0"]]),
    ("a substitution", "a=0; y $(a=1); x $a", [["0"]]),
    ("a pipe, whose last part may be this shell", "a=0; y | a=1; x $a", [["0"], ["1"]]),
    ("the background", "a=0; a=1 & x $a", [["0"]]),
    ("for one command", "a=0; a=1 y; x $a", [["0"]]),
    ("exported", "export a=1; x $a", [["1"]]),
    ("unset", "a=1; unset a; x $a", [["?"]]),
    ("appended", "a=1; a+=2; x $a", [["?"]]),
    ("read", "a=1; read a; x $a", [["?"]]),
    ("printed into", "a=1; printf -v a y; x $a", [["?"]]),
    ("declared with options", "b=1; declare -n a=b; a=2; x $b", [["?"]]),
    ("set by a function", "a=1; f() { a=2; }; f; x $a", [["?"]]),
    ("set by a function that is called later", "f() { a=2; }; a=1; f; x $a", [["?"]]),
    ("what commands print", "a=$(y); x $a", [["?"]]),
    ("of the environment", "x $a", [["?"]]),
    ("home in another place", "HOME=/x; x $HOME ~/y", [["/x", "/x/y"]]),
    ("home in a place that is not known", "HOME=$(y); x ~/y", [["?"]]),
    ("blanks, bare", "a='1 2'; x $a", [["?"]]),
    ("blanks, quoted", "a='1 2'; x \"$a\"", [["1 2"]]),
    ("a pattern, bare", "a='*'; x $a", [["?"]]),
    ("too many", f"for a in {' '.join(map(str, range(40)))}; do x $a; done", [["?"]]),
    ("single quotes", "a=1; x '$a'", [["$a"]]),
]  # fmt: skip


@pytest.mark.parametrize(("why", "text", "expected"), FOLLOWED, ids=[why for why, _, _ in FOLLOWED])
def test_what_a_variable_may_hold_is_followed(why: str, text: str, expected: list[list[str]]) -> None:
    assert sorted(shown(text)) == sorted(expected)


HOLDS = [
    ("$?", Holds.NUMBER),
    ("${#a}", Holds.NUMBER),
    ("$((1+1))", Holds.NUMBER),
    ("<(y)", Holds.PIPE),
    ("$(y)", Holds.PRINTED),
    ("$1", Holds.PRINTED),
    ("$PATH", Holds.PRINTED),
    ("$SECRET", Holds.ANYTHING),
    ("${SECRET:-a}", Holds.ANYTHING),
    ("$(y)$SECRET", Holds.ANYTHING),
    ("a$?", Holds.NUMBER),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), HOLDS, ids=[text for text, _ in HOLDS])
def test_of_what_is_not_known_it_is_known_what_kind_it_is(text: str, expected: Holds) -> None:
    script = read(f"x {text}", (Folder("/w"),), "/home/u")
    command = next(command for command in script.commands if command.words[0].text == "x")
    assert command.words[1].holds is expected


CALCULATED = [
    "x=$(y); echo $((x))",
    "read x; echo $((x+1))",
    "((a[$(y)]))",
    "x='a[$(y)]'; echo $((x))",
    "for ((i=$(y);;)); do :; done",
]


@pytest.mark.parametrize("text", CALCULATED)
def test_arithmetic_is_only_followed_with_numbers(text: str) -> None:
    assert "arithmetic" in read(text, (Folder("/w"),), "/home/u").problem


SIMPLE = st.sampled_from([
    "a=1", "a=2", "b=3", "a=$b", "b=$a", 'b="$a$b"', "a+=4", "unset a", "export b=5", "read a <<< 6", "printf -v b 7",
    "a=8 true", "true", "false", "i=$((i+1))", "i=0", 'show "$a" "$b" "$i"',
    'show "$a" "$b" "$i"', "f", "for a in 1 2; do :; done",
])  # fmt: skip


def compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pairs = st.tuples(inner, inner)
    return st.one_of(
        pairs.map("; ".join),
        pairs.map(" && ".join),
        pairs.map(" || ".join),
        pairs.map(" | ".join),
        inner.map("({})".format),
        inner.map("{{ {}; }}".format),
        inner.map("f() {{ {}; }}".format),
        inner.map("show $({}; echo 9)".format),
        pairs.map(lambda pair: f"if {pair[0]}; then {pair[1]}; fi"),
        pairs.map(lambda pair: f"if false; then {pair[0]}; else {pair[1]}; fi"),
        inner.map("for a in 1 2; do {}; done".format),
        inner.map("for b in x y; do {}; a=$b; done".format),
        pairs.map(lambda pair: f"case $a in 1) {pair[0]};; *) {pair[1]};; esac"),
    )


SCRIPTS = st.recursive(SIMPLE, compound, max_leaves=8)


def is_among(seen: list[str], commands: list[tuple[Word, ...]]) -> bool:
    return any(
        len(words) == len(seen) and all(word.value in (None, value) for word, value in zip(words, seen, strict=True))
        for words in commands
    )


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here to compare with")
@given(text=SCRIPTS)
@settings(max_examples=200, deadline=None)
def test_a_variable_holds_what_it_holds_in_bash(text: str) -> None:
    script = read(text, (Folder("/w"),), "/home/u")
    assume(not script.unjudged)
    seen = subprocess.run(
        ["bash", "--norc", "-c", 'f() { :; }; show() { printf "%s\\0" "$@" >&2; printf "\\n" >&2; }\n' + text],
        capture_output=True, check=False, cwd="/", env={"a": "-", "b": "-"}, timeout=20, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    predicted = [command.words[1:] for command in script.commands if command.words[0].value == "show"]
    for line in seen.stderr.decode().splitlines():
        values = line.split("\0")[:-1]
        assert not values or len(values) != 3 or is_among(values, predicted), (text, values)

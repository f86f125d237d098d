from __future__ import annotations

import shlex
import shutil
import subprocess

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from handrail.policy.shell.folders import Folder
from handrail.policy.shell.parse import read
from handrail.policy.shell.syntax import unreadable
from handrail.policy.shell.words import Known


def words(text: str) -> list[tuple[str, str]]:
    script = read(text, (Folder("/w"),), "/home/u")
    return [(word.text, str(word.known)) for word in script.commands[0].words]


WORDS = [
    ("x a b", [("x", "literal"), ("a", "literal"), ("b", "literal")]),
    (r"x a\ b", [("x", "literal"), ("a b", "literal")]),
    ("x 'a  b'", [("x", "literal"), ("a  b", "literal")]),
    ('x "a  b"', [("x", "literal"), ("a  b", "literal")]),
    ("x 'it'\\''s'", [("x", "literal"), ("it's", "literal")]),
    ('x "a\\$b\\"c\\\\d\\e"', [("x", "literal"), ('a$b"c\\d\\e', "literal")]),
    ('x "a\n  b"', [("x", "literal"), ("a\n  b", "literal")]),
    ("x ''", [("x", "literal"), ("", "literal")]),
    ("x a''b\"\"", [("x", "literal"), ("ab", "literal")]),
    (r"x $'a\tb\x41\102\u0043'", [("x", "literal"), ("a\tbABC", "literal")]),
    (r"x $'\0'", [("x", "literal"), ("", "unknown")]),
    ("x $y", [("x", "literal"), ("", "unknown")]),
    ("x a$y/b", [("x", "literal"), ("a/b", "unknown")]),
    ('x "$y"', [("x", "literal"), ("", "unknown")]),
    ("x $(y)/*", [("x", "literal"), ("/*", "unknown")]),
    ("x ~ ~/a ~+/b", [("x", "literal"), ("/home/u", "expanded"), ("/home/u/a", "expanded"), ("/w/b", "expanded")]),
    ("x {~,a~}/b", [("x", "literal"), ("/home/u/b", "expanded"), ("a~/b", "expanded")]),
    ("x ~''", [("x", "literal"), ("~", "unknown")]),
    ("x ~\\/a ~'/'a", [("x", "literal"), ("~/a", "literal"), ("~/a", "literal")]),
    ("x a~ '~' \\~", [("x", "literal"), ("a~", "literal"), ("~", "literal"), ("~", "literal")]),
    ("x ~root", [("x", "literal"), ("~root", "unknown")]),
    ('x $HOME "${HOME}/a"', [("x", "literal"), ("/home/u", "expanded"), ("/home/u/a", "expanded")]),
    ("x $PWD `pwd`/b", [("x", "literal"), ("/w", "expanded"), ("/w/b", "expanded")]),
    ("x a=~ b:~", [("x", "literal"), ("a=~", "unknown"), ("b:~", "unknown")]),
    ("x ${HOME:-a}", [("x", "literal"), ("", "unknown")]),
    ("x *.py 'a*' [ab]c", [("x", "literal"), ("*.py", "glob"), ("a*", "literal"), ("[ab]c", "glob")]),
    ("x '*'*", [("x", "literal"), ("[*]*", "glob")]),
    ("x [", [("x", "literal"), ("[", "literal")]),
    ("x {a,b}c", [("x", "literal"), ("ac", "expanded"), ("bc", "expanded")]),
    ("x {a,{b,c}}", [("x", "literal"), ("a", "expanded"), ("b", "expanded"), ("c", "expanded")]),
    ("x {a} '{a,b}' {a\\,b}", [("x", "literal"), ("{a}", "literal"), ("{a,b}", "literal"), ("{a,b}", "literal")]),
    ("x {:},}", [("x", "literal"), (":}", "expanded")]),
    ("x {a}b,c}", [("x", "literal"), ("a}b", "expanded"), ("c", "expanded")]),
    ("x {a{b,c}", [("x", "literal"), ("{ab", "expanded"), ("{ac", "expanded")]),
    ("x {,} {,''}", [("x", "literal"), ("{,}", "unknown")]),
    ("x {} a{}b", [("x", "literal"), ("{}", "literal"), ("a{}b", "literal")]),
    ("x {},a}", [("x", "literal"), ("{},a}", "unknown")]),
    ("x {1..3}", [("x", "literal"), ("1", "expanded"), ("2", "expanded"), ("3", "expanded")]),
    ("x {a..c}", [("x", "literal"), ("a", "expanded"), ("b", "expanded"), ("c", "expanded")]),
    ("x {X..c}", [("x", "literal"), ("{X..c}", "unknown")]),
    ("x {1..99999999999}", [("x", "literal"), ("{1..99999999999}", "unknown")]),
    ("x {$y..3}", [("x", "literal"), ("{..3}", "unknown")]),
    ("x {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", [("x", "literal"), ("{a,b}" * 7, "unknown")]),
    ("x <(y)", [("x", "literal"), ("", "unknown")]),
    ("x 5 -5", [("x", "literal"), ("5", "literal"), ("-5", "literal")]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), WORDS, ids=[text for text, _ in WORDS])
def test_a_word_is_read_as_the_shell_reads_it(text: str, expected: list[tuple[str, str]]) -> None:
    assert words(text) == expected


RANGES = [
    "{1..3}", "{3..1}", "{1..10..3}", "{10..1..-4}", "{1..3..0}", "{-2..2}", "{+1..3}", "{01..10..3}", "{-01..1}",
    "{1..01}", "{a..e}", "{e..a..2}", "{A..C}", "{a..a}", "{1..1}x", "a{1..2}{b,c}d", "{a,{1..3}}", "{{1..2},b..c}",
    "{a..3}", "{1..b}", "{1...3}", "{a..bc}", "{'a'..c}", "{a..c,d}", "{1..2,}", "x{a,b}y{1..2}", "{1..2}..{3..4}",
    "\\{1..3}", "{1\\..3}",
]  # fmt: skip


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here to compare with")
@pytest.mark.parametrize("text", RANGES)
def test_a_range_in_braces_is_written_out_as_bash_does_it(text: str) -> None:
    seen = subprocess.run(
        ["bash", "--norc", "-c", f"printf '%s\\n' {text}"], capture_output=True, check=True, text=True
    )
    assert [word.text for word in read(f"x {text}", (Folder("/w"),), "").commands[0].words[1:]] == seen.stdout.split()


def test_many_braces_stay_bounded() -> None:
    for text in (
        "x " + "{a,b}" * 1000,
        "x " + "{" * 3000,
        "x {" + "a," * 3000 + "}" * 2,
        "x " + "{a" * 2000,
        "x {1..999999999}",
    ):
        assert len(words(text)) <= 70


SPLIT = ["/home/a b", "/home/a*", "/home/[u]", "/home/u?", "/home/a\tb", "/home/a\\b"]


@pytest.mark.parametrize("folder", SPLIT)
def test_a_bare_folder_that_the_shell_would_split_is_not_known(folder: str) -> None:
    script = read('x $HOME $PWD/a $(pwd) "$HOME" "$PWD"/a "$(pwd)" ~ ~+', (Folder(folder),), folder)
    found = [(word.known is Known.UNKNOWN, word.value) for word in script.commands[0].words[1:]]
    known = [(False, folder), (False, f"{folder}/a"), (False, folder), (False, folder), (False, folder)]
    assert found == [(True, None)] * 3 + known


ALPHABET = st.sampled_from([*"abx-./_=~#%+,:@^! \t\n'\"\\$`{}*?[]é"])


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here to compare with")
@given(text=st.text(ALPHABET, max_size=25))
@settings(max_examples=400, deadline=None)
def test_literal_words_are_those_that_bash_sees(text: str) -> None:
    script = read(f"show {text}", (Folder("/w"),), "/home/u")
    assume(script.single and all(word.known is Known.LITERAL for word in script.commands[0].words))
    seen = subprocess.run(
        ["bash", "--norc", "-c", f"show() {{ printf '%s\\0' \"$@\"; }}\nshow {text}"],
        capture_output=True, check=False, cwd="/", env={"HOME": "/home/u", "LC_ALL": "C.UTF-8"},
    )  # fmt: skip
    expected = [word.text for word in script.commands[0].words[1:]]
    assert seen.stdout.decode().split("\0")[:-1] == (expected or [""]), (text, seen.stderr)


@given(
    words=st.lists(st.text(st.characters(exclude_categories=("Cs", "Cc", "Cf")), min_size=1), min_size=1, max_size=6)
)
@settings(max_examples=100, deadline=None)
def test_quoted_words_come_back_as_they_were(words: list[str]) -> None:
    text = shlex.join(["show", *words])
    assume(not unreadable(text))
    script = read(text, (Folder("/w"),), "/home/u")
    assert script.single
    assert script.commands[0].simple.words == ("show", *words)
    assert script.commands[0].simple.literal


FOLDERS = [
    ("x", ["/w"]),
    ("cd a && x", ["/w/a"]),
    ("cd a; x", ["/w/a", "/w"]),
    ("cd a\nx", ["/w/a", "/w"]),
    ("cd a || exit 1; x", ["/w/a"]),
    ("cd a || return; x", ["/w/a"]),
    ("cd a || x", ["/w"]),
    ("! cd a && x", ["/w"]),
    ("cd a && cd b && x", ["/w/a/b"]),
    ("cd a && cd .. && x", ["/w"]),
    ("cd /t && x", ["/t"]),
    ("cd && x", ["/home/u"]),
    ("cd ~/a && x", ["/home/u/a"]),
    ("cd -- a && x", ["/w/a"]),
    ("cd -P a && x", ["/w?"]),
    ("popd && x", ["/w?"]),
    ("pushd && x", ["/w?"]),
    ("pushd a && x", ["/w/a"]),
    ("builtin cd a && x", ["/w/a"]),
    ("command cd a && x", ["/w/a"]),
    ("eval cd a && x", ["/w/a"]),
    ("eval 'cd a' && x", ["/w/a"]),
    ("(cd a) && x", ["/w"]),
    ("y $(cd a) && x", ["/w"]),
    ("cd a | x", ["/w"]),
    ("cd $V && x", ["/w?", "/home/u?"]),
    ("cd - && x", ["/w?"]),
    ("if y; then cd a; fi; x", ["/w/a", "/w"]),
]


@pytest.mark.parametrize(("text", "expected"), FOLDERS, ids=[text for text, _ in FOLDERS])
def test_the_folders_that_a_command_may_run_in_are_followed(text: str, expected: list[str]) -> None:
    script = read(text, (Folder("/w"),), "/home/u")
    (command,) = (c for c in script.commands if c.words[0].text == "x")
    found = [folder.path + ("" if folder.certain else "?") for folder in command.folders]
    assert sorted(found) == sorted(expected)


def test_a_command_that_wanders_too_far_is_not_followed() -> None:
    assert read("; ".join(f"cd f{i}" for i in range(30)), (Folder("/w"),), "/home/u").problem

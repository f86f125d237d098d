from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from handrail.policy.shell.languages import problem_in

HARMLESS = {
    "sed": [
        "1,5p",
        "$p",
        "p;p",
        "s/we/w e/",
        "s/a/b/g;s|x|y|2p",
        "s/a/b/Ip",
        "s,a\\,b,c,",
        "s/[a-z]/x/",
        "/foo/,/bar/p",
        "/a/!d",
        "/x/{n;p}",
        "/x/{n;p;}",
        "1,3!{p}",
        "$!N;s/\\n/ /;P;D",
        ":a;N;$!ba;s/\\n/ /g",
        "y/abc/xyz/",
        "\\|a|d",
        "1~2p",
        "0,/x/d",
        "/a/I,+2p",
        "5q",
        "2,4l 5",
        "=",
        "a w x",
        "1i\\  text w o",
        "a\\\ntext\\\nw x\np",
        "#n w x\np",
        "s/\\[/[/",
        "s/[^]]*]//",
        "s/[]a]/x/;s/[[:space:]\\t]*$//",
        "",
    ],
    "awk": [
        "{print $1}",
        "$3 > 5",
        "$3>5{print $1}",
        "/a|b/{print}",
        "/class A/,/^class [A-Z]/",
        '{print $1 " | > " $2}',
        "{print ($1>$2)}",
        '{print $1 > "/dev/stderr"}',
        "NR>=10 && NR<=20",
        "{a[$1]++} END{for(k in a) print k, a[k]/2}",
        "length > 80",
        "!seen[$0]++",
        "NR==FNR{a[$1];next} $1 in a",
        '{sub(/a/,"b")}1',
        "{n+=$1} END {print n/NR}",
        'BEGIN{PROCINFO["sorted_in"]="@ind_str_asc"}',
        "{ print # > x\n}",
        "function f(x) { return x > 1 } f($1)",
        "{ if (NF > 1) print ($1 + $2) / 2 }",
        "/[^]]x[[:digit:]]/",
    ],
    "jq": [
        ".a",
        ".env.x",
        "{env: .x}",
        '.[] | select(.name == "env")',
        '@sh "\\(.a)"',
        ".a | length",
        '"$ENV.x"',
        '"\\(.a) \\(.ENV)"',
    ],
}

DOES_MORE = {
    "sed": [
        "1w /tmp/x",
        "w x",
        "s/a/b/w o",
        "s/a/b/gw o",
        "s/x/y/e",
        "s/x/y/2e",
        "s|x|y|ep",
        "1{w o\n}",
        "1!w o",
        "e id",
        "1e id",
        "r f",
        "R f",
        "W f",
        "p;w f",
        "p\nw f",
        "s/a/b/;w f",
        "/a/w f",
        "/a/,/b/w f",
        "\\|a|w f",
        "$!{w f\n}",
        "a x\nw f",
        "a\\\nx\nw f",
        "#p\nw f",
        ":a\nw f",
        "ba\nw f",
        "y/a/b/;w f",
        "}",
        "{p",
        "s/a/b",
        "/a",
        "1,w f",
        "p w",
        "s/[/]/w x/",
        "v 1;w f",
        "0~3w f",
        "/a/Iw f",
        "1,+2w f",
        "q;w f",
        "l 3;e",
        "z;e",
        "F;e x",
        "s/[]/x]/y/w o/",
        "s/[[:alpha:]/x]/y/w o/",
    ],
    "awk": [
        'BEGIN{system("id")}',
        '{print > "o"}',
        "{print > $1}",
        '{print >> "o"}',
        '{print | "sh"}',
        '{print |& "sh"}',
        '{"date" | getline d}',
        '{getline x < "/etc/passwd"}',
        "{getline; print}",
        '{print ENVIRON["X"]}',
        '@load "x"',
        'BEGIN{f="system"; @f("id")}',
        'BEGIN{ARGV[1]="/etc/shadow"}',
        '{print(1)(2) > "f"}',
        '{print a,\nb > "f"}',
        '{printf "x" > "f"}',
        "{if (x) print y; else print z > f}",
        '{print i++ / 2 | "sh" /}',
        "/[/]/",
        "/a",
        '"a',
        '{print PROCINFO["pid"]}',
        "{print length($0) > 80}",
        '{print $1 > "/dev/stderr" x}',
        'BEGIN { print "a" > "/dev/tcp/x" }',
        'BEGIN { if (0) exit /"/; system("id") #"\n}',
        'BEGIN { if (1) /"/; system("id") #"\n}',
        'BEGIN { while (0) /"/; system("id") #"\n}',
        'BEGIN { for (;0;) /"/; system("id") #"\n}',
        'BEGIN { x = length /"/; system("id") #"\n}',
        'BEGIN { x = $ /"/; system("id") #"\n}',
        '/[]/ { x = "]/; system("id") #"\n}',
        '/[[:alpha:]/ { x = "]/; system("id") #"\n}',
    ],
    "jq": [
        "env",
        "env.PATH",
        "$ENV.x",
        '"\\(env.X)"',
        "[env]",
        'import "a" as a; .',
        'include "a"; .',
        "$__prog_args",
        "$ ENV",
        '"\\(1)" + env.X + ""',
        '#"\nenv #"',
        "$#\nENV",
    ],
}


def cases(table: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(language, script) for language, scripts in table.items() for script in scripts]


@pytest.mark.parametrize(("language", "script"), cases(HARMLESS), ids=str)
def test_a_script_that_only_prints_has_no_problem(language: str, script: str) -> None:
    assert problem_in(language, script) == ""


@pytest.mark.parametrize(("language", "script"), cases(DOES_MORE), ids=str)
def test_a_script_that_does_more_has_a_problem(language: str, script: str) -> None:
    assert problem_in(language, script)


SED_PIECES = st.sampled_from(
    [
        "w o",
        "s/a/b/w o",
        "s/a/e/e",
        "e touch o",
        "W o",
        "p",
        ";",
        "\n",
        "{",
        "}",
        "/a/",
        "1",
        ",",
        "$",
        "!",
        " ",
        "a w",
        "\\",
        "s/a/b/",
        "y/a/b/",
        "#",
        "/",
        "|",
        "[",
        "]",
        "n",
        "b",
        ":a",
        "i\\\n",
        "q",
        "I",
        "M",
        "g",
        "2",
    ]
)
AWK_PIECES = st.sampled_from(
    [
        'print > "o"',
        'system("touch o")',
        'print | "cat > o"',
        "{",
        "}",
        "(",
        ")",
        ";",
        "\n",
        "/",
        '"',
        "a",
        "1",
        ",",
        " ",
        "#",
        "\\",
        'x = "a"',
        "if (1)",
        "print",
        "printf",
        ">",
        '"o"',
        "/a/",
        "$1",
        "++",
        "else",
        "?",
        ":",
        "[",
        "]",
        "&&",
        "BEGIN",
        "return",
    ]
)


def wrote(command: list[str], folder: Path) -> bool:
    """True when running it made the file `o`, or any other."""
    (folder / "in").write_text("a\nb\na b\n")
    subprocess.run([*command, "in"], cwd=folder, capture_output=True, check=False, timeout=20, stdin=subprocess.DEVNULL)
    return {path.name for path in folder.iterdir()} != {"in"}


@pytest.mark.skipif(shutil.which("sed") is None, reason="there is no sed here to compare with")
@given(pieces=st.lists(SED_PIECES, max_size=8))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
def test_sed_writes_nothing_by_a_script_without_a_problem(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[str]
) -> None:
    script = "".join(pieces)
    assume(script and not problem_in("sed", script))
    assert not wrote(["sed", "-n", "-e", script], tmp_path_factory.mktemp("sed"))


@pytest.mark.skipif(shutil.which("awk") is None, reason="there is no awk here to compare with")
@given(pieces=st.lists(AWK_PIECES, max_size=8))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
def test_awk_writes_nothing_by_a_program_without_a_problem(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[str]
) -> None:
    program = "".join(pieces)
    assume(program and not problem_in("awk", program))
    assert not wrote(["awk", program], tmp_path_factory.mktemp("awk"))

from __future__ import annotations

import pytest
from policy_world import World

from handrail.contract.decision import Outcome
from handrail.policy.facts import ShellPart


def parts(world: World, command: str) -> tuple[ShellPart, ...]:
    shell = world.facts("shell", command=world.filled(command)).shell
    assert shell is not None
    return shell.parts


NORMAL_FORMS = [
    ("alone", "git log -1", ["git log -1"]),
    ("quotes and escapes", r"g\it 'log' $'-\x31'", ["git log -1"]),
    ("a path of the system", "/usr/bin/git log", ["git log"]),
    ("another path", "./git log", ["./git log"]),
    ("a chain", "git log && make; npm test || ls | wc", ["git log", "make", "npm test", "ls", "wc"]),
    ("wrappers", "nohup nice -n 5 timeout -k 1 5 make x", ["make x"]),
    ("env", "env LANG=C make", ["make"]),
    ("env with one word", "env -S 'LANG=C make x'", ["make x"]),
    ("the language", "LANG=C make", ["make"]),
    ("a script", "bash -lc 'make && ls'", ["make", "ls"]),
    ("a script of zsh", "/bin/zsh -lc 'gh api x'", ["gh api x"]),
    ("evaluated", "eval 'make x'", ["make x"]),
    ("sudo stays", "sudo make", ["sudo make"]),
    ("a wrapper that nobody knows", "anywrapper make", ["anywrapper make"]),
    ("what find runs", r"find . -exec make {} \;", [r"find . -exec make {} ;", "make {}"]),
    ("what xargs runs", "ls | xargs make -n", ["ls", "make -n {}"]),
    ("fed words", "echo a b | xargs make", ["echo a b", "make a b"]),
    ("every value of a variable", "for t in a b; do make $t; done", ["make a", "make b"]),
    ("a variable", "t=a; make $t", ["make a"]),
    ("harmless options of git", "git --no-pager commit", ["git commit"]),
    ("git in the workspace", "git -C src commit", ["git commit"]),
    ("git outside", "git -C /x commit", ["git -C /x commit"]),
    ("git by a link that leads out", "git -C link_out commit", ["git -C link_out commit"]),
]


@pytest.mark.parametrize(("why", "command", "expected"), NORMAL_FORMS, ids=[why for why, _, _ in NORMAL_FORMS])
def test_a_part_has_the_words_that_rules_are_written_in(
    world: World, why: str, command: str, expected: list[str]
) -> None:
    found = [
        " ".join(word.text if word.value is not None else word.written for word in p.words)
        for p in parts(world, command)
    ]
    assert found == expected


OPAQUE = [
    ("the name in a variable", "$X a"),
    ("eval of a variable", "eval $X"),
    ("a script that is not known", "bash -c $X"),
    ("a shell that is fed", "ls | sh"),
    ("a shell with a file to start with", "bash --rcfile x -c ls"),
    ("a script of zsh that bash reads otherwise", "zsh -c 'ls *(e:id:)'"),
    ("a file of commands", "source x"),
    ("a trap", "trap 'rm x' EXIT"),
    ("an alias", "alias ls='rm x'"),
    ("the path of programs", "PATH=/x make"),
    ("the path of programs, for what follows", "PATH=/x; make"),
    ("a library", "LD_PRELOAD=/x make"),
    ("a variable that nobody knows", "FLAGS=-x make"),
    ("a variable that nobody knows, by env", "env FLAGS=-x make"),
    ("a variable that nobody knows, exported", "export FLAGS=-x; make"),
    ("all that is set, exported", "set -a; FLAGS=-x; make"),
    ("a harmless variable with a path", "LANG=/x make"),
    ("a variable by a loop", "for PATH in /x; do make; done"),
    ("a variable that is read", "read PATH < a.txt; make"),
    ("a variable that is printed into", "printf -v PATH /x; make"),
    ("a function with the name of a program", "make() { rm x; }; ls"),
    ("an option that runs", "git -c core.pager=x log"),
    ("awk that runs", "awk 'BEGIN { system(\"x\") }'"),
    ("sed that runs", "sed 's/x/y/e' a.txt"),
    ("arithmetic with what is read", "x=$(cat a.txt); echo $((x))"),
    ("a place that is not known", "make > $X"),
    ("what can't be parsed", "make 'x"),
    ("a character that can't be seen", "make \u202ex"),
    ("the length", "make " + "x" * 10_000),
    ("a command that a here-document hides", "cat <<EOF\n`make`\nEOF"),
    ("commands within commands", "nice " * 20 + "make"),
]


@pytest.mark.parametrize(("why", "command"), OPAQUE, ids=[why for why, _ in OPAQUE])
def test_no_rule_on_commands_allows_what_its_words_do_not_show(world: World, why: str, command: str) -> None:
    decision = world.shell(command, rules=[{"decision": "allow", "command": "*"}])
    assert decision.outcome is Outcome.ASK, decision.reason


ALLOWED_BY_RULES = [
    ("make *", "nohup make x"),
    ("make *", "FORCE_COLOR=1 make x"),
    ("make *", "make x 2>&1 | tail -5"),
    ("make *", "make x > /dev/null"),
    ("make *", 'for t in a b; do make "$t"; done'),
    ("make *", 'make "$TARGET"'),
    ("python3 *", "python3 -c \"a=1; b='x && y'\" && echo 'a;b|c' # tail && rm x"),
    ("gh *", "gh issue create --body \"$(cat <<'EOF'\nx\nEOF\n)\""),
    ("aws *", "AWS_PROFILE=p aws s3 ls"),
    ("bash a.sh", "bash a.sh"),
    ("bash -e *", "bash -e a.sh x"),
]


@pytest.mark.parametrize(("rule", "command"), ALLOWED_BY_RULES, ids=[command for _, command in ALLOWED_BY_RULES])
def test_a_rule_covers_a_command_in_its_normal_form(world: World, rule: str, command: str) -> None:
    decision = world.shell(command, rules=[{"decision": "allow", "command": rule}])
    assert decision.outcome is Outcome.ALLOW, decision.reason


NOT_COVERED = [
    ("git log *", "git log -1; touch x"),
    ("ls *", "sudo ls"),
    ("ls *", "anywrapper ls"),
    ("npm *", "A=`date >p1` npm --version"),
    ("echo *", "echo $(id)"),
    ("diff *", "diff <(id) /dev/null"),
    ("tee *", "tee >(cat)"),
    ("node --version", "node --version -e 'x'"),
    ("make *", "make x > out"),
    ("find *", r"find . -exec touch {} \;"),
    ("xargs *", "ls | xargs touch"),
    ("bash *", "bash -c 'touch x'"),
    ("git commit *", "git -C {outside} commit"),
]


@pytest.mark.parametrize(("rule", "command"), NOT_COVERED, ids=[command for _, command in NOT_COVERED])
def test_a_rule_covers_no_other_command_in_the_same_text(world: World, rule: str, command: str) -> None:
    decision = world.shell(command, rules=[{"decision": "allow", "command": rule}])
    assert decision.outcome is Outcome.ASK, decision.reason


WRITES = [
    ("mkdir -p a && touch a/b", ["a", "a/b"]),
    ("cp a.txt build", ["build/a.txt", "build"]),
    ("echo x > out; echo y >> log", ["out", "log"]),
    ("d=build; touch $d/x", ["build/x"]),
    ("sort -o out a.txt", ["out"]),
    ("for f in a b; do rm $f; done", ["a", "b"]),
    ("sed -i s/a/b/ a.txt", ["a.txt"]),
    ("tee out < a.txt", ["out"]),
]


@pytest.mark.parametrize(("command", "expected"), WRITES, ids=[command for command, _ in WRITES])
def test_the_paths_that_a_command_writes_are_known(world: World, command: str, expected: list[str]) -> None:
    facts = world.facts("shell", command=command)
    written = [facts.places.shown(path.named) for path in facts.paths if path.access == "write"]
    assert written == expected


NAMED = [
    ("alone", "cat a.txt"),
    ("behind a wrapper", "timeout 5 cat a.txt"),
    ("behind a wrapper that writes", "time -o log rm a.txt"),
    ("in a script", "bash -c 'timeout 5 cat a.txt'"),
    ("in what may be a script", "anywrapper sh -c 'timeout 5 cat a.txt'"),
    ("in a variable", "f=a.txt; cat $f"),
    ("in a loop", "for f in b.txt a.txt; do cat $f; done"),
    ("looked at", "[ -f a.txt ]"),
    ("looked at in double brackets", "[[ -f a.txt ]]"),
    ("redirected", "cat < a.txt"),
    ("redirected in a loop", "while read l; do echo; done < a.txt"),
    ("fed", "echo a.txt | xargs cat"),
    ("from another folder", "cd src && cat ../a.txt"),
    ("by an option", "sort -o a.txt b.txt"),
]


@pytest.mark.parametrize(("why", "command"), NAMED, ids=[why for why, _ in NAMED])
def test_a_rule_on_a_path_reaches_it_wherever_it_is_named(world: World, why: str, command: str) -> None:
    rules: list[dict[str, object]] = [{"decision": "deny", "path": "a.txt"}, {"decision": "allow", "tool": "*"}]
    assert world.shell(command, "bypass", rules).outcome is Outcome.DENY


ACCEPTED = ["mkdir -p a && touch a/b", "rm -rf build; mkdir build", "cp a.txt b.txt && ls"]
NOT_ACCEPTED = [
    ("a protected path", "mkdir a && touch .git/hooks/x"),
    ("a path in a variable that is protected", "d=.git; touch $d/hooks/x"),
    ("outside", "mkdir a && touch {outside}/x"),
    ("another command", "mkdir a && make"),
    ("a link put in another place and followed there", "cp -r linked x && cat x/out/b.txt"),
    ("a place that is not known", "touch $X"),
]


@pytest.mark.parametrize("command", ACCEPTED)
def test_plain_file_commands_are_accepted_one_by_one(world: World, command: str) -> None:
    decision = world.shell(command, "accept-edits")
    assert decision.outcome is Outcome.ALLOW, decision.reason


@pytest.mark.parametrize(("why", "command"), NOT_ACCEPTED, ids=[why for why, _ in NOT_ACCEPTED])
def test_one_part_that_is_no_plain_edit_is_asked_about(world: World, why: str, command: str) -> None:
    decision = world.shell(command, "accept-edits")
    assert decision.outcome is Outcome.ASK, decision.reason


STANDS = [
    ("ls | wc", [("pipe",), ("pipe",)]),
    ("(ls)", [("subshell",)]),
    ("ls &", [("background",)]),
    ("for f in a; do ls; done", [("loop",)]),
    ("if ls; then pwd; fi", [("condition",), ("condition",)]),
    ("echo $(ls)", [(), ("substitution",)]),
    ("f() { ls; }", [("function",)]),
    ("cat <<EOF\n$(ls)\nEOF", [(), ("here-document", "substitution")]),
    ("timeout 5 bash -c 'ls | wc'", [("timeout", "bash -c", "pipe"), ("timeout", "bash -c", "pipe")]),
    ("ls | xargs cat", [("pipe",), ("pipe", "xargs")]),
]


@pytest.mark.parametrize(("command", "expected"), STANDS, ids=[command for command, _ in STANDS])
def test_a_part_knows_where_it_stands(world: World, command: str, expected: list[tuple[str, ...]]) -> None:
    assert [part.stands for part in parts(world, command)] == expected


HOSTS = [
    ("curl https://Example.org/a", {"example.org"}),
    ("wget http://user@example.org:80/a", {"example.org"}),
    ("curl $URL", {"*"}),
    ("ls", set()),
]


@pytest.mark.parametrize(("command", "expected"), HOSTS, ids=[command for command, _ in HOSTS])
def test_the_hosts_that_a_command_reaches_are_known(world: World, command: str, expected: set[str]) -> None:
    assert world.facts("shell", command=command).effects.connects == expected

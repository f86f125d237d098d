from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from made_facts import HOME, ROOT, call, part, path, shell, unknown

from handrail.contract.confirmation import GrantOption
from handrail.contract.tool import Opinion
from handrail.errors import RuleError
from handrail.policy import Facts, Grant, Mode, Policy, decide, offers, rules_from
from handrail.policy.facts import Caller
from handrail.policy.grants import as_record, from_record, once_granted


def offered(facts: Facts, policy: Policy | None = None) -> tuple[GrantOption, ...]:
    policy = policy or Policy()
    return offers(facts, policy, decide(facts, policy))


def granted(facts: Facts, policy: Policy | None = None, choice: int = 0) -> Policy:
    """The policy once a person has chosen an option about a call."""
    policy = policy or Policy()
    option = offered(facts, policy)[choice]
    return replace(policy, grants=(*policy.grants, Grant("g-1", option)))


COMMANDS = [
    ("git commit -m x", "git commit *"),
    ("git add .", "git add *"),
    ("git stash pop", "git stash pop *"),
    ("git push origin main", "git push origin main"),
    ("git -C sub commit", "git -C sub commit"),
    ("npm run test", "npm run test *"),
    ("npm run test --watch", "npm run test *"),
    ("npm run test:unit x", "npm run test:unit *"),
    ("npm run --silent test", "npm run --silent test"),
    ("npm install left-pad", "npm install left-pad"),
    ("pnpm exec playwright test a.ts", "pnpm exec playwright test *"),
    ("npx tsc --noEmit", "npx tsc *"),
    ("npx cowsay hi", "npx cowsay hi"),
    ("uv run pytest -q", "uv run pytest *"),
    ("uv run python x.py", "uv run python x.py"),
    ("python -m pytest tests", "python -m pytest *"),
    ("python -m http.server", "python -m http.server"),
    ("python x.py", "python x.py"),
    ("python3.11 -m venv v", "python3.11 -m venv v"),
    ("bash x.sh", "bash x.sh"),
    ("env make", "env make"),
    ("sudo make install", "sudo make install"),
    ("xargs rm", "xargs rm"),
    ("rm -rf build", "rm -rf build"),
    ("make", "make"),
    ("make build", "make build *"),
    ("make -f x build", "make -f x build"),
    ("./deploy prod", "./deploy prod"),
    ("pytest tests -k a", "pytest *"),
    ("pytest $X", "pytest *"),
    ("cargo test --all", "cargo test *"),
    ("cargo run", "cargo run"),
    ("gh pr create -t x", "gh pr create *"),
    ("gh api x", "gh api x"),
    ("docker compose up -d", "docker compose up *"),
    ("docker run x", "docker run x"),
    ("curl https://x.org", "curl https://x.org"),
]


@pytest.mark.parametrize(("command", "pattern"), COMMANDS)
def test_a_command_is_offered_by_the_fewest_words_that_name_what_it_does(command: str, pattern: str) -> None:
    options = offered(shell(part(command)))
    assert [(option.commands, option.scope) for option in options] == [
        ((pattern,), "session"),
        ((pattern,), "project"),
        ((pattern,), "user"),
    ]
    assert options[0].label == f"`{pattern}` in this session"


def test_words_that_no_pattern_can_spell_are_offered_as_the_very_call() -> None:
    facts = shell(part("deploy $TARGET"))
    assert [option.arguments for option in offered(facts)] == [{"command": "deploy $TARGET"}] * 3
    policy = granted(facts)
    assert decide(facts, policy).outcome == "allow"
    assert decide(shell(part("deploy $TARGET x")), policy).outcome == "ask"


def test_one_answer_covers_each_part_that_needs_it_and_no_other() -> None:
    facts = shell(part("cd p", reads=True), part("git add f"), part("git commit -m x"))
    option = offered(facts)[0]
    assert option.commands == ("git add *", "git commit *")
    assert option.label == "`git add *`, `git commit *` in this session"
    policy = granted(facts)
    assert decide(facts, policy).outcome == "allow"
    assert decide(shell(part("git commit -m y")), policy).outcome == "allow"
    assert decide(shell(part("git commit"), part("make")), policy).outcome == "ask"


def test_what_rules_or_grants_allow_already_is_not_offered_again() -> None:
    facts = shell(part("make x"), part("pytest a"))
    policy = Policy(rules=rules_from([{"decision": "allow", "command": "make *"}]))
    assert offered(facts, policy)[0].commands == ("pytest *",)
    again = granted(facts, policy)
    assert offered(shell(part("pytest a"), part("cargo test")), again)[0].commands == ("cargo test *",)


def test_a_pattern_is_offered_for_five_parts_and_the_very_call_for_more() -> None:
    names = ["pytest", "mypy", "tsc", "eslint", "black", "isort"]
    assert len(offered(shell(*(part(f"{name} x") for name in names[:5])))[0].commands) == 5
    option = offered(shell(*(part(f"{name} x") for name in names)))[0]
    assert (option.commands, option.arguments is not None) == ((), True)


PROTECTED = replace(path(".git/config", "write"), protected=".git")
ASK_MAKE = {"decision": "ask", "command": "make"}
MAYBE_ASKED = {"decision": "ask", "command": "make a", "grantable": True}
MAYBE_DENIED = {"decision": "deny", "command": "make a"}

NOT_OFFERED: list[tuple[str, Facts, list[dict[str, Any]]]] = [
    ("an opaque part", shell(part("make"), part("eval $X", opaque="code")), []),
    ("an opaque whole", shell(part("make"), opaque="it can't be parsed"), []),
    ("a protected path", call("put", PROTECTED), []),
    ("a protected path in a command", shell(part("echo", reads=True, redirected=(PROTECTED,))), []),
    ("an opinion", unknown(opinion=Opinion("ask", "it looks odd")), []),
    ("what is always approved", unknown(approval="always"), []),
    ("an ask rule that does not say so", shell(part("make")), [ASK_MAKE]),
    ("an ask rule that may hold", shell(part("make $X")), [MAYBE_ASKED]),
    ("a deny rule that may hold", shell(part("make $X")), [MAYBE_DENIED]),
    ("a call that is denied", shell(part("make")), [{**ASK_MAKE, "decision": "deny"}]),
    ("a call that is allowed", shell(part("ls", reads=True)), []),
    ("an ask rule of one part beside a grantable mode", shell(part("make"), part("npm test")), [ASK_MAKE]),
    (
        "a grantable ask beside one that is not",
        shell(part("make")),
        [{**ASK_MAKE, "grantable": True}, {"decision": "ask", "tool": "shell"}],
    ),
]


@pytest.mark.parametrize(("facts", "rules"), [c[1:] for c in NOT_OFFERED], ids=[c[0] for c in NOT_OFFERED])
def test_nothing_is_offered_where_nothing_may_be_remembered(facts: Facts, rules: list[dict[str, Any]]) -> None:
    assert offered(facts, Policy(rules=rules_from(rules))) == ()


def test_the_answer_to_a_rule_that_says_so_is_remembered_for_that_rule_alone() -> None:
    first = {"decision": "ask", "command": "git push *", "grantable": True}
    policy = Policy(rules=rules_from([first]))
    facts = shell(part("git push origin a"))
    option = offered(facts, policy)[0]
    assert option.answers == (policy.rules[0].id, "mode:default")
    after = granted(facts, policy)
    assert decide(facts, after).outcome == "allow"
    assert decide(shell(part("git push origin b")), after).outcome == "ask"
    moved = replace(after, rules=rules_from([{"decision": "ask", "tool": "other"}, first]))
    assert decide(facts, moved).outcome == "allow"
    for another in ({**first, "reason": "new"}, {**first, "command": "git *"}):
        assert decide(facts, replace(after, rules=rules_from([another]))).outcome == "ask"
    for outcome in ("ask", "deny"):
        more = replace(after, rules=(*policy.rules, *rules_from([{"decision": outcome, "tool": "shell"}])))
        assert decide(facts, more).outcome == outcome


def test_a_grant_of_the_mode_answers_no_rule_and_no_tool() -> None:
    facts = shell(part("git commit -m x"))
    policy = granted(facts)
    assert str(decide(facts, policy).source) == "grant:g-1"
    for grantable in (True, False):
        rule = {"decision": "ask", "command": "git commit *", "grantable": grantable}
        assert decide(facts, replace(policy, rules=rules_from([rule]))).outcome == "ask"
    for approval in ("ask", "once", "always"):
        assert decide(replace(facts, approval=approval), policy).outcome == "ask"


MODES = [
    ("default", "default", "allow"),
    ("default", "accept-edits", "allow"),
    ("default", "sandboxed", "allow"),
    ("accept-edits", "default", "allow"),
    ("default", "plan", "ask"),
    ("plan", "plan", "allow"),
    ("plan", "default", "allow"),
]


@pytest.mark.parametrize(("given_in", "asked_in", "outcome"), MODES)
def test_what_was_granted_elsewhere_does_not_hold_in_plan_mode(given_in: str, asked_in: str, outcome: str) -> None:
    facts = call("read", path("~/x"))
    policy = granted(facts, Policy(Mode(given_in)))
    assert decide(facts, replace(policy, mode=Mode(asked_in))).outcome == outcome


def test_a_grant_never_lifts_what_a_mode_denies() -> None:
    facts = shell(part("make"))
    assert decide(facts, replace(granted(facts), mode=Mode.PLAN)).outcome == "deny"


def test_a_file_is_offered_by_its_path_and_by_its_folder() -> None:
    facts = call("write_file", path("src/app.py", "write"))
    options = offered(facts)
    assert [(option.writes, option.scope) for option in options] == [
        ((f"{ROOT}/src/app.py",), "session"),
        ((f"{ROOT}/src/app.py",), "project"),
        ((f"{ROOT}/src/app.py",), "user"),
        ((f"{ROOT}/src/",), "session"),
        ((f"{ROOT}/src/",), "project"),
    ]
    assert options[0].label == "writing src/app.py by write_file in this session"
    assert options[3].label == "writing all in src by write_file in this session"


@pytest.mark.parametrize("text", ["a.txt", "~/x", "/x", ".env", "conf/.env"])
def test_no_folder_is_offered_that_is_too_wide_or_for_a_secret(text: str) -> None:
    assert [option.scope for option in offered(call("write_file", path(text, "write")))] == [
        "session",
        "project",
        "user",
    ]


WIDTH = [
    # what is asked about after src/app.py (choice 0) or src/ (choice 3) was granted for write_file
    (call("write_file", path("src/app.py", "write")), "allow", "allow"),
    (call("write_file", path("src/b.py", "write")), "ask", "allow"),
    (call("write_file", path("src/deep/b.py", "write")), "ask", "allow"),
    (call("write_file", path("src/.env", "write")), "ask", "ask"),
    (call("write_file", path("srcs/app.py", "write")), "ask", "ask"),
    (call("write_file", path("src/app.py", "write", "/srv/x")), "ask", "ask"),
    (call("write_file", path("link", "write", f"{ROOT}/src/app.py")), "ask", "ask"),
    (call("write_file", path("src", "write", tree=True)), "ask", "allow"),
    (call("write_file", path("src/app.py", "write"), hosts=("x.org",)), "ask", "ask"),
    (call("write_file", path("src/app.py", "write"), path("b", "write")), "ask", "ask"),
    (call("edit_file", path("src/app.py", "write")), "ask", "ask"),
    (shell(part("echo", reads=True, redirected=(path("src/app.py", "write"),))), "ask", "ask"),
    (unknown("write_file"), "ask", "ask"),
]  # fmt: skip


@pytest.mark.parametrize(("facts", "by_file", "by_folder"), WIDTH, ids=range(len(WIDTH)))
def test_a_grant_of_a_path_holds_for_that_tool_and_path_alone(facts: Facts, by_file: str, by_folder: str) -> None:
    asked = call("write_file", path("src/app.py", "write"))
    assert decide(facts, granted(asked)).outcome == by_file
    assert decide(facts, granted(asked, choice=3)).outcome == by_folder


def test_a_granted_path_that_is_a_link_holds_for_both_of_its_spellings() -> None:
    facts = call("read", path("in", resolved="/srv/data/x"))
    policy = granted(facts)
    assert decide(facts, policy).outcome == "allow"
    assert decide(call("read", path("in", resolved="/srv/data/y")), policy).outcome == "ask"


def test_reading_granted_is_not_writing_granted() -> None:
    policy = granted(call("tool", path("~/x")))
    assert decide(call("tool", path("~/x", "write")), policy).outcome == "ask"


def test_a_command_that_only_reads_is_offered_by_the_paths_that_lie_apart() -> None:
    facts = shell(part("cat ~/x a", reads=True, paths=(path("~/x"), path("a"))))
    option = offered(facts)[0]
    assert (option.commands, option.reads) == ((), (f"{HOME}/x",))
    policy = granted(facts)
    assert decide(facts, policy).outcome == "allow"
    assert decide(shell(part("cat ~/y", reads=True, paths=(path("~/y"),))), policy).outcome == "ask"
    assert decide(shell(part("tool ~/x", paths=(path("~/x", "mention"),))), policy).outcome == "ask"


def test_a_command_granted_with_an_open_end_says_nothing_of_paths_that_lie_apart() -> None:
    policy = granted(shell(part("mkdir a", paths=(path("a", "write"),))))
    assert decide(shell(part("mkdir b", paths=(path("b", "write"),))), policy).outcome == "allow"
    for apart in ("~/b", ".env"):
        asked = shell(part(f"mkdir {apart}", paths=(path(apart, "write"),)))
        assert decide(asked, policy).outcome == "ask"
        assert offered(asked)[0].commands == (f"mkdir {apart}",)
        assert decide(asked, granted(asked)).outcome == "allow"


def test_a_redirection_is_offered_beside_its_command() -> None:
    facts = shell(part("pytest x", redirected=(path("log.txt", "write"),)))
    option = offered(facts)[0]
    assert (option.commands, option.writes) == (("pytest *",), (f"{ROOT}/log.txt",))
    assert option.label == "`pytest *`, writing log.txt in this session"
    assert decide(facts, granted(facts)).outcome == "allow"
    assert decide(shell(part("pytest x", redirected=(path("src/a.py", "write"),))), granted(facts)).outcome == "ask"


def test_a_host_is_offered_by_its_name() -> None:
    facts = call("fetch", hosts=("https://API.example.org/x",))
    assert [option.hosts for option in offered(facts)] == [("api.example.org",)] * 3
    policy = granted(facts)
    assert decide(call("fetch", hosts=("api.example.org",)), policy).outcome == "allow"
    for host in ("example.org", "evil.org", "*"):
        assert decide(call("fetch", hosts=(host,)), policy).outcome == "ask"
    assert [option.hosts for option in offered(call("fetch", hosts=("*",)))] == [()] * 3


def test_another_tool_is_offered_with_these_arguments_or_as_a_whole() -> None:
    facts = unknown("mystery", arguments={"a": [1, {"b": True}]})
    options = offered(facts)
    assert [option.arguments for option in options] == [{"a": [1, {"b": True}]}] * 3 + [None] * 2
    assert options[0].label == "mystery with these very arguments, in this session"
    assert options[3].label == "every call of mystery in this session"
    narrow, wide = granted(facts), granted(facts, choice=3)
    other = unknown("mystery", arguments={"a": [1, {"b": 1}]})
    assert (decide(facts, narrow).outcome, decide(other, narrow).outcome) == ("allow", "ask")
    assert (decide(facts, wide).outcome, decide(other, wide).outcome) == ("allow", "allow")
    assert decide(unknown("other"), wide).outcome == "ask"


def test_what_is_approved_once_is_answered_by_its_own_grant_alone() -> None:
    facts = call("noop", approval="once")
    policy = Policy(grants=(Grant("g-2", once_granted("noop")),))
    assert decide(facts, Policy()).outcome == "ask"
    assert decide(facts, policy).outcome == "allow"
    assert decide(replace(facts, approval="ask"), policy).outcome == "ask"
    assert decide(call("other", approval="once"), policy).outcome == "ask"
    assert decide(replace(unknown("noop"), approval="once"), policy).outcome == "ask"


def test_grants_hold_for_subagents_as_well() -> None:
    facts = shell(part("pytest x"))
    assert decide(replace(facts, caller=Caller("kid")), granted(facts)).outcome == "allow"


GRANTABLE = [shell(part("git commit x")), call("put", path("a", "write")), call(hosts=("x.org",)), unknown()]


@pytest.mark.parametrize("facts", GRANTABLE, ids=range(len(GRANTABLE)))
def test_a_grant_is_the_same_after_it_was_written_and_read(facts: Facts) -> None:
    for option in offered(facts):
        assert from_record(as_record(Grant("g-3", option))) == Grant("g-3", option)


BAD_RECORDS: list[dict[str, Any]] = [
    {"id": ""},
    {"label": None},
    {"scope": "world"},
    {"tool": 3},
    {"answers": "mode:default"},
    {"commands": [1]},
    {"commands": ["a && b"]},
    {"reads": None},
    {"arguments": [1]},
]


@pytest.mark.parametrize("changed", BAD_RECORDS, ids=str)
def test_what_is_no_grant_grants_nothing(changed: dict[str, Any]) -> None:
    record = {**as_record(Grant("g-4", offered(shell(part("git commit x")))[0])), **changed}
    with pytest.raises(RuleError, match="grant"):
        from_record(record)

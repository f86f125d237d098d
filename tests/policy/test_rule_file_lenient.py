from __future__ import annotations

from typing import Any

import pytest
from made_facts import call, part, path, shell, unknown

from handrail.contract.decision import Decision
from handrail.policy import (
    Facts,
    Mode,
    Policy,
    RuleScope,
    RuleSet,
    decide,
    denying_everything,
    load_policy,
    load_policy_leniently,
    tightening_only,
    together,
)

ALLOW_ALL = '[[rule]]\ndecision = "allow"\ntool = "*"\n'


def load(text: str, scope: RuleScope = RuleScope.USER, source: str = "p") -> RuleSet:
    return load_policy_leniently(text, source, scope)


def decided(facts: Facts, *sets: RuleSet, mode: str = "default") -> Decision:
    found = together(sets)
    return decide(facts, Policy(Mode(mode), found.rules, bypass_forbidden_by=found.bypass_forbidden_by))


def test_one_bad_rule_never_voids_its_file() -> None:
    found = load('[[rule]]\ndecision = "allow"\ntool = 3\n\n[[rule]]\ndecision = "deny"\ncommand = "git push *"\n')
    assert [(rule.ref.line, str(rule.outcome)) for rule in found.rules] == [(5, "deny")]
    assert found.problems == (
        "p:3: tool is 3; give a text, or a list of texts",
        "p:1: until that is mended the rule allows nothing",
    )


BAD_ALLOWS = [
    'tool = "*"\ncommnd = "ls"',
    'tool = ["shell", 3]',
    'tool = "*"\npath = "[z-a]"',
    'tool = "*"\nmode = "plann"',
    'tool = "*"\nmode = []',
    'tool = "*"\nargs = { command = { regex = "(" } }',
    'tool = "*"\nargs = {}',
    'tool = "*"\nannotations = {}',
    'tool = "*"\ninteractive = "no"',
    'tool = "*"\nhost = "http://x"',
    'tool = "*"\neffect = "rd"',
    'tool = "*"\nreason = 3',
    'tool = "*"\ngrantable = true',
    "interactive = true",
]


@pytest.mark.parametrize("conditions", BAD_ALLOWS)
def test_a_bad_allow_rule_allows_nothing(conditions: str) -> None:
    found = load(f'[[rule]]\ndecision = "allow"\n{conditions}\n')
    assert (found.rules, len(found.problems)) == ((), 2)


WIDEST: list[tuple[str, str, Facts, str]] = [
    ("a misspelled key", 'tool = "shell"\ncomand = "rm *"', shell(part("make")), "deny"),
    ("what is readable of it", 'tool = "shell"\ncomand = "rm *"', unknown(), "ask"),
    ("one bad element of a list", 'tool = ["shell", 3]', unknown(), "deny"),
    ("a bad path", 'tool = "put"\npath = "[z-a]"', call("put", path("a", "write")), "deny"),
    ("a bad mode", 'tool = "shell"\nmode = "plann"', shell(part("make")), "deny"),
    ("a bad regex", "args = { x = { regex = '(' } }", unknown(), "deny"),
    ("a good command beside it", 'command = "git push *"\nargs = { x = 3 }', shell(part("git push x")), "deny"),
    ("a good command that does not match", 'command = "git push *"\nargs = { x = 3 }', shell(part("make")), "ask"),
    ("no condition", 'reason = "no"', unknown(), "deny"),
    ("no condition that can be read", "tool = 3", unknown(), "deny"),
]


@pytest.mark.parametrize(("text", "facts", "outcome"), [case[1:] for case in WIDEST], ids=[case[0] for case in WIDEST])
def test_a_bad_deny_rule_holds_in_its_widest_form(text: str, facts: Facts, outcome: str) -> None:
    found = load(f'[[rule]]\ndecision = "deny"\n{text}\n')
    assert decided(facts, found).outcome == outcome
    assert found.problems[-1] == "p:1: until that is mended the rule denies all that the rest of it matches"


def test_a_bad_ask_rule_asks_and_its_answer_is_not_remembered() -> None:
    found = load('[[rule]]\ndecision = "ask"\ntool = "shell"\ngrantable = "yes"\n')
    assert [(str(rule.outcome), rule.grantable) for rule in found.rules] == [("ask", False)]


@pytest.mark.parametrize(
    ("decision", "held"),
    [('"alow"', []), ('"denny"', ["deny"]), ('"aks"', ["ask"]), ('"never"', ["deny"]), ("true", ["deny"])],
)
def test_a_decision_that_cant_be_read_is_what_it_is_most_like_and_else_a_deny(decision: str, held: list[str]) -> None:
    found = load(f'[[rule]]\ntool = "shell"\ndecision = {decision}\n')
    assert [str(rule.outcome) for rule in found.rules] == held


def test_a_rule_without_a_decision_denies() -> None:
    assert decided(shell(part("make")), load('[[rule]]\ntool = "shell"\n')).outcome == "deny"


NOT_READ = [
    "not toml",
    '[[rule]]\ntool = "x',
    "a = 1\na = 2\n",
    '[[rule]]\ndecision = "allow"\ntool = "*"\n\n[rule\n',
    "x = " + "[" * 100_000 + "]" * 100_000,
]


@pytest.mark.parametrize("text", NOT_READ, ids=range(len(NOT_READ)))
@pytest.mark.parametrize("mode", ["default", "bypass"])
def test_a_file_that_cant_be_read_denies_everything_and_says_why(text: str, mode: str) -> None:
    allows = load(ALLOW_ALL, source="q")
    decision = decided(shell(part("ls", reads=True)), load(text), allows, mode=mode)
    assert decision.outcome == "deny"
    assert "not valid TOML" in decision.reason
    assert "nothing is allowed until it is repaired" in decision.reason


def test_whoever_cant_open_a_file_gets_the_same() -> None:
    found = denying_everything("/etc/policy.toml", 0, "can't be read: Permission denied", RuleScope.SYSTEM)
    assert decided(unknown(), found).outcome == "deny"
    assert found.problems[0].startswith("/etc/policy.toml:0: can't be read: Permission denied; ")


def test_rules_under_a_misspelled_name_deny_and_ask_and_allow_nothing() -> None:
    text = '[[rules]]\ndecision = "deny"\ntool = "mystery"\n\n[[rules]]\ndecision = "allow"\ntool = "*"\n'
    found = load(text)
    assert [(rule.ref.line, str(rule.outcome)) for rule in found.rules] == [(1, "deny")]
    assert 'p:1: unknown key "rules"; did you mean rule?' in found.problems[0]


def test_one_table_with_one_bracket_denies_and_does_not_allow() -> None:
    assert decided(unknown(), load('[rule]\ndecision = "deny"\ntool = "mystery"\n')).outcome == "deny"
    assert load('[rule]\ndecision = "allow"\ntool = "mystery"\n').rules == ()


def test_a_file_that_says_nothing_wrong_has_no_problems() -> None:
    text = (
        '[[rule]]\ndecision = "ask"\ncommand = "git push *"\ngrantable = true\n\n[rule.args]\ncommand = "git*"\n\n'
        '[effects."mcp_git_*"]\nreads = ["."]\n'
    )
    found = load(text)
    assert found.problems == ()
    assert found == load_policy(text, "p", RuleScope.USER)
    assert [rule.scope for rule in found.rules] == [RuleScope.USER]
    assert [str(each.claims.reads[0].path) for each in found.declared] == ["."]


def test_a_bad_declaration_is_left_out() -> None:
    found = load('[effects.a]\nreads = ["."]\n\n[effects.b]\nreads = 3\n')
    assert [each.tools.text for each in found.declared] == ["a"]
    assert found.problems == ("p:5: reads is 3; give a list of texts",)


def test_what_nobody_trusted_may_only_tighten() -> None:
    text = (
        '[[rule]]\ndecision = "allow"\ntool = "*"\n[[rule]]\ndecision = "ask"\ntool = "a"\ngrantable = true\n'
        '[[rule]]\ndecision = "deny"\ntool = "b"\n[effects.c]\nreads = ["."]\n'
    )
    found = load(text, RuleScope.PROJECT)
    tight = tightening_only(found)
    assert [(str(rule.outcome), rule.grantable) for rule in tight.rules] == [("ask", False), ("deny", False)]
    assert tight.declared == ()
    assert [ref.line for ref in found.loosening] == [1, 11]


def test_a_system_that_forbids_bypass_has_it_decide_as_default_and_says_so() -> None:
    system = load("forbid_bypass = true\n", RuleScope.SYSTEM, "/etc/policy.toml")
    decision = decided(shell(part("make")), system, mode="bypass")
    assert (decision.outcome, str(decision.source)) == ("ask", "mode:bypass")
    assert "/etc/policy.toml forbids it, so this is decided as in default mode" in decision.reason
    assert decided(shell(part("make")), system, mode="accept-edits").outcome == "ask"


def test_where_bypass_is_forbidden_what_it_would_allow_is_not_in_force() -> None:
    system = load("forbid_bypass = true\n", RuleScope.SYSTEM)
    allow = load('[[rule]]\ndecision = "allow"\ntool = "*"\nmode = "bypass"\n')
    deny = load('[[rule]]\ndecision = "deny"\ntool = "*"\nmode = "bypass"\n')
    default = load('[[rule]]\ndecision = "allow"\ntool = "*"\nmode = "default"\n')
    assert decided(unknown(), system, allow, mode="bypass").outcome == "ask"
    assert decided(unknown(), system, deny, mode="bypass").outcome == "deny"
    assert decided(unknown(), system, default, mode="bypass").outcome == "allow"


def test_a_system_that_forbids_lower_allow_rules_leaves_them_out_and_reports_them() -> None:
    system = load("forbid_lower_allows = true\n" + ALLOW_ALL.replace("*", "own"), RuleScope.SYSTEM, "sys")
    user = load(ALLOW_ALL + '[[rule]]\ndecision = "deny"\ntool = "bad"\n', RuleScope.USER, "mine")
    found = together((system, user))
    assert [(rule.ref.source, str(rule.outcome)) for rule in found.rules] == [("sys", "allow"), ("mine", "deny")]
    assert found.problems == ("mine:1: this allow rule holds for nothing: sys forbids those of lower scopes",)


@pytest.mark.parametrize("key", ["forbid_bypass", "forbid_lower_allows"])
def test_only_the_system_forbids_and_what_it_says_badly_holds(key: str) -> None:
    def held(found: RuleSet) -> bool:
        return bool(found.bypass_forbidden_by or found.lower_allows_forbidden_by)

    assert held(load(f"{key} = true\n", RuleScope.SYSTEM))
    assert not held(load(f"{key} = false\n", RuleScope.SYSTEM))
    assert held(bad := load(f'{key} = "yes"\n', RuleScope.SYSTEM))
    assert f'{key} is "yes"; give true or false; until then it holds' in bad.problems[0]
    for scope in set(RuleScope) - {RuleScope.SYSTEM}:
        found = load(f"{key} = true\n", scope)
        assert not held(found)
        assert f"only the system's policy file may say {key}" in found.problems[0]


SCOPES: list[tuple[RuleScope, str]] = [
    (RuleScope.SYSTEM, "allow"),
    (RuleScope.USER, "allow"),
    (RuleScope.COMMAND_LINE, "allow"),
    (RuleScope.SESSION, "allow"),
    (RuleScope.PROJECT, "ask"),
    (RuleScope.LOCAL, "ask"),
]


@pytest.mark.parametrize(("scope", "outcome"), SCOPES)
def test_what_is_always_approved_is_lifted_only_from_outside_the_workspace(scope: RuleScope, outcome: str) -> None:
    facts: Any = unknown("deploy", approval="always")
    assert decided(facts, load(ALLOW_ALL.replace("*", "deploy"), scope)).outcome == outcome
    assert decided(facts, load(ALLOW_ALL.replace("*", "deplo*"), scope)).outcome == "ask"

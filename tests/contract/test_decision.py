from __future__ import annotations

import pytest

from handrail.contract.decision import (
    Decision,
    FromCheck,
    FromGrant,
    FromHook,
    FromMode,
    FromPerson,
    FromRule,
    FromTool,
    Outcome,
    RuleRef,
)

RULE = RuleRef("policy.toml", 12, 'tool = "shell"')


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (FromRule(RULE), "rule:policy.toml:12"),
        (FromMode("plan"), "mode:plan"),
        (FromTool(), "tool"),
        (FromGrant("g1"), "grant:g1"),
        (FromHook("audit"), "hook:audit"),
        (FromPerson("terminal"), "person:terminal"),
        (FromCheck("removal"), "check:removal"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_source_is_published_as_its_kind_and_name(source, text):
    assert str(source) == text


@pytest.mark.parametrize(
    ("source", "rule"), [(FromRule(RULE), RULE), (FromMode("default"), None), (FromTool(), None)], ids=str
)
def test_only_a_rules_decision_has_a_rule(source, rule):
    assert Decision(Outcome.ALLOW, source, "why").rule == rule


def test_outcomes_are_published_as_words():
    assert [str(outcome) for outcome in Outcome] == ["allow", "ask", "deny"]


def test_a_decision_must_say_by_whom_and_why():
    with pytest.raises(TypeError, match="'source' and 'reason'"):
        Decision(Outcome.ALLOW)

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from made_rules import calls, modes, rule_tables

from handrail.contract.decision import Outcome
from handrail.policy import Facts, Grant, Mode, Policy, decide, load_policy_leniently, offers, rules_from
from handrail.policy.modes import STRICTNESS
from handrail.policy.rules import RuleScope

Tables = list[dict[str, object]]

tables = st.lists(rule_tables(), max_size=5)


def strictness(facts: Facts, policy: Policy) -> int:
    return STRICTNESS[decide(facts, policy).outcome]


def with_grants(facts: Facts, policy: Policy, choice: int) -> Policy:
    """The policy after a person has chosen one of the offered grants, if there are any."""
    options = offers(facts, policy, decide(facts, policy))
    return replace(policy, grants=(Grant("g", options[choice % len(options)]),)) if options else policy


@given(facts=calls(), given_rules=tables, mode=modes)
@settings(max_examples=300, deadline=None)
def test_every_call_gets_a_decision_with_a_reason(facts: Facts, given_rules: Tables, mode: Mode) -> None:
    decision = decide(facts, Policy(mode, rules_from(given_rules)))
    assert decision.reason.endswith((".", "!", "?"))


@given(facts=calls(), given_rules=tables, allows=st.lists(rule_tables(("allow",)), max_size=4), mode=modes)
@settings(max_examples=300, deadline=None)
def test_no_allow_rule_loosens_what_a_rule_denies_or_asks_about(
    facts: Facts, given_rules: Tables, allows: Tables, mode: Mode
) -> None:
    before = decide(facts, Policy(mode, rules_from(given_rules)))
    after = decide(facts, Policy(mode, rules_from(given_rules + allows)))
    if before.rule is not None and before.outcome is not Outcome.ALLOW:
        assert after == before
    assert STRICTNESS[after.outcome] <= STRICTNESS[before.outcome]


@given(facts=calls(), given_rules=tables, more=st.lists(rule_tables(("ask", "deny")), max_size=4), mode=modes)
@settings(max_examples=300, deadline=None)
def test_no_deny_or_ask_rule_loosens_anything(facts: Facts, given_rules: Tables, more: Tables, mode: Mode) -> None:
    before = Policy(mode, rules_from(given_rules))
    assert strictness(facts, Policy(mode, rules_from(given_rules + more))) >= strictness(facts, before)


@given(facts=calls(), given_rules=tables, mode=modes, choice=st.integers(0, 4))
@settings(max_examples=400, deadline=None)
def test_a_chosen_grant_lets_the_same_call_through(facts: Facts, given_rules: Tables, mode: Mode, choice: int) -> None:
    policy = with_grants(facts, Policy(mode, rules_from(given_rules)), choice)
    assert decide(facts, policy).outcome is Outcome.ALLOW or not policy.grants


@given(facts=calls(), other=calls(), given_rules=tables, mode=modes, later=modes, choice=st.integers(0, 4))
@settings(max_examples=400, deadline=None)
def test_a_grant_lifts_no_deny_and_no_ask_but_those_it_was_offered_for(
    facts: Facts, other: Facts, given_rules: Tables, mode: Mode, later: Mode, choice: int
) -> None:
    policy = with_grants(facts, Policy(mode, rules_from(given_rules)), choice)
    policy = replace(policy, mode=later)
    before, after = decide(other, replace(policy, grants=())), decide(other, policy)
    if before.outcome is not Outcome.ASK or before.needs_person or other.tool != facts.tool:
        assert after == before
    rule = next((rule for rule in policy.rules if rule.ref == before.rule), None)
    if rule is not None and not any(rule.id in grant.option.answers for grant in policy.grants):
        assert after == before
    if facts.approval == other.approval == "always":
        assert after.outcome is before.outcome


@given(facts=calls(), given_rules=tables, more=rule_tables(("ask", "deny")), mode=modes, choice=st.integers(0, 4))
@settings(max_examples=300, deadline=None)
def test_a_rule_that_comes_later_is_not_answered_by_an_earlier_grant(
    facts: Facts, given_rules: Tables, more: dict[str, object], mode: Mode, choice: int
) -> None:
    policy = with_grants(facts, Policy(mode, rules_from(given_rules)), choice)
    later = rules_from([*given_rules, {**more, "reason": "a new one"}])
    with_rule = decide(facts, replace(policy, rules=later))
    alone = decide(facts, Policy(Mode.BYPASS, later[-1:]))
    if alone.rule == replace(later[-1].ref, line=1) and not later[-1].modes:
        assert with_rule.outcome is not Outcome.ALLOW


@given(text=st.text("[]rule=\"'\n denyalowtsk{}.#", max_size=60), scope=st.sampled_from(list(RuleScope)))
@settings(max_examples=200, deadline=None)
def test_no_text_keeps_the_rules_of_a_file_from_being_read(text: str, scope: RuleScope) -> None:
    found = load_policy_leniently(text, "p", scope)
    assert all(problem.startswith("p:") for problem in found.problems)
    assert not any(rule.outcome is Outcome.ALLOW for rule in found.rules) or not found.problems

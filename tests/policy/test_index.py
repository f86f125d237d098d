from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_facts import call, part, path, shell, unknown
from made_rules import calls, modes, rule_tables

from handrail.policy import Facts, Mode, Policy, Rule, decide, rules_from
from handrail.policy.index import RuleIndex


class EveryRule(RuleIndex):
    """Tries all rules, always."""

    def that_may_cover(self, facts: Facts) -> list[Rule]:
        return list(self.rules)

    def that_hold(self, facts: Facts) -> list[Rule]:
        return list(self.rules)

    def that_may_hold(self, facts: Facts) -> Iterator[Rule]:
        return iter(self.rules)


def without_index(policy: Policy) -> Policy:
    same = replace(policy)
    for name in ("denies", "asks", "allows"):
        object.__setattr__(same, name, EveryRule(getattr(policy, name).rules))
    return same


@given(facts=calls(), tables=st.lists(rule_tables(), max_size=12), mode=modes, sandbox=st.booleans())
@settings(max_examples=600, deadline=None)
def test_the_index_changes_no_decision(
    facts: Facts, tables: list[dict[str, object]], mode: Mode, sandbox: bool
) -> None:
    policy = Policy(mode, rules_from(tables), sandbox_holds=sandbox)
    assert decide(facts, policy) == decide(facts, without_index(policy))


SHUFFLED = st.lists(rule_tables(), max_size=6).flatmap(
    lambda tables: st.tuples(st.just(tables), st.permutations(tables))
)


@given(facts=calls(), orders=SHUFFLED, mode=modes)
@settings(max_examples=200, deadline=None)
def test_the_order_of_rules_changes_no_outcome(
    facts: Facts, orders: tuple[list[dict[str, object]], list[dict[str, object]]], mode: Mode
) -> None:
    one, other = (decide(facts, Policy(mode, rules_from(tables))) for tables in orders)
    assert one.outcome == other.outcome


def many(count: int) -> list[dict[str, object]]:
    """Rules of which none holds for what is asked below: literal, globs, regular expressions."""
    tables: list[dict[str, object]] = []
    for number in range(count):
        match number % 20:
            case 0:
                tables.append({"args": {"query": {"regex": f"^drop table t{number}( |$)"}}})
            case 1:
                tables.append({"tool": f"mcp_server{number}_*"})
            case 2:
                tables.append({"path": f"dir{number}/**/*.py"})
            case 3:
                tables.append({"command": f"npm run test:{number}*"})
            case 4 | 5 | 6 | 7:
                tables.append({"path": f"dir{number}/file.txt"})
            case 8 | 9 | 10:
                tables.append({"tool": f"tool_{number}"})
            case 11 | 12:
                tables.append({"host": f"host{number}.example.org"})
            case _:
                tables.append({"command": f"git push origin b{number}"})
    decisions = ("allow", "ask", "deny")
    return [{"decision": decisions[position % 3], **table} for position, table in enumerate(tables)]


@cache
def ten_thousand() -> tuple[Rule, ...]:
    """Made where they are tried: every process that collects tests would spend seconds on them."""
    return tuple(rules_from(many(10_000)))


ASKED = [
    ("a command", shell(part("git push origin main"), part("npm run test:x"))),
    ("a file", call("read_file", path("src/app.py"))),
    ("a host", call("fetch", hosts=("example.org",))),
    ("a server's tool", unknown("mcp_server_x", arguments={"query": "select 1"})),
]


@pytest.mark.parametrize("facts", [facts for _, facts in ASKED], ids=[name for name, _ in ASKED])
def test_of_ten_thousand_rules_few_are_tried(facts: Facts) -> None:
    policy = Policy(rules=ten_thousand())
    for index in (policy.denies, policy.asks):
        assert len(list(index.that_may_hold(facts))) < 20
    assert len(policy.allows.that_may_cover(facts)) < 20
    assert decide(facts, policy) == decide(facts, Policy())


def test_a_rule_is_found_among_ten_thousand() -> None:
    policy = Policy(Mode.BYPASS, ten_thousand())
    found = unknown("x", arguments={"query": "drop table t40 now"})
    expected = {"allow": 0, "ask": 1, "deny": 2}
    for facts, number in ((found, 40), (shell(part("git push origin b13")), 13), (unknown("tool_8"), 8)):
        outcome = decide(facts, policy).outcome
        assert expected[outcome] == number % 3

from __future__ import annotations

from typing import Any

import pytest
from made_facts import call, part, path, shell, unknown

from handrail.contract.effects import Effects
from handrail.contract.tool import Kind
from handrail.policy import Caller, Facts, Mode, Policy, decide, rules_from


def outcome(facts: Facts, mode: str = "default", **rule: Any) -> str:
    return str(decide(facts, Policy(Mode(mode), rules_from([rule]))).outcome)


def holds(facts: Facts, **conditions: Any) -> tuple[str, str, str]:
    """What an allow rule makes of a call that is asked about, and a deny and an ask rule of one that is allowed."""
    return (
        outcome(facts, decision="allow", **conditions),
        outcome(facts, "bypass", decision="deny", **conditions),
        outcome(facts, "bypass", decision="ask", **conditions),
    )


YES, NO, MAYBE = ("allow", "deny", "ask"), ("ask", "allow", "allow"), ("ask", "ask", "ask")

SERVED = unknown("mcp_gh_list", server="gh", annotations=(("readOnlyHint", True), ("destructiveHint", False)))
FETCH = call("fetch", hosts=("api.example.org",))
BY_KID = unknown(caller=Caller("kid"))
ALONE = unknown(caller=Caller(interactive=False))

CASES: list[tuple[str, Facts, dict[str, Any], tuple[str, str, str]]] = [
    ("a kind", unknown(kind=Kind.FETCH), {"kind": "fetch"}, YES),
    ("one of several kinds", unknown(kind=Kind.FETCH), {"kind": ["read", "fetch"]}, YES),
    ("another kind", unknown(kind=Kind.FETCH), {"kind": "read"}, NO),
    ("a server", SERVED, {"server": "gh"}, YES),
    ("a server by a glob", SERVED, {"server": "g*"}, YES),
    ("another server", SERVED, {"server": "gitlab"}, NO),
    ("any server, and a tool that comes from none", unknown(), {"server": "*"}, NO),
    ("a subagent", BY_KID, {"subagent": "kid", "tool": "*"}, YES),
    ("a subagent by a glob", BY_KID, {"subagent": "k*"}, YES),
    ("another subagent", BY_KID, {"subagent": "other"}, NO),
    ("any subagent, and the main agent", unknown(), {"subagent": "*"}, NO),
    ("a hint", SERVED, {"annotations": {"readOnlyHint": True}}, YES),
    ("two hints", SERVED, {"annotations": {"readOnlyHint": True, "destructiveHint": False}}, YES),
    ("a hint that says otherwise", SERVED, {"annotations": {"destructiveHint": True}}, NO),
    ("one hint of two", SERVED, {"annotations": {"readOnlyHint": True, "destructiveHint": True}}, NO),
    ("a hint that is not given", SERVED, {"annotations": {"openWorldHint": False}}, NO),
    ("somebody is there", unknown(), {"tool": "*", "interactive": True}, YES),
    ("nobody is there", unknown(), {"tool": "*", "interactive": False}, NO),
    ("nobody is there, and so it is", ALONE, {"tool": "*", "interactive": False}, YES),
    ("a host", FETCH, {"host": "api.example.org"}, YES),
    ("a host in other letters, with its dot", FETCH, {"host": "API.Example.ORG."}, YES),
    ("a host of a list", FETCH, {"host": ["x.org", "api.example.org"]}, YES),
    ("all below a suffix", FETCH, {"host": "*.example.org"}, YES),
    ("all below a wider suffix", FETCH, {"host": "*.org"}, YES),
    ("the bare suffix is not below itself", call(hosts=("example.org",)), {"host": "*.example.org"}, NO),
    ("an ending that is no suffix", call(hosts=("badexample.org",)), {"host": "*.example.org"}, NO),
    ("a host within another", call(hosts=("example.org.evil.com",)), {"host": "example.org"}, NO),
    ("any host", FETCH, {"host": "*"}, YES),
    ("the open world, and a host", call(hosts=("*",)), {"host": "example.org"}, MAYBE),
    ("the open world, and all below one", call(hosts=("*",)), {"host": "*.example.org"}, MAYBE),
    ("the open world, and any host", call(hosts=("*",)), {"host": "*"}, YES),
    ("a host in a URL", call(hosts=("https://user@Example.org:443/x?y=@z",)), {"host": "example.org"}, YES),
    ("a host written with a port", call(hosts=("example.org:8080",)), {"host": "example.org"}, YES),
    ("punycode as it is given", call(hosts=("xn--bcher-kva.example",)), {"host": "xn--bcher-kva.example"}, YES),
    ("an address", call(hosts=("[::1]:80",)), {"host": "::1"}, YES),
    ("a rule on hosts, and a call that reaches none", call("write", path("a", "write")), {"host": "*"}, NO),
    ("no host that could be seen", call(hosts=("",)), {"host": "example.org"}, MAYBE),
    ("an effect", FETCH, {"effect": "connect"}, YES),
    ("an effect of a tool that declares none", unknown(), {"effect": "unknown"}, YES),
    ("another effect of one that may have any", unknown(), {"effect": "connect"}, MAYBE),
    ("an effect that is not there", FETCH, {"effect": ["read", "secret"]}, NO),
    ("a secret", call("cat", path(".env")), {"effect": ["read", "secret"]}, YES),
    ("outside", call("cat", path("~/x")), {"effect": ["read", "outside"]}, YES),
    ("a write", call("put", path("a", "write")), {"effect": "write"}, YES),
    ("a command", shell(part("make")), {"effect": ["run", "unknown"]}, YES),
    ("destructive", call(effects=Effects(destructive=True)), {"effect": "destructive"}, YES),
]  # fmt: skip


@pytest.mark.parametrize(("facts", "conditions", "made"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_condition_holds_for_the_calls_that_it_speaks_of(
    facts: Facts, conditions: dict[str, Any], made: tuple[str, str, str]
) -> None:
    assert holds(facts, **conditions) == made


def test_an_allow_on_effects_covers_calls_all_of_whose_effects_it_names() -> None:
    both = call("copy", path("~/x"), path("y", "write"))
    assert outcome(both, decision="allow", effect=["read", "write", "outside"]) == "allow"
    assert outcome(both, decision="allow", effect=["read", "outside"]) == "ask"
    assert outcome(both, "bypass", decision="deny", effect="write") == "deny"


def test_an_allow_on_effects_says_nothing_of_calls_without_any() -> None:
    asking = call("noop", approval="ask")
    assert outcome(asking, decision="allow", effect=["read", "write"]) == "ask"
    assert outcome(asking, decision="allow", tool="noop") == "allow"


ARGUMENTS = {
    "path": "src/app.py",
    "count": 3,
    "deep": True,
    "nothing": None,
    "tags": ["a", "b"],
    "options": {"mode": "fast", "levels": [{"n": 1}, {"n": 2}]},
    "a.b": "dotted",
    "empty": [],
    "text": "SELECT 1",
}

ARGS = [
    ("a glob", {"path": "src/*"}, YES),
    ("a text", {"path": "src/app.py"}, YES),
    ("a glob that fits the beginning alone", {"path": "src"}, NO),
    ("one of several globs", {"path": ["x", "src/*"]}, YES),
    ("several parameters", {"path": "src/*", "deep": {"equals": True}}, YES),
    ("one parameter of two", {"path": "src/*", "deep": {"equals": False}}, NO),
    ("a parameter that is left out", {"other": "*"}, NO),
    ("a number by its JSON", {"count": "3"}, YES),
    ("an equal number", {"count": {"equals": 3}}, YES),
    ("an equal number, written otherwise", {"count": {"equals": 3.0}}, YES),
    ("a number is no text", {"count": {"equals": "3"}}, NO),
    ("true is no number", {"deep": {"equals": 1}}, NO),
    ("true by its JSON", {"deep": "true"}, YES),
    ("null by its JSON", {"nothing": "null"}, YES),
    ("a regex is found anywhere", {"path": {"regex": "app"}}, YES),
    ("a regex that is tied", {"path": {"regex": "^app"}}, NO),
    ("a regex with an end", {"text": {"regex": "^SELECT [0-9]+$"}}, YES),
    ("a parameter within another", {"options.mode": "f*"}, YES),
    ("a parameter with a dot in its name", {"a.b": "dotted"}, YES),
    ("a parameter within the elements of a list", {"options.levels.n": {"regex": "[12]"}}, YES),
    ("an object by its JSON", {"options": '*"mode":"fast"*'}, YES),
    ("an empty list", {"empty": "*"}, NO),
    ("every element of a list", {"tags": ["a", "b"]}, YES),
    ("one element of a list", {"tags": "a"}, ("ask", "deny", "ask")),
    ("no element of a list", {"tags": "c"}, NO),
]  # fmt: skip


@pytest.mark.parametrize(("args", "made"), [case[1:] for case in ARGS], ids=[case[0] for case in ARGS])
def test_a_condition_on_arguments_reads_the_values_of_the_call(
    args: dict[str, Any], made: tuple[str, str, str]
) -> None:
    assert holds(unknown(arguments=ARGUMENTS), args=args) == made


def test_arguments_that_nobody_looked_at_may_hold_anything() -> None:
    assert holds(unknown(arguments=None), args={"path": "*"}) == MAYBE


def test_a_regex_takes_linear_time() -> None:
    facts = unknown(arguments={"x": "a" * 100_000 + "!"})
    assert outcome(facts, decision="allow", args={"x": {"regex": "^(a+)+$"}}) == "ask"
    assert outcome(facts, decision="allow", args={"x": "*a*a*a*a*a*a*a*!"}) == "allow"


def test_different_rules_may_allow_the_paths_and_hosts_of_one_call() -> None:
    facts = call("copy", path("~/in"), path("~/out", "write"), hosts=("example.org",))
    rules: list[dict[str, object]] = [
        {"decision": "allow", "path": "~/in"},
        {"decision": "allow", "path": "~/out"},
        {"decision": "allow", "host": "example.org"},
    ]
    assert decide(facts, Policy(rules=rules_from(rules))).outcome == "allow"
    for position in range(3):
        fewer = rules[:position] + rules[position + 1 :]
        assert decide(facts, Policy(rules=rules_from(fewer))).outcome == "ask"


def test_a_rule_with_path_and_host_needs_both_in_one_call() -> None:
    both = {"path": "~/in", "host": "example.org"}
    assert outcome(call("send", path("~/in"), hosts=("example.org",)), decision="allow", **both) == "allow"
    assert outcome(call("send", path("~/in"), hosts=("other.org",)), decision="allow", **both) == "ask"
    assert outcome(call("send", path("~/in")), decision="allow", **both) == "ask"
    assert outcome(call("send", path("~/in"), hosts=("example.org",)), "bypass", decision="deny", **both) == "deny"
    assert outcome(call("send", path("~/in")), "bypass", decision="deny", **both) == "allow"


def test_conditions_of_one_rule_must_all_hold() -> None:
    rule = {"decision": "allow", "server": "gh", "kind": "other", "args": {"repo": "me/*"}, "interactive": True}
    there = unknown("mcp_gh_list", server="gh", arguments={"repo": "me/x"})
    assert outcome(there, **rule) == "allow"
    assert outcome(unknown("mcp_gh_list", server="gh", arguments={"repo": "you/x"}), **rule) == "ask"
    assert outcome(unknown("mcp_gh_list", server="gl", arguments={"repo": "me/x"}), **rule) == "ask"

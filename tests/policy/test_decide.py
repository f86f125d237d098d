from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from policy_world import NoopTool, ShellTool, UnknownTool, World, WriteTool

from corpus_files import corpus
from handrail.contract.decision import Outcome
from handrail.contract.tool import Opinion
from handrail.policy import Facts, Mode, Policy, decide, may_preview, rules_from
from handrail.policy.modes import STRICTNESS


def with_approval(tool: type[Any], answer: object) -> Any:
    return type(tool.__name__, (tool,), {"needs_approval": answer})()


def with_opinion(tool: type[Any], outcome: Literal["ask", "deny"]) -> Any:
    return type(tool.__name__, (tool,), {"opinion": lambda self, params: Opinion(outcome, "it looks odd")})()


ALLOW: list[dict[str, object]] = [{"decision": "allow", "tool": "*"}]


NEEDS = [
    # needs_approval, mode, rules, outcome, source
    (True, "default", [], "ask", "tool"),
    (True, "bypass", [], "ask", "tool"),
    (True, "default", ALLOW, "allow", "rule:session:1"),
    (False, "default", [], "allow", "mode:default"),
    (None, "default", [], "allow", "mode:default"),
    ("once", "default", [], "ask", "tool"),
    ("once", "default", ALLOW, "allow", "rule:session:1"),
    ("always", "default", [], "ask", "tool"),
    ("always", "bypass", ALLOW, "ask", "tool"),
    ("always", "default", [{"decision": "allow", "tool": "no*"}], "ask", "tool"),
    ("always", "default", [{"decision": "allow", "tool": "noop"}], "allow", "rule:session:1"),
    ("always", "default", [{"decision": "allow", "tool": ["x*", "noop"]}], "allow", "rule:session:1"),
    ("always", "default", [{"decision": "deny", "tool": "noop"}], "deny", "rule:session:1"),
    ("never", "default", [{"decision": "ask", "tool": "noop"}], "ask", "rule:session:1"),
]


@pytest.mark.parametrize(("needs", "mode", "rules", "outcome", "source"), NEEDS, ids=str)
def test_what_a_tool_says_of_its_approval_counts_in_its_place(
    world: World, needs: object, mode: str, rules: list[dict[str, object]], outcome: str, source: str
) -> None:
    decision = world.decide(with_approval(NoopTool, needs), mode, rules)
    assert (decision.outcome, str(decision.source)) == (outcome, source)


def test_never_silences_the_ask_of_a_mode_and_not_its_deny(world: World) -> None:
    tool = with_approval(UnknownTool, "never")
    assert (world.decide(tool).outcome, str(world.decide(tool).source)) == ("allow", "tool")
    assert world.decide(tool, "plan").outcome == "deny"
    protected = with_approval(WriteTool, "never")
    assert world.decide(protected, file_path=".git/config").outcome == "ask"


@pytest.mark.parametrize("mode", [str(mode) for mode in Mode])
def test_an_opinion_tightens_in_every_mode_and_no_allow_rule_lifts_it(world: World, mode: str) -> None:
    rules: list[dict[str, object]] = [{"decision": "allow", "tool": "*", "mode": mode}]
    outcomes: tuple[Literal["ask", "deny"], ...] = ("ask", "deny")
    for outcome in outcomes:
        decision = world.decide(with_opinion(NoopTool, outcome), mode, rules)
        assert (decision.outcome, str(decision.source)) == (outcome, "tool")
        assert "it looks odd" in decision.reason


ORDER = [
    # A call that several steps would answer: the first does.
    ("rm -rf /", [{"decision": "deny", "command": "rm *"}], "check:removal"),
    ("echo x > .git/config", [{"decision": "deny", "command": "echo *"}], "rule:session:1"),
    ("echo x > .git/config", [{"decision": "ask", "command": "echo *"}], "check:protected-path"),
    ("make", [{"decision": "ask", "command": "make"}, {"decision": "allow", "command": "make"}], "rule:session:1"),
    ("make", [{"decision": "allow", "command": "make"}], "rule:session:1"),
    ("make", [], "mode:default"),
]


@pytest.mark.parametrize(("command", "rules", "source"), ORDER, ids=str)
def test_the_first_step_that_answers_decides(
    world: World, command: str, rules: list[dict[str, object]], source: str
) -> None:
    assert str(world.shell(command, rules=rules).source) == source


def test_what_may_be_read_unasked_may_be_previewed(world: World) -> None:
    def preview(path: str, mode: str = "default", *rules: dict[str, object]) -> bool:
        return may_preview(world.facts("write_file", file_path=path), Policy(Mode(mode), rules_from(rules)))

    assert preview("a.txt")
    assert preview("a.txt", "plan")
    assert preview(".git/config")
    assert not preview(".env")
    assert not preview(str(world.outside / "b.txt"))
    assert not preview("a.txt", "default", {"decision": "deny", "path": "a.txt"})
    assert not preview(str(world.state / "x"), "bypass")
    assert not may_preview(world.facts("shell", command="ls"), Policy())
    assert not may_preview(world.facts("mystery"), Policy())


FRAGMENTS = st.sampled_from([
    "ls", "rm", "-rf", "/", "~", "x", "git", "push", "a.txt", ".env", "&&", "||", ";", "|", "&", "\n", "$(", ")", "`",
    "'", '"', "{", "}", "(", "<", ">", ">>", "<<EOF\n", "\nEOF\n", "2>&1", "/dev/null", "$X", "${X:-", "*", "?", "[",
    "]", "if", "then", "fi", "for", "do", "done", "case", "esac", "in", "function", "[[", "]]", "((", "))", "\\", "#",
    "!", "=", "A=1", "sudo", "bash", "-c", "eval", "find", "-exec", ";;", "\\;", "+", "{}", "xargs", "cd", "..",
    "handrail", "approvals", "\x00", "\r", "é", "\u202e", "{a,b}", "~root", "$'\\x41'", "<<<", "<(", ">(", "time",
])  # fmt: skip

RULES = st.lists(
    st.builds(
        dict,
        decision=st.sampled_from(["allow", "ask", "deny"]),
        command=st.sampled_from(["rm *", "git push *", "*", "ls", "x * y"]),
    )
    | st.builds(dict, decision=st.sampled_from(["allow", "ask", "deny"]), path=st.sampled_from(["**", "a.txt", "//**"]))
    | st.builds(dict, decision=st.sampled_from(["allow", "ask", "deny"]), tool=st.sampled_from(["*", "shell", "x"])),
    max_size=4,
)


@given(
    parts=st.lists(FRAGMENTS, max_size=25),
    joiner=st.sampled_from(["", " "]),
    rules=RULES,
    mode=st.sampled_from(list(Mode)),
)
@settings(max_examples=300, deadline=None)
def test_every_text_gets_a_decision_with_a_reason(
    world: World, parts: list[str], joiner: str, rules: list[dict[str, object]], mode: Mode
) -> None:
    decision = decide(world.facts("shell", command=joiner.join(parts)), Policy(mode, rules_from(rules)))
    assert decision.outcome in list(Outcome)
    assert decision.reason.endswith((".", "!", "?"))


@given(parts=st.lists(FRAGMENTS, max_size=12), rules=RULES, more=RULES, mode=st.sampled_from(list(Mode)))
@settings(max_examples=200, deadline=None)
def test_more_deny_and_ask_rules_never_loosen_a_decision(
    world: World, parts: list[str], rules: list[dict[str, object]], more: list[dict[str, object]], mode: Mode
) -> None:
    tighter = rules + [rule for rule in more if rule["decision"] != "allow"]
    facts = world.facts("shell", command=" ".join(parts))
    before = decide(facts, Policy(mode, rules_from(rules)))
    after = decide(facts, Policy(mode, rules_from(tighter)))
    assert STRICTNESS[after.outcome] >= STRICTNESS[before.outcome]


@given(parts=st.lists(FRAGMENTS, max_size=12), mode=st.sampled_from(list(Mode)))
@settings(max_examples=200, deadline=None)
def test_no_rule_loosens_what_a_check_denies(world: World, parts: list[str], mode: Mode) -> None:
    facts = world.facts("shell", command=" ".join(parts))
    before = decide(facts, Policy(mode))
    allow = {"decision": "allow", "tool": "*", "mode": [str(mode)]}
    after = decide(facts, Policy(mode, rules_from([allow])))
    if str(before.source).startswith("check:"):
        assert after == before


def commands() -> Iterator[str]:
    for record in corpus("agent_commands")[:500]:
        yield record["command"]


def test_commands_that_agents_ran_all_get_a_decision_and_those_allowed_write_nothing(world: World) -> None:
    allowed = 0
    for command in commands():
        facts = world.facts(ShellTool(), command=command)
        decision = decide(facts, Policy())
        if decision.outcome is Outcome.ALLOW:
            allowed += 1
            assert facts.shell is not None
            assert facts.shell.read_only
            assert not facts.effects.writes
            assert not {"rm", "mv", "cp", "touch", "mkdir", "chmod"} & {
                word.program for found in facts.shell.commands for word in found.words[:1]
            }
    assert allowed > 100


def test_facts_that_are_looked_up_again_compare_equal_until_something_changes(world: World) -> None:
    def look() -> Facts:
        return world.facts("read_file", file_path="changing")

    first = look()
    assert look() == first
    (world.root / "changing").symlink_to(world.outside / "b.txt")
    assert look() != first
    assert replace(first) == first

from __future__ import annotations

from typing import Any

import pytest
from made_facts import ROOT, call, part, path, shell

from handrail.contract.effects import Effects
from handrail.policy import Facts, Mode, Policy, decide, part_verdicts, rules_from
from handrail.policy.facts import ShellPart


def into(text: str, target: str, *, reads: bool = True, **more: Any) -> ShellPart:
    return part(text, reads=reads, redirected=(path(target, "write"),), **more)


def reading(text: str, *named: str) -> ShellPart:
    return part(text, reads=True, paths=tuple(path(each) for each in named))


def mentioning(text: str, named: str) -> ShellPart:
    return part(text, paths=(path(named, "mention"),))


def editing(text: str, named: str) -> ShellPart:
    return part(text, edits=True, paths=(path(named, "write"),))


def reaching(text: str, host: str) -> ShellPart:
    return part(text, connects=frozenset({host}))


def allows(*conditions: dict[str, object]) -> list[dict[str, object]]:
    return [{"decision": "allow", **each} for each in conditions]


READ_NOTES = reading("cat ~/notes/a", "~/notes/a")
MAKE, TEST, NOTES, OUT = {"command": "make *"}, {"command": "npm test"}, {"path": "~/notes/**"}, {"path": "out.txt"}

ALLOWED: list[tuple[str, Facts, list[dict[str, object]], str, str]] = [
    # what it is, the call, the allow rules, the mode, the outcome and its source
    ("each part by a rule of its own", shell(part("make x"), part("npm test")), [MAKE, TEST], "default", "allow 1"),
    (
        "the first part that needed a rule",
        shell(part("ls", reads=True), part("npm test")),
        [MAKE, TEST],
        "default",
        "allow 2",
    ),
    ("one part without a rule", shell(part("make x"), part("touch y")), [MAKE], "default", "ask"),
    ("a part that only reads needs none", shell(part("ls", reads=True), part("make x")), [MAKE], "default", "allow 1"),
    ("parts that only read need none at all", shell(part("ls", reads=True)), [MAKE], "default", "allow mode"),
    (
        "one opaque part",
        shell(part("make x"), part("python -c x", opaque="code")),
        [MAKE, {"command": "*"}],
        "default",
        "ask",
    ),
    ("an opaque whole", shell(part("make x"), opaque="it can't be parsed"), [MAKE, {"command": "*"}], "default", "ask"),
    (
        "an opaque part and a rule for the tool",
        shell(part("$X", opaque="code")),
        [{"tool": "shell"}],
        "default",
        "allow 1",
    ),
    ("an unknown word at the open end", shell(part("make $X")), [MAKE], "default", "allow 1"),
    ("a glob at the open end", shell(part("make *.c")), [MAKE], "default", "allow 1"),
    ("an unknown word before it", shell(part("make $X y")), [{"command": "make a *"}], "default", "ask"),
    ("an unknown word and a star in a word", shell(part("make $X")), [{"command": "make a*"}], "default", "ask"),
    ("an exact command", shell(part("npm test")), [TEST], "default", "allow 1"),
    ("an exact command with more words", shell(part("npm test x")), [TEST], "default", "ask"),
    ("a redirection is no word", shell(into("make x", "out.txt", reads=False)), [MAKE], "default", "ask"),
    (
        "a redirection with its own rule",
        shell(into("make x", "out.txt", reads=False)),
        [MAKE, OUT],
        "default",
        "allow 1",
    ),
    (
        "a redirection that the mode allows",
        shell(into("make x", "out.txt", reads=False)),
        [MAKE],
        "accept-edits",
        "allow 1",
    ),
    ("a redirection alone", shell(into("echo x", "out.txt")), [OUT], "default", "allow 1"),
    ("a redirection in accept-edits", shell(into("echo x", "out.txt")), [], "accept-edits", "allow mode"),
    ("a redirection in default mode", shell(into("echo x", "out.txt")), [], "default", "ask"),
    ("a redirection outside", shell(into("make x", "~/out", reads=False)), [MAKE, OUT], "accept-edits", "ask"),
    ("a redirection to another file", shell(into("make x", "other.txt", reads=False)), [MAKE, OUT], "default", "ask"),
    ("a path rule does not speak for a command", shell(mentioning("make x", "x")), [{"path": "**"}], "default", "ask"),
    ("a path rule speaks for what only reads", shell(READ_NOTES), [NOTES], "default", "allow 1"),
    (
        "beside paths that the mode allows",
        shell(reading("cat a ~/notes/a", "a", "~/notes/a")),
        [NOTES],
        "default",
        "allow 1",
    ),
    ("not beside others", shell(reading("cat ~/b ~/notes/a", "~/b", "~/notes/a")), [NOTES], "default", "ask"),
    ("a command rule speaks for its paths", shell(READ_NOTES), [{"command": "cat *"}], "default", "allow 1"),
    (
        "command and path in one rule",
        shell(mentioning("rm build/x", "build/x")),
        [{"command": "rm *", "path": "build/**"}],
        "default",
        "allow 1",
    ),
    (
        "command and another path",
        shell(mentioning("rm src/x", "src/x")),
        [{"command": "rm *", "path": "build/**"}],
        "default",
        "ask",
    ),
    ("command and path, and no path", shell(part("rm")), [{"command": "rm *", "path": "build/**"}], "default", "ask"),
    (
        "a link must lead into the path too",
        shell(part("cat in", reads=True, paths=(path("~/notes/in", resolved="/srv/x"),))),
        [NOTES],
        "default",
        "ask",
    ),
    (
        "hosts in the words",
        shell(reaching("curl https://x.org", "x.org")),
        [{"command": "curl *"}],
        "default",
        "allow 1",
    ),
    (
        "command and host in one rule",
        shell(reaching("curl https://x.org", "x.org")),
        [{"command": "curl *", "host": "x.org"}],
        "default",
        "allow 1",
    ),
    (
        "command and another host",
        shell(reaching("curl https://y.org", "y.org")),
        [{"command": "curl *", "host": "x.org"}],
        "default",
        "ask",
    ),
    (
        "a host alone is no command",
        shell(reaching("curl https://x.org", "x.org")),
        [{"host": "x.org"}],
        "default",
        "ask",
    ),
    ("a rule of another mode", shell(part("make x")), [{**MAKE, "mode": "accept-edits"}], "default", "ask"),
    (
        "the mode's deny, lifted for the part",
        shell(part("make x"), part("ls", reads=True)),
        [{**MAKE, "mode": "plan"}],
        "plan",
        "allow 1",
    ),
    (
        "the mode's deny, lifted for one part of two",
        shell(part("make x"), part("npm test")),
        [{**MAKE, "mode": "plan"}, TEST],
        "plan",
        "deny",
    ),
    (
        "the mode's ask beside a lifted deny",
        shell(part("make x"), READ_NOTES),
        [{**MAKE, "mode": "plan"}],
        "plan",
        "ask",
    ),
    (
        "accept-edits by parts",
        shell(editing("mkdir a", "a"), editing("touch a/b", "a/b")),
        [],
        "accept-edits",
        "allow mode",
    ),
    ("accept-edits with a part outside", shell(editing("touch ~/b", "~/b")), [], "accept-edits", "ask"),
    (
        "accept-edits with a rule for the path outside",
        shell(editing("touch ~/b", "~/b")),
        [{"path": "~/b"}],
        "accept-edits",
        "allow 1",
    ),
]


@pytest.mark.parametrize(("facts", "rules", "mode", "made"), [c[1:] for c in ALLOWED], ids=[c[0] for c in ALLOWED])
def test_a_command_is_allowed_when_every_part_of_it_is(
    facts: Facts, rules: list[dict[str, object]], mode: str, made: str
) -> None:
    decision = decide(facts, Policy(Mode(mode), rules_from(allows(*rules))))
    source = {"allow mode": f"mode:{mode}"}.get(made, f"rule:session:{made[-1]}" if made[-1].isdigit() else "")
    assert decision.outcome == made.split()[0], decision.reason
    assert not source or str(decision.source) == source


@pytest.mark.parametrize("mode", [str(mode) for mode in Mode])
@pytest.mark.parametrize("decision", ["ask", "deny"])
def test_one_part_that_a_rule_reaches_settles_the_whole(mode: str, decision: str) -> None:
    facts = shell(part("ls", reads=True), part("git push x"), part("make"))
    rules = [{"decision": decision, "command": "git push *"}, *allows({"tool": "*"}, {"command": "*"})]
    made = decide(facts, Policy(Mode(mode), rules_from(rules)))
    assert (str(made.outcome), made.part) == ("deny" if mode == "plan" else decision, "git push x")


def test_an_opaque_part_that_a_rule_could_match_is_asked_about_though_the_tool_is_allowed() -> None:
    facts = shell(part("ls", reads=True), part("eval $X", opaque="what it runs is not known"))
    rules = rules_from([*allows({"tool": "shell"}), {"decision": "deny", "command": "git push *"}])
    decision = decide(facts, Policy(rules=rules))
    assert (decision.outcome, decision.needs_person) == ("ask", True)
    assert "what it runs is not known" in decision.reason


def test_each_part_has_a_verdict_of_its_own() -> None:
    facts = shell(
        part("ls", reads=True),
        into("echo x", "out.txt"),
        part("make x"),
        part("git push x"),
        part("eval $X", opaque="code"),
    )
    rules = rules_from([*allows(MAKE), {"decision": "deny", "command": "git push *"}])
    verdicts = part_verdicts(facts, Policy(rules=rules))
    assert [(each.part.text, str(each.decision.outcome), str(each.decision.source)) for each in verdicts] == [
        ("ls", "allow", "mode:default"),
        ("echo x", "ask", "mode:default"),
        ("make x", "allow", "rule:session:1"),
        ("git push x", "deny", "rule:session:2"),
        ("eval $X", "ask", "rule:session:2"),
    ]
    assert part_verdicts(call(), Policy()) == ()


def test_what_a_call_does_beside_its_command_is_judged_as_well() -> None:
    facts = shell(part("make"))
    beside = shell(part("make"), effects=Effects(connects=frozenset({"x.org"}), certainty="unknown"))
    rules = rules_from(allows({"command": "make"}))
    assert decide(facts, Policy(rules=rules)).outcome == "allow"
    assert decide(beside, Policy(rules=rules)).outcome == "ask"
    both = rules_from(allows({"command": "make"}, {"host": "x.org"}))
    assert decide(beside, Policy(rules=both)).outcome == "allow"


PLAN = f"{ROOT}/plan.md"

PLANS = [
    ("the plan file", call("put", path("plan.md", "write")), "allow"),
    ("another file", call("put", path("other.md", "write")), "deny"),
    ("a link to the plan file", call("put", path("link", "write", PLAN)), "deny"),
    ("the plan file, a link to elsewhere", call("put", path("plan.md", "write", f"{ROOT}/x")), "deny"),
    ("both", call("put", path("plan.md", "write"), path("x", "write")), "deny"),
    ("in a command", shell(into("echo x", "plan.md")), "allow"),
    ("in a command that does more", shell(into("make", "plan.md", reads=False)), "deny"),
]


@pytest.mark.parametrize(("facts", "outcome"), [case[1:] for case in PLANS], ids=[case[0] for case in PLANS])
def test_plan_mode_lets_the_plan_file_be_written_and_no_other(facts: Facts, outcome: str) -> None:
    assert decide(facts, Policy(Mode.PLAN, plan_file=PLAN)).outcome == outcome
    assert decide(facts, Policy(Mode.PLAN)).outcome == "deny"


def test_in_default_mode_the_plan_file_is_a_file_like_any() -> None:
    assert decide(call("put", path("plan.md", "write")), Policy(plan_file=PLAN)).outcome == "ask"


def test_a_rule_for_sandboxed_is_not_in_force_without_a_sandbox() -> None:
    rules = rules_from(allows({"tool": "shell", "mode": "sandboxed"}))
    assert decide(shell(part("make")), Policy(Mode.SANDBOXED, rules)).outcome == "ask"
    assert decide(shell(part("make")), Policy(Mode.SANDBOXED, rules, sandbox_holds=True)).outcome == "allow"

from __future__ import annotations

import pytest

from handrail.errors import RuleError
from handrail.policy import load_rules, rules_from

GOOD = '''\
# who may do what
[[rule]]
tool = "shell"
command = ["git push *", "git reset *"]
decision = "deny"
reason = """
[[rule]]
this is text, not a rule
"""

[[ rule ]]  # with blanks
path = [
    "src/**",
    "[[rule]]",
]
decision = "allow"
mode = ["default", "accept-edits"]

[["rule"]]
tool = '*'
decision = "ask"
'''


def test_rules_are_read_with_the_line_of_their_table() -> None:
    rules = load_rules(GOOD, "policy.toml")
    assert [(rule.ref.line, str(rule.outcome)) for rule in rules] == [(2, "deny"), (11, "allow"), (19, "ask")]
    assert rules[2].ref.source == "policy.toml"
    assert rules[2].ref.text == 'tool = "*", decision = "ask"'


def test_windows_line_ends_and_a_byte_order_mark_change_nothing() -> None:
    rules = load_rules("\ufeff" + GOOD.replace("\n", "\r\n"), "policy.toml")
    assert [rule.ref.line for rule in rules] == [2, 11, 19]


def test_a_file_without_rules_is_no_error() -> None:
    assert load_rules("", "policy.toml") == ()
    assert load_rules("# nothing yet\n", "policy.toml") == ()


def test_rules_in_one_array_are_placed_at_its_line() -> None:
    (rule,) = load_rules('\nrule = [{ tool = "x", decision = "deny" }]\n', "p")
    assert rule.ref.line == 2


def rule(text: str) -> str:
    return f"[[rule]]\ndecision = 'deny'\n{text}\n"


BAD = [
    ("not TOML", "[[rule]]\ntool = \n", "p:2: not valid TOML: Invalid value"),
    ("an open string", '[[rule]]\ntool = "x', "p:2: not valid TOML"),
    ("another table", "[[rules]]\ntool = 'x'\n", 'p:1: unknown key "rules"; did you mean rule?'),
    ("a key above the rules", "\nversion = 1\n", 'p:2: unknown key "version"'),
    ("one bracket", "[rule]\ntool = 'x'\ndecision = 'deny'\n", "p:1: write each rule as [[rule]], with two brackets"),
    ("a key misspelled", '[[rule]]\ntol = "x"\ndecision = "deny"\n', 'p:2: unknown key "tol"; did you mean tool?'),
    ("a key like none", '[[rule]]\nfoo = "x"\ntool = "x"\ndecision = "deny"\n', 'p:2: unknown key "foo"; known'),
    ("a key of no time", '[[rule]]\ntool = "x"\nweather = "h"\ndecision = "deny"\n', 'p:3: unknown key "weather"'),
    ("a host with a scheme", rule('host = "https://x.org"'), 'p:3: host "https://x.org" is no host'),
    ("a host with a port", rule('host = "x.org:80"'), "holds a port"),
    ("a host with a star within", rule('host = "api.*.org"'), "is no host"),
    ("an empty host", rule('host = ""'), 'p:3: host "" is empty'),
    ("a kind misspelled", rule('kind = "raed"'), 'p:3: kind "raed" is not a kind of tool; did you mean read?'),
    ("an effect misspelled", rule('effect = "wirte"'), 'effect "wirte" is not an effect; did you mean write?'),
    ("an empty server", rule('server = ""'), 'p:3: server "" is empty'),
    ("a subagent of another type", rule("subagent = true"), "p:3: subagent is true; give a text"),
    ("interactive as a text", rule('tool = "x"\ninteractive = "yes"'), 'p:4: interactive is "yes"; give true or false'),
    ("interactive alone", rule("interactive = true"), "says nothing of tool, path or command"),
    ("annotations as a text", rule('annotations = "x"'), "p:3: annotations is a table of names"),
    ("no annotations", rule("annotations = {}"), "p:3: annotations is a table of names"),
    ("an annotation as a text", rule('annotations = { a = "true" }'), 'p:3: annotations.a is "true"'),
    ("args as a text", rule('args = "x"'), "p:3: args is a table of parameters"),
    ("no args", rule("args = {}"), "p:3: args is a table of parameters"),
    ("an argument as a number", rule("args = { n = 3 }"), "p:3: args.n is 3; give a glob, { equals = 3 }"),
    ("an empty glob", rule('args = { n = "" }'), "p:3: args.n is empty"),
    ("a test misspelled", rule("args = { n = { equal = 3 } }"), 'args.n has "equal"; did you mean equals?'),
    ("two tests", rule('args = { n = { equals = 3, regex = "x" } }'), "p:3: args.n takes one of equals and regex"),
    ("no test", rule("args = { n = {} }"), "p:3: args.n takes one of equals and regex"),
    ("an empty regex", rule('args = { n = { regex = "" } }'), "p:3: args.n is empty, which fits every text"),
    ("a regex as a number", rule("args = { n = { regex = 1 } }"), "p:3: args.n has the regex 1; give a text"),
    ("a regex that is none", rule("args = { n = { regex = '(' } }"), "args.n is no regular expression"),
    ("a regex that looks around", rule("args = { n = { regex = '(?=a)b' } }"), "that takes linear time"),
    ("a regex that refers back", rule("args = { n = { regex = '(a)\\1' } }"), "that takes linear time"),
    ("a regex without end", rule(f"args = {{ n = {{ regex = '{'a' * 1_001}' }} }}"), "longer than 1,000 characters"),
    ("a regex that explodes", rule("args = { n = { regex = '((a{100}){100}){100}' } }"), "that takes linear time"),
    ("args in a table", "[[rule]]\ndecision = 'deny'\n[rule.args]\nn = 3\n", "p:3: args.n is 3"),
    ("grantable on a deny", rule('tool = "x"\ngrantable = true'), "p:4: grantable is for ask rules"),
    ("grantable as a text", '[[rule]]\ntool = "x"\ndecision = "ask"\ngrantable = "x"\n', 'p:4: grantable is "x"'),
    ("bypass forbidden by others", "forbid_bypass = true\n", "p:1: only the system's policy file may say"),
    ("effects of nothing", '[effects."x"]\n', "p:1: declares nothing"),
    ("effects misspelled", '[effects."x"]\nreds = ["."]\n', 'p:2: unknown key "reds"; did you mean reads?'),
    ("effects as a text", '[effects."x"]\nreads = "."\n', 'p:2: reads is "."; give a list of texts'),
    ("effects of no tool", '[effects.""]\nreads = ["."]\n', 'effects."" is empty'),
    ("effects on a host that is none", '[effects.x]\nconnects = ["http://x"]\n', 'p:2: connects "http://x" is no host'),
    ("no decision", '[[rule]]\ntool = "x"\n', "p:1: has no decision; give allow, ask or deny"),
    (
        "a decision misspelled",
        '[[rule]]\ntool = "x"\ndecision = "alow"\n',
        'p:3: unknown decision "alow"; did you mean allow?',
    ),
    ("a decision of another type", '[[rule]]\ntool = "x"\ndecision = true\n', "p:3: decision is true; give allow"),
    ("no condition", '[[rule]]\ndecision = "deny"\n', "p:1: says nothing of tool, path or command"),
    ("a mode alone", '[[rule]]\ndecision = "deny"\nmode = "plan"\n', "p:1: says nothing of tool, path or command"),
    ("an empty tool", '[[rule]]\ntool = ""\ndecision = "deny"\n', 'p:2: tool "" is empty'),
    ("an empty command", '[[rule]]\ncommand = " "\ndecision = "deny"\n', 'p:2: command " " is empty'),
    ("an empty path", '[[rule]]\npath = ""\ndecision = "deny"\n', 'p:2: path "" is empty'),
    ("an empty list", '[[rule]]\ntool = []\ndecision = "deny"\n', "p:2: tool is an empty list"),
    ("a number", '[[rule]]\ntool = 3\ndecision = "deny"\n', "p:2: tool is 3; give a text, or a list of texts"),
    ("a number in a list", '[[rule]]\ntool = ["x", 3]\ndecision = "deny"\n', "p:2: tool is 3; give a text"),
    ("a reason of another type", '[[rule]]\ntool = "x"\nreason = 1\ndecision = "deny"\n', "p:3: reason is 1"),
    (
        "a mode misspelled",
        '[[rule]]\ntool = "x"\nmode = "plann"\ndecision = "deny"\n',
        'p:3: mode "plann" is not a mode; did you mean plan?',
    ),
    ("a chain", '[[rule]]\ncommand = "a && b"\ndecision = "deny"\n', "one simple command at a time"),
    ("a path taken out", '[[rule]]\npath = "!x"\ndecision = "deny"\n', "p:2: path \"!x\" starts with '!'"),
    ("a path with dots", '[[rule]]\npath = "../x"\ndecision = "deny"\n', "holds '..'"),
    ("a path that looks absolute", '[[rule]]\npath = "/etc/passwd"\ndecision = "deny"\n', "write '//etc/passwd'"),
    ("too many stars", '[[rule]]\npath = "*a*a*a*a*a*a*a*a*b"\ndecision = "deny"\n', "holds more than 8 '*'"),
    ("an open bracket", '[[rule]]\npath = "[x"\ndecision = "deny"\n', 'p:2: path "[x" matches no path'),
    ("a path that is no pattern", '[[rule]]\npath = "[z-a]"\ndecision = "deny"\n', "is not a pattern for paths"),
    ("a rule that is no table", 'rule = ["x"]\n', "p:1: a rule is a table of keys and values"),
]  # fmt: skip


@pytest.mark.parametrize(("why", "text", "message"), BAD, ids=[why for why, *_ in BAD])
def test_a_bad_rule_is_an_error_that_says_where(why: str, text: str, message: str) -> None:
    with pytest.raises(RuleError) as raised:
        load_rules(text, "p")
    assert message in str(raised.value)
    assert all(line.startswith("p:") for line in str(raised.value).split("\n"))


def test_every_bad_rule_of_a_file_is_listed_at_once() -> None:
    text = (
        '[[rule]]\ntool = "x"\n\n[[rule]]\ntool = "y"\ndecision = "deny"\n\n[[rule]]\nmode = "never"\ndecision = "no"\n'
    )
    with pytest.raises(RuleError) as raised:
        load_rules(text, "p")
    assert [line.split(": ")[0] for line in str(raised.value).split("\n")] == ["p:1", "p:10", "p:9", "p:8"]


def test_rules_given_in_code_are_placed_by_number() -> None:
    rules = rules_from([{"tool": "x", "decision": "deny"}, {"path": ["a", "b"], "decision": "ask"}])
    assert [str(rule.ref.line) for rule in rules] == ["1", "2"]
    with pytest.raises(RuleError, match=r"^agent:1: has no decision"):
        rules_from([{"tool": "x"}], "agent")


def test_equal_rules_compare_equal_and_others_do_not() -> None:
    one, same, other = (rules_from([{"path": p, "decision": "deny"}]) for p in ("a/**", "a/**", "b/**"))
    assert one == same
    assert one != other

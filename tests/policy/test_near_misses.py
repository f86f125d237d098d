from __future__ import annotations

import pytest
from policy_world import World

from handrail.policy import rules_from
from handrail.policy.near_misses import narrow_rules, near_misses

FIND = 'session:1: command = "find" holds for `find` alone; to hold for it with any further words, write `find *`'

NARROW: list[tuple[dict[str, object], list[str]]] = [
    ({"decision": "deny", "command": "find"}, [FIND]),
    ({"decision": "ask", "command": "find"}, [FIND]),
    ({"decision": "allow", "command": "find"}, []),
    ({"decision": "deny", "command": "find *"}, []),
    ({"decision": "deny", "command": ["find", "find *"]}, []),
    ({"decision": "deny", "command": ["find", "find -delete"]}, []),
    ({"decision": "deny", "command": "find*"}, []),
    ({"decision": "deny", "command": "git push"}, []),
    ({"decision": "deny", "tool": "shell"}, []),
]


@pytest.mark.parametrize(("rule", "notes"), NARROW, ids=str)
def test_a_rule_that_names_a_program_and_nothing_behind_it_is_told_of(
    rule: dict[str, object], notes: list[str]
) -> None:
    assert list(narrow_rules(rules_from([rule]))) == notes


MISSED: list[tuple[str | list[str], str, int]] = [
    ("find", "find . -name x", 1),
    ("find", "ls | find . -name x", 1),
    ("find", "sudo find . -name x", 1),
    ("git push", "git push origin", 1),
    ("find", "find", 0),
    ("find", "ls", 0),
    ("find *", "find . -name x", 0),
    (["find", "find . *"], "find . -name x", 0),
    ("git push", "git pull origin", 0),
    ("find", "echo find x", 0),
]


@pytest.mark.parametrize(("command", "call", "count"), MISSED, ids=str)
@pytest.mark.parametrize("decision", ["allow", "ask", "deny"])
def test_an_explanation_names_the_rules_that_a_star_would_make_hold(
    world: World, decision: str, command: str | list[str], call: str, count: int
) -> None:
    rules = rules_from([{"decision": decision, "command": command}])
    assert len(list(near_misses(world.facts("shell", command=call), rules))) == count

from __future__ import annotations

import asyncio

import pytest
from policy_world import FetchTool, NoopTool, Nothing, ReadTool, ShellTool, UnknownTool, World

from handrail.contract.effects import Claims
from handrail.contract.tool import Tool
from handrail.policy import Caller, Facts, Policy, decide, load_policy
from handrail.runtime.judge import Judge


def declared(text: str) -> Policy:
    found = load_policy(text, "p")
    return Policy(rules=found.rules, declared=found.declared)


def facts(world: World, tool: Tool[object], policy: Policy, **arguments: object) -> Facts:
    verdict = asyncio.run(Judge(world.resolver, policy).judge(tool.bind(arguments)))
    return verdict.facts


class RaisingTool(UnknownTool):
    def effects(self, params: Nothing) -> Claims:
        raise OSError("no effects today")


def test_what_is_declared_for_a_tool_that_declares_nothing_counts_as_its_effects(world: World) -> None:
    policy = declared('[effects."myst*"]\nreads = ["src"]\nconnects = ["example.org"]\nkeys = ["browser"]\n')
    found = facts(world, UnknownTool(), policy)
    assert (found.effects.certainty, found.effects.connects) == ("bounded", {"example.org"})
    assert [(path.named, path.access, path.is_tree) for path in found.paths] == [
        (str(world.root / "src"), "read", True)
    ]
    assert found.effects.keys == {"browser"}


OUTCOMES = [
    ('reads = ["src"]', "allow"),
    ("reads = []", "allow"),
    ('writes = ["src"]', "ask"),
    ('connects = ["x.org"]', "ask"),
    ('reads = ["~/x"]', "ask"),
    ('reads = ["."]', "ask"),  # it holds a secret file
    ("destructive = true", "ask"),
]


@pytest.mark.parametrize(("text", "outcome"), OUTCOMES)
def test_a_declared_tool_is_decided_by_what_is_declared(world: World, text: str, outcome: str) -> None:
    policy = declared(f"[effects.mystery]\n{text}\n")
    assert decide(facts(world, UnknownTool(), policy), policy).outcome == outcome


def test_what_several_declarations_name_adds_up(world: World) -> None:
    policy = declared('[effects."*"]\nreads = ["src"]\n[effects.mystery]\nwrites = ["build"]\nidempotent = true\n')
    found = facts(world, UnknownTool(), policy)
    assert [path.access for path in found.paths] == ["read", "write"]
    assert not found.effects.idempotent


TOOLS: list[tuple[Tool[object], dict[str, object]]] = [
    (FetchTool(), {}),
    (NoopTool(), {}),
    (ReadTool(), {"file_path": "a.txt"}),
    (ShellTool(), {"command": "make"}),
    (RaisingTool(), {}),
]


@pytest.mark.parametrize(("tool", "arguments"), TOOLS, ids=lambda each: getattr(each, "name", ""))
def test_nothing_is_declared_for_a_tool_that_speaks_for_itself_or_fails_to(
    world: World, tool: Tool[object], arguments: dict[str, object]
) -> None:
    policy = declared('[effects."*"]\nreads = ["src"]\n')
    without = facts(world, tool, Policy(), **arguments)
    assert facts(world, tool, policy, **arguments) == without


def test_arguments_are_looked_at_where_a_rule_or_a_person_needs_them(world: World) -> None:
    noop, unknown = NoopTool(), UnknownTool()
    assert facts(world, noop, Policy()).arguments is None
    by_rule = declared('[[rule]]\ndecision = "deny"\nargs = { x = "y" }\n')
    assert facts(world, noop, by_rule).arguments == {}
    asks = declared('[[rule]]\ndecision = "ask"\ntool = "noop"\n')
    assert facts(world, noop, asks).arguments == {}
    assert facts(world, unknown, Policy()).arguments == {}


def test_facts_know_who_calls_and_what_the_server_says(world: World) -> None:
    served = type("Served", (UnknownTool,), {"server": "gh", "annotations": {"readOnlyHint": True}})()
    found = facts(world, served, Policy())
    assert (found.server, found.annotations) == ("gh", (("readOnlyHint", True),))
    caller = Caller("kid", interactive=False)
    for tool, arguments in TOOLS:
        judged = asyncio.run(Judge(world.resolver, Policy()).judge(tool.bind(arguments), caller))
        assert judged.facts.caller == caller


def test_a_verdict_holds_while_facts_and_policy_are_the_same(world: World) -> None:
    policy = declared('[effects.mystery]\nreads = ["src"]\n')
    judge = Judge(world.resolver, policy)
    invocation = UnknownTool().bind({})

    async def holds() -> tuple[bool, bool]:
        verdict = await judge.judge(invocation, Caller("kid"))
        first = await judge.still_holds(verdict, invocation)
        judge.policy = Policy()
        return first, await judge.still_holds(verdict, invocation)

    assert asyncio.run(holds()) == (True, False)

"""Which tools no arguments could make allowed: the menu leaves them out. Hiding never replaces judging."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from handrail.contract.tool import Kind, Tool
from handrail.policy.declared import declared_claims
from handrail.policy.facts import MAIN_AGENT, Caller
from handrail.policy.modes import DENY, TABLE, Column
from handrail.policy.policy import Policy
from handrail.policy.rules import Rule

WRITING_KINDS = frozenset((Kind.EDIT, Kind.DELETE, Kind.MOVE))


def hidden_reason(
    tool: Tool[Any], policy: Policy, faces: tuple[str, ...] = (), caller: Caller = MAIN_AGENT
) -> str | None:
    """Why every call of this tool would be denied, as a clause; None when some call might not be.

    `faces` are the names that model families know it by; rules may use them too.
    """
    names = (tool.name, *tool.aliases, *tool.rule_names, *faces)
    policy = policy.within(caller.mode)
    if not caller.may_call(names):
        return f"the agent {caller.subagent} does not have it"
    rule = next((rule for rule in policy.denies.rules if _holds_for_every_call(rule, tool, names)), None)
    if rule is not None:
        return f"the rule at {rule.ref.source}:{rule.ref.line} denies it" + (f": {rule.reason}" if rule.reason else "")
    mode = policy.decides_as
    if any(
        (mode in rule.modes or policy.mode in rule.modes) and rule.names(names, tool.server)
        for rule in policy.allows.rules
    ):
        return None
    row = TABLE[mode]
    if DENY not in row.values() or declared_claims(policy.declared, names, tool.server) is not None:
        return None
    spared = Column.WRITE if policy.plan_file else None
    column = next((c for c in _certain_columns(tool) if row[c] is DENY and c is not spared), None)
    return f"{mode} mode denies it: it {column}" if column is not None else None


def _holds_for_every_call(rule: Rule, tool: Tool[Any], names: tuple[str, ...]) -> bool:
    """No arguments, no effects and no caller could make a call that the rule does not hold for."""
    when = rule.when
    escapable = when.arguments or when.effects or when.subagents or when.interactive is not None
    hints = tuple(tool.annotations.items())
    return rule.is_whole and not escapable and when.fit_tool(names, tool.kind, tool.server, hints)


def _certain_columns(tool: Tool[Any]) -> Iterator[Column]:
    """Columns under which every call falls, as far as the definition says so: by the parameters that it must get."""
    if type(tool).effects is not Tool.effects:
        if tool.kind in WRITING_KINDS:
            yield Column.WRITE
        return
    required = tool.parameters.schema.get("required")
    claims = tool.effects(dict.fromkeys(required, ".") if isinstance(required, list) else {})
    if claims.certainty == "unknown":
        yield Column.UNKNOWN
    if claims.writes:
        yield Column.WRITE

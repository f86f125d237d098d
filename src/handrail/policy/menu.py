"""Which tools no arguments could make allowed: the menu leaves them out. Hiding never replaces judging."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from handrail.contract.tool import Kind, Tool
from handrail.policy.modes import DENY, Column, row_in_force
from handrail.policy.rules import Policy

WRITING_KINDS = frozenset((Kind.EDIT, Kind.DELETE, Kind.MOVE))


def hidden_reason(tool: Tool[Any], policy: Policy, faces: tuple[str, ...] = ()) -> str | None:
    """Why every call of this tool would be denied, as a clause; None when some call might not be.

    `faces` are the names that model families know it by; rules may use them too.
    """
    names = (tool.name, *tool.aliases, *faces)
    rule = next((rule for rule in policy.denies if rule.is_whole and rule.names(names)), None)
    if rule is not None:
        return f"the rule at {rule.ref.source}:{rule.ref.line} denies it" + (f": {rule.reason}" if rule.reason else "")
    if any(policy.mode in rule.modes and rule.names(names) for rule in policy.allows):
        return None
    row = row_in_force(policy.mode, policy.sandbox_holds)
    if DENY not in row.values():
        return None
    column = next((column for column in _certain_columns(tool) if row[column] is DENY), None)
    return f"{policy.mode} mode denies it: it {column}" if column is not None else None


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

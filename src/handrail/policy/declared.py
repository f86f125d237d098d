"""Effects that a person declares for tools which declare none: `[effects."mcp_git_*"] reads = ["."]`. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from handrail.contract.decision import RuleRef
from handrail.contract.effects import Claims
from handrail.contract.values import value
from handrail.policy.patterns import ToolPattern


@value
class Declaration:
    """What calls of some tools may touch at most, by the word of whoever wrote it."""

    ref: RuleRef
    tools: ToolPattern
    claims: Claims


def declared_claims(declarations: Iterable[Declaration], names: tuple[str, ...], server: str = "") -> Claims | None:
    """What is declared for a tool: all that any declaration for it names, together; None where there is none."""
    found = [each.claims for each in declarations if each.tools.matches(names, server)]
    if not found:
        return None
    return Claims(
        reads=tuple(claim for claims in found for claim in claims.reads),
        writes=tuple(claim for claims in found for claim in claims.writes),
        connects=frozenset().union(*(claims.connects for claims in found)),
        keys=frozenset().union(*(claims.keys for claims in found)),
        destructive=any(claims.destructive for claims in found),
        idempotent=all(claims.idempotent for claims in found),
        certainty="bounded",
    )

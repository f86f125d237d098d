"""Looks up the facts about a call: canonical paths, the parts of a command, what the tool says of its approval.

All I/O that a decision needs happens here, in a worker thread: once before the decision, and once more
before execution.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from handrail.catalog.faces import faces_of
from handrail.contract.context import Workspace
from handrail.contract.effects import Claims, Effects, PathClaim
from handrail.contract.tool import ApprovalRule, Invocation, Opinion, Tool
from handrail.policy.checks import REMOVING_KINDS
from handrail.policy.facts import Access, Approval, Facts, PathFact
from handrail.runtime.guard import Returned, guarded, guarded_call
from handrail.runtime.shell_facts import shell_facts
from handrail.runtime.surveyor import Surveyor

APPROVAL_SECONDS = 5.0
"""How long a tool's `needs_approval` function may take; after that a person is asked."""


class Resolver:
    """Facts about calls in one workspace."""

    def __init__(self, workspace: Workspace, home: Path, state: Path | None) -> None:
        """`state` is Handrail's own folder, which calls may not touch."""
        self._workspace = workspace
        self._surveyor = Surveyor.of(workspace, home, state)
        self._of_nothing: dict[str, tuple[Tool[Any], Facts]] = {}
        """By a tool's name: the facts of its calls that touch nothing, which are all the same."""

    def facts_now(self, invocation: Invocation) -> Facts | None:
        """The facts of a call that names no paths and no command, without a thread; None where I/O is needed."""
        tool = invocation.tool
        if callable(tool.needs_approval):
            return None
        claims = _claims(invocation)
        if claims.reads or claims.writes or claims.shell is not None:
            return None
        if claims is not Claims.nothing() or type(tool).opinion is not Tool.opinion:
            return self._facts_of_no_path(invocation, claims)
        known = self._of_nothing.get(tool.name)
        if known is None or known[0] is not tool:
            known = self._of_nothing[tool.name] = (tool, self._facts_of_no_path(invocation, claims))
        return known[1]

    def _facts_of_no_path(self, invocation: Invocation, claims: Claims) -> Facts:
        tool, places, approval = invocation.tool, self._surveyor.places, _constant_approval(invocation.tool)
        return Facts(tool.name, names_of(tool), tool.kind, _effects(claims), places, approval, _opinion(invocation))

    async def facts(self, invocation: Invocation) -> Facts:
        """All facts of a call. Where the tool's own word fails, the strictest one stands in for it."""
        approval = await _approval(invocation)
        opinion = _opinion(invocation)
        return await asyncio.to_thread(self._look_up, invocation.tool, _claims(invocation), approval, opinion)

    def _look_up(self, tool: Tool[Any], claims: Claims, approval: Approval | None, opinion: Opinion | None) -> Facts:
        removes = tool.kind in REMOVING_KINDS
        reads = [self._path(claim, "read", removes) for claim in claims.reads]
        writes = [self._path(claim, "write", removes) for claim in claims.writes]
        paths, effects, shell = [*reads, *writes], _effects(claims, reads, writes), None
        if claims.shell is not None:
            shell, named, effects = shell_facts(claims.shell, self._surveyor, effects)
            paths += named
        return Facts(
            tool.name,
            names_of(tool),
            tool.kind,
            effects,
            self._surveyor.places,
            approval,
            opinion,
            tuple(dict.fromkeys(paths)),
            shell,
        )

    def _path(self, claim: PathClaim, access: Access, removes: bool) -> PathFact:
        named = self._workspace.absolute(claim.path)
        return self._surveyor.path(named, access, claim.scope, spares_secrets=claim.spares_secrets, whole_tree=removes)


def names_of(tool: Tool[Any]) -> tuple[str, ...]:
    """All names by which a rule may know the tool: its own, its aliases, its faces."""
    return (tool.name, *tool.aliases, *faces_of(tool.name))


def _claims(invocation: Invocation) -> Claims:
    outcome = guarded_call(invocation.claims)
    return outcome.value if isinstance(outcome, Returned) else Claims.unknown()


def _opinion(invocation: Invocation) -> Opinion | None:
    if type(invocation.tool).opinion is Tool.opinion:
        return None
    outcome = guarded_call(invocation.opinion)
    if isinstance(outcome, Returned):
        return outcome.value
    return Opinion("ask", f"its own judgement of the call failed ({outcome.message})")


def _effects(claims: Claims, reads: Iterable[PathFact] = (), writes: Iterable[PathFact] = ()) -> Effects:
    if claims is Claims.nothing():
        return Effects.none()
    return Effects(
        reads=frozenset(path.effect for path in reads),
        writes=frozenset(path.effect for path in writes),
        connects=claims.connects,
        keys=claims.keys,
        destructive=claims.destructive or claims.certainty == "unknown",
        idempotent=claims.idempotent,
        certainty=claims.certainty,
    )


def _constant_approval(tool: Tool[Any]) -> Approval | None:
    match tool.needs_approval:
        case True:
            return "ask"
        case "always" | "never" | "once" as word:
            return word
        case _:
            return None


async def _approval(invocation: Invocation) -> Approval | None:
    """False says nothing, so that the mode decides; whatever is not False is asked about."""
    rule = invocation.tool.needs_approval
    if not callable(rule):
        return _constant_approval(invocation.tool)
    outcome = await guarded(_answer(rule, invocation.params), APPROVAL_SECONDS)
    return None if isinstance(outcome, Returned) and outcome.value is False else "ask"


async def _answer(rule: ApprovalRule, params: object) -> object:
    """A function that doesn't wait runs in a thread, where it may take its time without stopping the loop."""
    answer = rule(params) if inspect.iscoroutinefunction(rule) else await asyncio.to_thread(rule, params)
    return await answer if inspect.isawaitable(answer) else answer

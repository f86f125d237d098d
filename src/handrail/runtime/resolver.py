"""Looks up the facts about a call: canonical paths, the parts of a command, what the tool says of its approval.

All I/O that a decision needs happens here, in a worker thread: once before the decision, and once more
before execution.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from handrail.catalog.faces import faces_of
from handrail.contract.basics import JsonObject
from handrail.contract.context import ShellState, Workspace
from handrail.contract.effects import Claims, Effects, PathClaim
from handrail.contract.tool import ApprovalRule, Invocation, Opinion, Tool
from handrail.policy.checks import REMOVING_KINDS
from handrail.policy.declared import Declaration, declared_claims
from handrail.policy.facts import MAIN_AGENT, Access, Approval, Caller, Facts, PathFact
from handrail.policy.places import Places, normal
from handrail.policy.server_names import names_from
from handrail.runtime.guard import Returned, guarded, guarded_call
from handrail.runtime.shell_facts import shell_facts
from handrail.runtime.spilling import READERS
from handrail.runtime.surveyor import Surveyor, Use

APPROVAL_SECONDS = 5.0
"""How long a tool's `needs_approval` function may take; after that a person is asked."""


class Resolver:
    """Facts about calls in one workspace."""

    def __init__(
        self,
        workspace: Workspace,
        home: Path,
        state: Path | None,
        results: Path | None = None,
        settings: Iterable[Path] = (),
        shell: ShellState | None = None,
    ) -> None:
        """`state` is Handrail's own folder, which calls may not touch; but some tools read the `results` in it.

        Writes to `settings`, files and folders, are asked about every time. Shell commands start where `shell`
        stands; None: in the workspace's root.
        """
        self._workspace = workspace
        self._shell = shell
        self._surveyor = Surveyor.of(workspace, home, state, results, settings)
        self._of_last: dict[str, tuple[Tool[Any], Caller, Claims, Facts]] = {}
        """By a tool's name: the facts of its last call that named no path. Those of the next are mostly the same."""

    @property
    def places(self) -> Places:
        return self._surveyor.places

    def let_read(self, folder: Path) -> None:
        """From here on reading in this folder is free, secret files aside; writing there is what it was."""
        self._surveyor = self._surveyor.letting_read(folder)

    def facts_now(
        self, invocation: Invocation, caller: Caller = MAIN_AGENT, declared: Sequence[Declaration] = ()
    ) -> Facts | None:
        """The facts of a call that names no paths and no command, without a thread; None where I/O is needed.

        They lack the arguments, unless the tool says something of each call.
        """
        tool = invocation.tool
        if callable(tool.needs_approval):
            return None
        claims = _claims(invocation, declared)
        if claims.reads or claims.writes or claims.shell is not None:
            return None
        if _says_of_calls(tool):
            return self._facts_of_no_path(invocation, claims, caller, invocation.arguments)
        known = self._of_last.get(tool.name)
        if known is None or known[0] is not tool or known[1] is not caller or known[2] != claims:
            known = (tool, caller, claims, self._facts_of_no_path(invocation, claims, caller, None))
            self._of_last[tool.name] = known
        return known[3]

    def _facts_of_no_path(
        self, invocation: Invocation, claims: Claims, caller: Caller, arguments: JsonObject | None
    ) -> Facts:
        tool, approval = invocation.tool, _constant_approval(invocation.tool)
        facts = _at_its_server(_bare(tool, _effects(claims), self._surveyor.places), invocation)
        return replace(facts, approval=approval, opinion=_opinion(invocation), caller=caller, arguments=arguments)

    async def facts(
        self, invocation: Invocation, caller: Caller = MAIN_AGENT, declared: Sequence[Declaration] = ()
    ) -> Facts:
        """All facts of a call. Where the tool's own word fails, the strictest one stands in for it.

        `declared` are effects that stand in where the tool declares none.
        """
        approval = await _approval(invocation)
        facts = await asyncio.to_thread(self._look_up, invocation.tool, _claims(invocation, declared))
        opinion = _opinion(invocation)
        facts = _at_its_server(facts, invocation)
        return replace(facts, approval=approval, opinion=opinion, caller=caller, arguments=invocation.arguments)

    def _look_up(self, tool: Tool[Any], claims: Claims) -> Facts:
        removes = tool.kind in REMOVING_KINDS
        reads = [self._path(tool, claim, "read", removes) for claim in claims.reads]
        writes = [self._path(tool, claim, "write", removes) for claim in claims.writes]
        paths, effects, shell = [*reads, *writes], _effects(claims, reads, writes), None
        if claims.shell is not None:
            folder = self._surveyor.root if self._shell is None else normal(str(self._shell.folder))
            shell, named, effects = shell_facts(claims.shell, claims.dialect, folder, self._surveyor, effects)
            paths += named
        return replace(_bare(tool, effects, self._surveyor.places), paths=tuple(dict.fromkeys(paths)), shell=shell)

    def _path(self, tool: Tool[Any], claim: PathClaim, access: Access, removes: bool) -> PathFact:
        use = Use(access, claim.scope, claim.spares_secrets, whole_tree=removes, own_results=tool.name in READERS)
        return self._surveyor.path(self._workspace.absolute(claim.path), use)


def names_of(tool: Tool[Any]) -> tuple[str, ...]:
    """All names by which a rule may know the tool: its own, its aliases, its faces, and those for rules alone."""
    return (tool.name, *tool.aliases, *faces_of(tool.name), *tool.rule_names)


def _bare(tool: Tool[Any], effects: Effects, places: Places) -> Facts:
    """What the tool's definition says, and the effects."""
    hints = tuple(tool.annotations.items())
    return Facts(
        tool.name,
        names_of(tool),
        tool.kind,
        effects,
        places,
        server=tool.server,
        definitions=tool.definitions,
        annotations=hints,
    )


def _says_of_calls(tool: Tool[Any]) -> bool:
    """Whether it says something of each call that is not the same for all."""
    return type(tool).opinion is not Tool.opinion or type(tool).server_of is not Tool.server_of


def _at_its_server(facts: Facts, invocation: Invocation) -> Facts:
    """A call that goes to another server than its tool comes from is known by that one's names too."""
    if type(invocation.tool).server_of is Tool.server_of:
        return facts
    said = guarded_call(invocation.server)
    server = said.value if isinstance(said, Returned) else ""
    if not server or server == facts.server:
        return facts
    names = dict.fromkeys((*facts.names, *names_from(invocation.tool.name, server)))
    return replace(facts, server=server, names=tuple(names))


def _claims(invocation: Invocation, declared: Sequence[Declaration]) -> Claims:
    """The tool's own word; where that is that it doesn't know, what somebody declared for it."""
    outcome = guarded_call(invocation.claims)
    claims: object = outcome.value if isinstance(outcome, Returned) else None
    if not isinstance(claims, Claims):  # a method that forgets to return says nothing either
        return Claims.unknown()
    if not declared or claims.certainty != "unknown":
        return claims
    return declared_claims(declared, names_of(invocation.tool), invocation.tool.server) or claims


def _opinion(invocation: Invocation) -> Opinion | None:
    if type(invocation.tool).opinion is Tool.opinion:
        return None
    outcome = guarded_call(invocation.opinion)
    if not isinstance(outcome, Returned):
        return Opinion("ask", f"its own judgement of the call failed ({outcome.message})")
    said: object = outcome.value
    if said is None or isinstance(said, Opinion):
        return said
    return Opinion("ask", f"its own judgement of the call is {type(said).__name__}, and no Opinion")


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

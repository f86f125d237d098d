"""From a request to a decision: find the tool, check the arguments, judge what the call could touch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

from handrail.contract.basics import Instant, JsonObject
from handrail.contract.calls import (
    Approved,
    AwaitingApproval,
    CallForm,
    CallRequest,
    Failed,
    FreeText,
    ObjectArguments,
    Pending,
    Rejected,
    UnusableArguments,
)
from handrail.contract.confirmation import Confirmation, ExecConfirmation, InfoConfirmation
from handrail.contract.context import Workspace
from handrail.contract.decision import Decision, Outcome
from handrail.contract.results import ErrorKind
from handrail.contract.tool import Invocation, Tool
from handrail.errors import UnknownTool
from handrail.policy import allows_server, may_preview
from handrail.runtime import wording
from handrail.runtime.approvals import Desk
from handrail.runtime.files import WorkspaceFiles
from handrail.runtime.guard import Ending, Raised, Returned, guarded, guarded_call
from handrail.runtime.hosted import names_begin
from handrail.runtime.judge import Judge, Verdict
from handrail.runtime.live import LiveCall
from handrail.runtime.order import Order

CHECK_SECONDS = 10.0
"""A tool's own check or preview that takes longer counts as failed."""

NO_PREVIEW = "There is no preview of this call."


ToolFinder: TypeAlias = Callable[[CallRequest, JsonObject], tuple[Tool[Any], JsonObject]]
"""Finds the tool that a request means, and its arguments in that tool's own words. Raises UnknownTool."""


class Intake:
    """What happens to a pending call."""

    def __init__(
        self,
        find: ToolFinder,
        judge: Judge,
        desk: Desk,
        order: Order,
        workspace: Workspace,
        now: Callable[[], Instant],
    ) -> None:
        self._find = find
        self._judge = judge
        self._desk = desk
        self._order = order
        self._workspace = workspace
        self._now = now

    async def consider(self, live: LiveCall, call: Pending) -> Approved | AwaitingApproval | Rejected | Failed:
        """Validated and decided from the start, whether the call is new, edited or looked at again."""
        invocation = self._bound(call)
        if not isinstance(invocation, Invocation):
            return invocation
        if type(invocation.tool).check is not Tool.check:
            problem = await guarded(invocation.check(self._workspace), CHECK_SECONDS)
            if problem != Returned(None):
                return self._failed(call.bind(invocation), ErrorKind.INVALID_ARGUMENTS, _problem_text(problem))
        verdict = await self._judge.judge(invocation)
        if call.request.form is CallForm.MCP_APPROVAL:
            verdict = replace(verdict, decision=_hosted(verdict, call.request.server))
        live.verdict = verdict
        self._order.declare(live.ticket, verdict.facts.effects, caller=invocation.tool.makes_calls)
        match verdict.decision.outcome:
            case Outcome.ALLOW:
                return call.allow(invocation, verdict.decision, verdict.facts.effects, self._now())
            case Outcome.DENY:
                fault, result = wording.denied(invocation.tool.name, verdict.decision)
                return call.bind(invocation).reject(verdict.decision, fault, result, self._now())
            case Outcome.ASK:
                return await self._question(live, call.bind(invocation), invocation, verdict)

    def _bound(self, call: Pending) -> Invocation | Failed:
        sent = call.arguments
        try:
            tool, arguments = self._find(call.request, sent.value if isinstance(sent, ObjectArguments) else {})
        except UnknownTool as error:
            return self._failed(call, ErrorKind.UNKNOWN_TOOL, str(error))
        match sent:
            case UnusableArguments(preview, problem):
                return call.found(tool.name).fail(*wording.unusable(call.request, problem, preview), self._now())
            case FreeText():
                problem = "they are plain text, and this tool takes an object"
                return call.found(tool.name).fail(*wording.unusable(call.request, problem, ""), self._now())
        bound = guarded_call(partial(tool.bind, arguments))
        if isinstance(bound, Returned):
            return bound.value
        problem = bound.message if bound.expected else _problem_text(bound)
        return self._failed(call.found(tool.name), ErrorKind.INVALID_ARGUMENTS, problem)

    async def preview(self, verdict: Verdict, invocation: Invocation) -> Ending[Confirmation]:
        """What a person is shown; a command comes with its parsed parts, which the tool doesn't know."""
        files = WorkspaceFiles(self._workspace, verdict.facts.effects)
        shown = await guarded(invocation.confirmation(files, self._workspace), CHECK_SECONDS)
        if isinstance(shown, Returned) and isinstance(shown.value, ExecConfirmation):
            return Returned(replace(shown.value, commands=verdict.facts.effects.runs))
        return shown

    async def _question(
        self, live: LiveCall, call: Pending, invocation: Invocation, verdict: Verdict
    ) -> AwaitingApproval | Failed:
        """A call that can only fail is not asked about, where reading the same paths needs no question."""
        preview = await self.preview(verdict, invocation)
        if isinstance(preview, Raised) and may_preview(verdict.facts, verdict.policy):
            return self._failed(call, ErrorKind.FAILED, preview.message)
        shown = preview.value if isinstance(preview, Returned) else _without_preview(invocation)
        live.verdict = replace(verdict, preview=preview)
        approval = self._desk.new_id()
        return call.request_approval(invocation, verdict.decision, approval, shown, self._now())

    def _failed(self, call: Pending, kind: ErrorKind, message: str) -> Failed:
        fault, result = wording.faulty(kind, message)
        return call.fail(fault, result, self._now())


def _without_preview(invocation: Invocation) -> Confirmation:
    described = guarded_call(invocation.describe)
    title = described.value if isinstance(described, Returned) else invocation.tool.name
    return InfoConfirmation(title, NO_PREVIEW)


def _problem_text(outcome: object) -> str:
    match outcome:
        case Returned(str(problem)):
            return problem
        case Raised(message=message):
            return f"The arguments could not be checked: {message}"
        case _:
            return "The arguments could not be checked in time."


def _hosted(verdict: Verdict, server: str) -> Decision:
    """A provider's server may run its own tool only where a rule names that server; nobody is asked."""
    decision, beginning = verdict.decision, names_begin(server)
    if decision.outcome is Outcome.ALLOW and allows_server(verdict.facts, verdict.policy, beginning):
        return decision
    reason = (
        f"Not approved: no rule allows the hosted server {server!r}; one would have to name its tools, as in "
        f'tool = "{beginning}*". ({decision.reason})'
    )
    return replace(decision, outcome=Outcome.DENY, reason=reason)

"""From a request to a decision: find the tool, check the arguments, judge what the call could touch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from handrail.catalog.called import Called
from handrail.contract.basics import Instant, JsonObject
from handrail.contract.calls import (
    Approved,
    AwaitingApproval,
    CallForm,
    CallRequest,
    CallState,
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
from handrail.contract.hooks import ToolUse
from handrail.contract.results import ErrorKind
from handrail.contract.tool import Invocation, Tool
from handrail.errors import ArgumentProblem, InvalidArguments, UnknownTool
from handrail.policy import allows_server, may_preview, offers
from handrail.policy.argument_conditions import same_json
from handrail.policy.facts import Facts
from handrail.runtime import wording
from handrail.runtime.approval_hooks import after_answer, before_question
from handrail.runtime.approvals import Desk
from handrail.runtime.batches import WAIT
from handrail.runtime.callers import caller_of
from handrail.runtime.files import WorkspaceFiles
from handrail.runtime.guard import Ending, Raised, Returned, guarded, guarded_call
from handrail.runtime.hook_outcome import Hooked, decided_with
from handrail.runtime.hooks import Hooks
from handrail.runtime.hosted import names_begin
from handrail.runtime.judge import Judge, Verdict
from handrail.runtime.live import AskedBefore, LiveCall
from handrail.runtime.order import Order
from handrail.runtime.resolver import names_of

CHECK_SECONDS = 10.0
"""A tool's own check or preview that takes longer counts as failed."""

NO_PREVIEW = "There is no preview of this call."

_NO_WISH = "is not the tool's, and says whether to wait for earlier calls: expected a boolean"


class ToolFinder(Protocol):
    """Finds the tool that a request means."""

    def __call__(self, request: CallRequest, model: str = "") -> Called:
        """By any of its names. `model` made the call; empty: the main one. Raises UnknownTool."""
        ...

    async def load(self, request: CallRequest) -> None:
        """What it takes to check the call is there when this returns, if there is such a tool."""
        ...

    async def awaited(self, request: CallRequest) -> bool:
        """Waits while a source is starting that the tool could come from. False where there is none."""
        ...


class Intake:
    """What happens to a pending call."""

    def __init__(
        self,
        find: ToolFinder,
        judge: Judge,
        desk: Desk,
        order: Order,
        hooks: Hooks,
        workspace: Workspace,
        now: Callable[[], Instant],
    ) -> None:
        self._find = find
        self._judge = judge
        self._desk = desk
        self._order = order
        self._hooks = hooks
        self._workspace = workspace
        self._now = now

    async def consider(
        self, live: LiveCall, call: Pending
    ) -> Pending | Approved | AwaitingApproval | Rejected | Failed:
        """Validated and decided from the start, whether the call is new, edited or looked at again.

        A call whose arguments a hook has changed stays pending, with those.
        """
        await self._find.load(call.request)
        invocation = self._bound(live, call)
        if _names_nothing(invocation) and await self._find.awaited(call.request):
            invocation = self._bound(live, call)
        if not isinstance(invocation, Invocation):
            return invocation
        if type(invocation.tool).check is not Tool.check:
            problem = await guarded(invocation.check(self._workspace), CHECK_SECONDS)
            if problem != Returned(None):
                said = self._find(call.request, live.speaker.model).wording(_problem_text(problem))
                return self._failed(call.bind(invocation), ErrorKind.INVALID_ARGUMENTS, said)
        if self._hooks.before_tool.hooks:
            hooked = await self._hooked(live, call, invocation)
            if (blocked := hooked.blocks) is not None:
                return self._denied(call.bind(invocation), invocation, blocked)
            if not same_json(hooked.arguments, invocation.arguments):
                return call.rewritten(hooked.arguments)
        live.verdict = verdict = await self._judged(live, call.request, invocation)
        self._declare(live, invocation.tool, verdict)
        match verdict.decision.outcome:
            case Outcome.ALLOW:
                return call.allow(invocation, verdict.decision, verdict.facts.effects, self._now())
            case Outcome.DENY:
                return self._denied(call.bind(invocation), invocation, verdict.decision)
            case Outcome.ASK:
                return await self._question(live, call.bind(invocation), invocation, verdict)

    async def stands(self, live: LiveCall, call: AwaitingApproval | Approved, asked: AskedBefore) -> bool:
        """After a restart: whether the same would be asked about the call now, of which the same is shown, or nothing
        as before. If so, the question stays open, and a yes stays valid.
        """
        invocation = call.invocation
        if self._hooks.before_tool.hooks:
            hooked = await self._hooked(live, call, invocation)
            if hooked.blocks is not None or not same_json(hooked.arguments, invocation.arguments):
                return False
        verdict = await self._judged(live, call.request, invocation)
        if asked.decision is not None:
            verdict = replace(verdict, preview=await self.preview(verdict, invocation))
        as_before = (
            verdict.decision.outcome is Outcome.ALLOW
            if verdict.preview is None
            else verdict.decision == asked.decision and _shown(verdict.preview, invocation) == asked.confirmation
        )
        if not as_before:
            return False
        live.verdict = verdict
        self._declare(live, invocation.tool, verdict)
        return True

    async def _judged(self, live: LiveCall, request: CallRequest, invocation: Invocation) -> Verdict:
        verdict = await self._judge.judge(invocation, caller_of(live))
        if live.hooked is not None:
            verdict = replace(verdict, decision=decided_with(live.hooked, verdict.decision, verdict.facts))
        if request.form is CallForm.MCP_APPROVAL:
            verdict = replace(verdict, decision=_hosted(verdict, request.server))
        return verdict

    async def _hooked(
        self, live: LiveCall, call: Pending | AwaitingApproval | Approved, invocation: Invocation
    ) -> Hooked:
        """What the hooks say; they are asked once about the same arguments, and not about what they made of them."""
        if live.hooked is not None and _is_rewritten(call, live.hooked):
            live.hooked = replace(live.hooked, arguments=invocation.arguments)  # in the tool's own words
        if live.hooked is None or not same_json(live.hooked.arguments, invocation.arguments):
            tool, request = invocation.tool, call.request
            use = ToolUse(request.id, request.parent, tool.name, invocation.arguments, live.speaker.agent)
            hooked = await self._hooks.before(use, names_of(tool), partial(_misfit, tool))
            if live.hooked is not None:
                hooked = replace(hooked, rewriters=(*live.hooked.rewriters, *hooked.rewriters))
            live.hooked = hooked
        return live.hooked

    def _declare(self, live: LiveCall, tool: Tool[Any], verdict: Verdict) -> None:
        """From here on the order knows what the call may touch."""
        after = (live.batch.before if live.waits_for_previous else live.batch.led_by)(live.ticket)
        self._order.declare(live.ticket, verdict.facts.effects, caller=tool.makes_calls, tool=tool.name, after=after)

    def _bound(self, live: LiveCall, call: Pending) -> Invocation | Failed:
        try:
            called = self._find(call.request, live.speaker.model)
        except UnknownTool as error:
            return self._failed(call, ErrorKind.UNKNOWN_TOOL, str(error))
        tool = called.tool
        match call.arguments:
            case ObjectArguments(arguments):
                pass
            case UnusableArguments(preview, problem):
                return call.found(tool.name).fail(*wording.unusable(call.request, problem, preview), self._now())
            case FreeText(text):
                said = called.of_text(text)
                if said is None:
                    problem = "they are plain text, and this tool takes an object"
                    return call.found(tool.name).fail(*wording.unusable(call.request, problem, ""), self._now())
                arguments = said
        if WAIT in arguments and WAIT not in _properties(tool):
            arguments = dict(arguments)
            wish = arguments.pop(WAIT)
            if not isinstance(wish, bool):
                problem = str(InvalidArguments(tool.name, [ArgumentProblem(WAIT, _NO_WISH)]))
                return self._failed(call.found(tool.name), ErrorKind.INVALID_ARGUMENTS, problem)
            live.waits_for_previous = wish
        bound = guarded_call(partial(called.bind, call.request.form, arguments, as_sent=call.is_as_sent))
        if isinstance(bound, Returned):
            return bound.value
        problem = _binding_problem(bound) + (wording.parameters_of(tool) if tool.defers_loading else "")
        return self._failed(call.found(tool.name), ErrorKind.INVALID_ARGUMENTS, problem)

    async def preview(self, verdict: Verdict, invocation: Invocation) -> Ending[Confirmation]:
        """What a person is shown; a command comes with its parsed parts and its folder, which the tool doesn't know."""
        files = WorkspaceFiles(self._workspace, verdict.facts.effects)
        seconds = None if type(invocation.tool).confirmation is Tool.confirmation else CHECK_SECONDS
        shown = await guarded(invocation.confirmation(files, self._workspace), seconds)
        if isinstance(shown, Returned) and isinstance(shown.value, ExecConfirmation):
            title = shown.value.title + _elsewhere(verdict.facts)
            return Returned(replace(shown.value, title=title, commands=verdict.facts.effects.runs))
        return shown

    async def _question(
        self, live: LiveCall, call: Pending, invocation: Invocation, verdict: Verdict
    ) -> AwaitingApproval | Rejected | Failed:
        """A call that can only fail is not asked about, where reading the same paths needs no question."""
        preview = await self.preview(verdict, invocation)
        if isinstance(preview, Raised) and may_preview(verdict.facts, verdict.policy):
            return self._failed(call, ErrorKind.FAILED, preview.message)
        shown = _shown(preview, invocation)
        live.verdict = replace(verdict, preview=preview)
        approval = self._desk.new_id()
        if self._hooks.on_approval_asked.hooks:
            agent = live.speaker.agent
            blocked = await before_question(self._hooks, call, invocation, verdict.decision, approval, agent)
            if blocked is not None:
                return self._denied(call, invocation, blocked)
        offered = offers(verdict.facts, verdict.policy, verdict.decision)
        now = self._now()
        asked = call.request_approval(invocation, verdict.decision, approval, shown, now)
        return asked.offering(offered, self._desk.expires_at(now))

    def _denied(self, call: Pending, invocation: Invocation, decision: Decision) -> Rejected:
        return call.reject(decision, *wording.denied(invocation.tool.name, decision), self._now())

    async def tell_answered(self, live: LiveCall, call: AwaitingApproval, following: CallState) -> None:
        """The question about the call is closed: hooks may want to know."""
        if self._hooks.on_approval_answered.hooks:
            await after_answer(self._hooks, call, following, live.speaker.agent)

    def _failed(self, call: Pending, kind: ErrorKind, message: str) -> Failed:
        fault, result = wording.faulty(kind, message)
        return call.fail(fault, result, self._now())


def _names_nothing(bound: Invocation | Failed) -> bool:
    return isinstance(bound, Failed) and bound.fault.kind is ErrorKind.UNKNOWN_TOOL


def _shown(preview: Ending[Confirmation], invocation: Invocation) -> Confirmation:
    if isinstance(preview, Returned):
        return preview.value
    described = guarded_call(invocation.describe)
    title = described.value if isinstance(described, Returned) else invocation.tool.name
    return InfoConfirmation(title, NO_PREVIEW)


def _elsewhere(facts: Facts) -> str:
    """Where a command starts, if that is not the workspace's root."""
    folder = facts.shell.folder if facts.shell is not None else ""
    return f" (in {facts.places.shown(folder)})" if folder and folder not in facts.places.root else ""


def _is_rewritten(call: Pending | AwaitingApproval | Approved, hooked: Hooked) -> bool:
    """The call is pending again with the very arguments that the hooks made."""
    sent = call.arguments if isinstance(call, Pending) else None
    return isinstance(sent, ObjectArguments) and sent.value is hooked.arguments


def _misfit(tool: Tool[Any], arguments: JsonObject) -> str:
    """What is wrong with arguments that a hook made; empty when they fit."""
    bound = guarded_call(partial(tool.bind, arguments))
    return "" if isinstance(bound, Returned) else _binding_problem(bound)


def _binding_problem(bound: Raised) -> str:
    return bound.message if bound.expected else _problem_text(bound)


def _properties(tool: Tool[Any]) -> JsonObject:
    """The parameters that the tool names itself."""
    found = tool.parameters.schema.get("properties")
    return found if isinstance(found, Mapping) else {}


def _problem_text(outcome: object) -> str:
    match outcome:
        case Returned(str(problem)):
            return problem
        case Raised(message=message):
            return f"The arguments could not be checked: {message}"
        case Returned(other):
            return f"The arguments could not be checked: the tool's check gave {type(other).__name__}, and no text"
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

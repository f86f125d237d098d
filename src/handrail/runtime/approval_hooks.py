"""What hooks hear of questions: before one is put to a person, and when it is closed."""

from __future__ import annotations

from handrail.contract.basics import ApprovalId
from handrail.contract.calls import Approved, AwaitingApproval, CallState, Cancelled, Pending, Rejected
from handrail.contract.decision import Decision
from handrail.contract.hooks import ApprovalAnswered, ApprovalAsked, OfAgent
from handrail.contract.tool import Invocation
from handrail.runtime.hook_outcome import blocked_by
from handrail.runtime.hooks import Hooks
from handrail.runtime.resolver import names_of

_OUTCOMES: dict[type, str] = {
    Approved: "approved",
    Rejected: "rejected",
    Pending: "edited",
    Cancelled: "cancelled",
}


async def before_question(
    hooks: Hooks,
    call: Pending,
    invocation: Invocation,
    decision: Decision,
    approval: ApprovalId,
    agent: OfAgent | None,
) -> Decision | None:
    """A hook's no, where one of them would rather not have a person asked."""
    request, tool = call.request, invocation.tool
    told = (request.id, request.parent, tool.name, invocation.arguments)
    asked = ApprovalAsked(*told, approval, decision.reason, agent)
    said = await hooks.asked(asked, names_of(tool))
    return None if said is None else blocked_by(said)


async def after_answer(hooks: Hooks, call: AwaitingApproval, following: CallState, agent: OfAgent | None) -> None:
    decision = call.decision if isinstance(following, Pending) else following.decision or call.decision
    request, tool = call.request, call.invocation.tool
    answered = ApprovalAnswered(
        request.id,
        request.parent,
        tool.name,
        call.invocation.arguments,
        call.approval,
        _OUTCOMES[type(following)],
        str(decision.source),
        agent,
    )
    await hooks.answered(answered, names_of(tool))

"""One request of a model, moving through states.

Each state is its own frozen class; a transition is a method on the state that allows it, and nowhere
else. So `Pending(...).approve(...)` is an error for the type checker and an `AttributeError` at run
time. `contract.transitions` derives the table of all transitions from these classes.

    Pending ──► AwaitingApproval ──► Approved ──► Executing ──► Completed | Failed | Interrupted
       └──────────────────────────────────┴── Rejected | Failed | Cancelled
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from handrail.contract.basics import ApprovalId, CallId, Instant, JsonObject
from handrail.contract.confirmation import Confirmation, GrantOption
from handrail.contract.decision import Decision
from handrail.contract.effects import Effects
from handrail.contract.results import CallFault, ToolResult
from handrail.contract.values import value

if TYPE_CHECKING:  # tools need pydantic, and who only reads or writes calls does without
    from handrail.contract.tool import Invocation


@value
class ObjectArguments:
    """Arguments as a JSON object: what function calls carry."""

    value: JsonObject


@value
class FreeText:
    """The argument of a free-text custom tool: the text itself, never parsed."""

    text: str


@value
class UnusableArguments:
    """What the model sent is not JSON, or not an object: a bounded preview, and what is wrong with it."""

    preview: str
    problem: str


Arguments: TypeAlias = ObjectArguments | FreeText | UnusableArguments


class CallForm(StrEnum):
    """How the call was made on the wire, and so how it must be answered."""

    FUNCTION = "function"
    LEGACY_FUNCTION = "legacy_function"
    CUSTOM = "custom"
    APPLY_PATCH = "apply_patch"
    LOCAL_SHELL = "local_shell"
    SHELL = "shell"
    COMPUTER = "computer"
    TOOL_SEARCH = "tool_search"
    MCP_APPROVAL = "mcp_approval"
    """A hosted server asks whether it may run one of its own tools; nothing runs here."""
    QUESTION = "question"
    """Never on a wire: a running tool asks a person something."""


@value
class CallRequest:
    """What the model asked for, as received. Never changes; an edited call keeps its request."""

    id: CallId
    name: str
    arguments: Arguments
    wire_id: str = ""
    """The id to answer to, unique within one response; empty where the wire gave none and needs none."""
    form: CallForm = CallForm.FUNCTION
    parent: CallId | None = None
    server: str = ""
    """The hosted server of an `MCP_APPROVAL`."""
    notes: tuple[str, ...] = ()
    """What decoding mended: `arguments were a JSON string that held an object`."""


@value
class Canceller:
    """Who stopped a call, and in which words."""

    by: str
    reason: str = ""
    is_person: bool = False
    """A person wanted it stopped: the model is to ask them before it tries again."""

    def __str__(self) -> str:
        return f"{self.by}: {self.reason}" if self.reason else self.by


@value
class _State:
    request: CallRequest
    requested_at: Instant


@value
class _Settled(_State):
    """A terminal state: nothing follows. `result` holds what the model receives."""

    settled_at: Instant
    result: ToolResult
    decision: Decision | None
    invocation: Invocation | None


@value
class Completed(_Settled):
    """It ran to its end, whatever the result says."""

    started_at: Instant
    effects: Effects

    @property
    def fault(self) -> None:
        """None: there is no fault in a completed call."""


@value
class _Faulty(_Settled):
    fault: CallFault
    started_at: Instant | None = None
    tool: str = ""
    """The name of a tool that was found, though the arguments did not fit it."""


@value
class Failed(_Faulty):
    """Unknown tool, bad arguments, timeout, or the tool's own error."""


@value
class Rejected(_Faulty):
    """Denied by policy, or a person said no. It never started."""


@value
class Cancelled(_Faulty):
    """Stopped by somebody: before it started, or while it ran."""


@value
class Interrupted(_Faulty):
    """It started, and nobody knows how it ended. Never rerun silently."""

    @classmethod
    def lost(
        cls, request: CallRequest, requested_at: Instant, fault: CallFault, result: ToolResult, at: Instant
    ) -> Interrupted:
        """Recovery only: what the call was to do, or what came of it, is no longer kept."""
        return cls(request, requested_at, at, result, None, None, fault)


@value
class Pending(_State):
    """Received. It is resolved, validated and decided from here."""

    arguments: Arguments
    """The request's, or what a person or hook made of them."""
    invocation: Invocation | None = None
    tool: str = ""
    """The name of the tool, once it is found."""

    @classmethod
    def receive(cls, request: CallRequest, at: Instant) -> Pending:
        return cls(request, at, request.arguments)

    @property
    def is_as_sent(self) -> bool:
        """The arguments are still the model's, in the words it chose; what others made of them is in the tool's own.
        The very same, and not equal: the same words may mean something else in another vocabulary."""
        return self.arguments is self.request.arguments

    def found(self, tool: str) -> Pending:
        """There is such a tool; still pending until the arguments fit and the call is decided."""
        return Pending(self.request, self.requested_at, self.arguments, None, tool)

    def bind(self, invocation: Invocation) -> Pending:
        """The arguments fit; still pending until decided."""
        return Pending(self.request, self.requested_at, self.arguments, invocation, invocation.tool.name)

    def rewritten(self, arguments: JsonObject) -> Pending:
        """A hook made other arguments of them: still pending, and validated and decided again from the start."""
        return Pending(self.request, self.requested_at, ObjectArguments(arguments))

    def request_approval(
        self, invocation: Invocation, decision: Decision, approval: ApprovalId, confirmation: Confirmation, at: Instant
    ) -> AwaitingApproval:
        return AwaitingApproval(self.request, self.requested_at, invocation, decision, approval, confirmation, at)

    def allow(self, invocation: Invocation, decision: Decision, effects: Effects, at: Instant) -> Approved:
        return Approved(self.request, self.requested_at, invocation, decision, effects, at)

    def reject(self, decision: Decision, fault: CallFault, result: ToolResult, at: Instant) -> Rejected:
        return Rejected(self.request, self.requested_at, at, result, decision, self.invocation, fault)

    def fail(self, fault: CallFault, result: ToolResult, at: Instant) -> Failed:
        return Failed(self.request, self.requested_at, at, result, None, self.invocation, fault, tool=self.tool)

    def cancel(self, fault: CallFault, result: ToolResult, at: Instant) -> Cancelled:
        return Cancelled(self.request, self.requested_at, at, result, None, self.invocation, fault)


@value
class AwaitingApproval(_State):
    """Waits for a person. The question stands at the desk under `approval`."""

    invocation: Invocation
    decision: Decision
    """The ask: which rule, mode or check raised it, and why."""
    approval: ApprovalId
    confirmation: Confirmation
    asked_at: Instant
    offers: tuple[GrantOption, ...] = ()
    """The approvals that `Always` may choose from, the narrowest first."""
    expires_at: Instant | None = None
    """From then on it counts as rejected; None: never."""

    def offering(self, offers: tuple[GrantOption, ...], expires_at: Instant | None) -> AwaitingApproval:
        return replace(self, offers=offers, expires_at=expires_at)

    def replied(self, invocation: Invocation) -> AwaitingApproval:
        """A question's own invocation, with the reply in it; any other call runs as it was shown."""
        return replace(self, invocation=invocation)

    def approve(self, decision: Decision, effects: Effects, at: Instant) -> Approved:
        return Approved(self.request, self.requested_at, self.invocation, decision, effects, at)

    def edit(self, arguments: JsonObject) -> Pending:
        """Other arguments, or the same where the question is no longer the same: validated and decided again from
        the start."""
        return Pending(self.request, self.requested_at, ObjectArguments(arguments))

    def reject(self, decision: Decision, fault: CallFault, result: ToolResult, at: Instant) -> Rejected:
        return Rejected(self.request, self.requested_at, at, result, decision, self.invocation, fault)

    def cancel(self, fault: CallFault, result: ToolResult, at: Instant) -> Cancelled:
        return Cancelled(self.request, self.requested_at, at, result, self.decision, self.invocation, fault)


@value
class Approved(_State):
    """Allowed by a rule or a person; waits for its turn among the calls it conflicts with."""

    invocation: Invocation
    decision: Decision
    effects: Effects
    approved_at: Instant
    attempt: int = 1

    def start_execution(self, at: Instant) -> Executing:
        return Executing(
            self.request,
            self.requested_at,
            self.invocation,
            self.decision,
            self.effects,
            self.approved_at,
            at,
            self.attempt,
        )

    def reconsider(self) -> Pending:
        """Looked again just before the start, and something had changed: decide again."""
        arguments = ObjectArguments(self.invocation.arguments)
        return Pending(self.request, self.requested_at, arguments, self.invocation)

    def reject(self, decision: Decision, fault: CallFault, result: ToolResult, at: Instant) -> Rejected:
        return Rejected(self.request, self.requested_at, at, result, decision, self.invocation, fault)

    def fail(self, fault: CallFault, result: ToolResult, at: Instant) -> Failed:
        return Failed(self.request, self.requested_at, at, result, self.decision, self.invocation, fault)

    def cancel(self, fault: CallFault, result: ToolResult, at: Instant) -> Cancelled:
        return Cancelled(self.request, self.requested_at, at, result, self.decision, self.invocation, fault)


@value
class Executing(_State):
    """Its start is durable in the journal. A client-side call is held by the client in this state."""

    invocation: Invocation
    decision: Decision
    effects: Effects
    approved_at: Instant
    started_at: Instant
    attempt: int

    def complete(self, result: ToolResult, at: Instant) -> Completed:
        return Completed(
            self.request, self.requested_at, at, result, self.decision, self.invocation, self.started_at, self.effects
        )

    def fail(self, fault: CallFault, result: ToolResult, at: Instant) -> Failed:
        return Failed(
            self.request, self.requested_at, at, result, self.decision, self.invocation, fault, self.started_at
        )

    def cancel(self, fault: CallFault, result: ToolResult, at: Instant) -> Cancelled:
        return Cancelled(
            self.request, self.requested_at, at, result, self.decision, self.invocation, fault, self.started_at
        )

    def interrupt(self, fault: CallFault, result: ToolResult, at: Instant) -> Interrupted:
        return Interrupted(
            self.request, self.requested_at, at, result, self.decision, self.invocation, fault, self.started_at
        )

    def retry(self, at: Instant) -> Approved:
        """Recovery only, and only where the effects are exact and read-only.

        Raises ValueError for any other call: such a call is interrupted, never rerun.
        """
        if not (self.effects.certainty == "exact" and self.effects.read_only):
            raise ValueError(f"{self.request.id} may have had effects and is never rerun; interrupt it")
        return Approved(
            self.request, self.requested_at, self.invocation, self.decision, self.effects, at, self.attempt + 1
        )


OpenState: TypeAlias = Pending | AwaitingApproval | Approved | Executing
SettledState: TypeAlias = Completed | Failed | Rejected | Cancelled | Interrupted
CallState: TypeAlias = OpenState | SettledState


def renumbered(request: CallRequest, id: CallId) -> CallRequest:
    """The same request under an id that is free in this session; the wire's own id is kept."""
    return replace(request, id=id)

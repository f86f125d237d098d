"""One call in each state, for the tests of the journal."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType

from pydantic import BaseModel

from handrail.contract.basics import ApprovalId, CallId, Instant
from handrail.contract.calls import (
    Approved,
    AwaitingApproval,
    CallRequest,
    CallState,
    Cancelled,
    Completed,
    Executing,
    Failed,
    Interrupted,
    ObjectArguments,
    Pending,
    Rejected,
)
from handrail.contract.confirmation import EditConfirmation
from handrail.contract.decision import Decision, FromCheck, FromPerson, FromRule, Outcome, RuleRef
from handrail.contract.effects import Effects, PathEffect, SimpleCommand
from handrail.contract.results import CallFault, ErrorKind, ToolResult
from handrail.contract.tool import Tool

SECRET = "hunter2-the-password"
ARGUMENTS = MappingProxyType({"file_path": "notes.txt", "text": SECRET})


class Note(BaseModel):
    file_path: str
    text: str


class WriteNote(Tool[Note]):
    name = "write_note"

    async def run(self, params: Note) -> ToolResult:
        return ToolResult.of_text(params.text)


REQUEST = CallRequest(
    CallId("call-1"), "WriteNote", ObjectArguments(dict(ARGUMENTS)), "toolu_1", parent=CallId("call-0")
)
INVOCATION = WriteNote().bind(dict(ARGUMENTS))
NOTES = Path("/home/ada/notes.txt")
EFFECTS = Effects(
    reads=frozenset({PathEffect(Path("/home/ada"), Path("/home/ada"), "tree")}),
    writes=frozenset({PathEffect(NOTES, NOTES)}),
    connects=frozenset({"example.org"}),
    runs=(SimpleCommand(f"tee {SECRET}", ("tee", SECRET), literal=True), SimpleCommand("$X")),
)
ALLOWED = Decision(
    Outcome.ALLOW, FromRule(RuleRef("policy.toml", 3, 'tool = "write_note"')), "Rule 3 allows it.", SECRET
)
ASKED = Decision(Outcome.ASK, FromCheck("protected-paths"), "Asked every time.", SECRET, needs_person=True)
REFUSED = Decision(Outcome.DENY, FromPerson("terminal"), "A person said no.", SECRET)
SHOWN = EditConfirmation("Write notes.txt", NOTES, None, SECRET)

RESULT = ToolResult.of_text(SECRET, data={"written": 20})


def fault(kind: ErrorKind) -> CallFault:
    return CallFault(kind, f"{kind} while {SECRET} was written")


PENDING = Pending.receive(REQUEST, Instant(100.0))
AWAITING = PENDING.request_approval(INVOCATION, ASKED, ApprovalId("approval-1"), SHOWN, Instant(101.0))
APPROVED = PENDING.allow(INVOCATION, ALLOWED, EFFECTS, Instant(102.0))
EXECUTING = APPROVED.start_execution(Instant(103.0))
COMPLETED = EXECUTING.complete(RESULT, Instant(104.5))
FAILED = EXECUTING.fail(fault(ErrorKind.TIMEOUT), RESULT, Instant(104.5))
REJECTED = AWAITING.reject(REFUSED, fault(ErrorKind.REJECTED), RESULT, Instant(104.5))
CANCELLED = PENDING.cancel(fault(ErrorKind.CANCELLED), RESULT, Instant(104.5))
INTERRUPTED = EXECUTING.interrupt(fault(ErrorKind.INTERRUPTED), RESULT, Instant(104.5))

EVERY_STATE: dict[type[CallState], CallState] = {
    Pending: PENDING,
    AwaitingApproval: AWAITING,
    Approved: APPROVED,
    Executing: EXECUTING,
    Completed: COMPLETED,
    Failed: FAILED,
    Rejected: REJECTED,
    Cancelled: CANCELLED,
    Interrupted: INTERRUPTED,
}


def call(number: int) -> CallState:
    """A pending call of its own."""
    return Pending.receive(CallRequest(CallId(f"call-{number}"), "t", ObjectArguments({"n": number})), Instant(number))

"""An answer as it was given, and whether it fits the question. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from handrail.contract.basics import Instant
from handrail.contract.calls import AwaitingApproval
from handrail.contract.confirmation import (
    Always,
    Answer,
    CancelCall,
    EditArguments,
    GrantOption,
    Once,
    PlanConfirmation,
    QuestionConfirmation,
    Reject,
    Reply,
)
from handrail.contract.values import value
from handrail.errors import UsageError
from handrail.runtime.who import Answerer

QUESTIONS = ("question", "elicitation")
"""The kinds that take a reply, and no yes."""

ONLY_A_PERSON = (*QUESTIONS, "plan")
"""The kinds that a yes to everything does not answer: a plan is approved by who has read it."""


@value
class Given:
    """An answer that was given: the first one, and the only one that counts."""

    answer: Answer | None
    """None: nobody answered in time."""
    by: Answerer
    at: Instant


def kind_of(call: AwaitingApproval) -> str:
    """`tool`, `question`, `plan` or `elicitation`: what kind of question is open."""
    match call.confirmation:
        case QuestionConfirmation(from_server=server):
            return "elicitation" if server else "question"
        case PlanConfirmation():
            return "plan"
        case _:
            return "tool"


def check_fits(kind: str, offers: Sequence[GrantOption], answer: Answer) -> None:
    """Raises UsageError for a yes to a question, a reply to what is none, or a grant that was not offered."""
    if kind in QUESTIONS and isinstance(answer, Once | Always | EditArguments):
        raise UsageError("this is a question, and a yes is no answer to it; reply to it, or reject it")
    if kind == "plan" and isinstance(answer, Always | EditArguments):
        raise UsageError("this is a plan: approve it, reply with the mode to go on in, or reject it")
    if kind not in ONLY_A_PERSON and isinstance(answer, Reply):
        raise UsageError("this is no question: approve the call, reject it, or edit its arguments")
    if isinstance(answer, Always) and answer.grant not in offers:
        raise UsageError("this grant was not offered for the call; choose one of those that were")


def in_words(answer: Answer | None) -> str:
    """An answer in a few words."""
    match answer:
        case Once():
            return "yes"
        case Always(grant):
            return f"yes, and always: {grant.label}"
        case EditArguments():
            return "yes, with other arguments"
        case Reply():
            return "a reply"
        case Reject(feedback):
            return f"no: {feedback}" if feedback else "no"
        case CancelCall():
            return "the call is cancelled"
        case None:
            return "nobody answered in time"

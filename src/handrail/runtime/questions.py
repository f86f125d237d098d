"""A running tool's question to a person: a child call that runs nothing and whose result is the reply.

So a question has an id, is asked at the desk, is durable and is answered like any approval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path, PurePath
from typing import cast

from handrail.contract.basics import CallId, Json, JsonObject
from handrail.contract.calls import CallForm, CallRequest, ObjectArguments
from handrail.contract.confirmation import Confirmation, PlanConfirmation, QuestionConfirmation
from handrail.contract.context import FileReader, Workspace
from handrail.contract.effects import Claims
from handrail.contract.parameters import SchemaParameters
from handrail.contract.results import ErrorKind, ToolResult
from handrail.contract.tool import Invocation, Kind, Opinion, Tool
from handrail.errors import NoReply

NAME = "question"
_REPLY = "reply"


class QuestionCall(Tool[JsonObject]):
    """The tool of every question; rules name it `question`. Only a reply lets it run."""

    name = NAME
    kind = Kind.COMMUNICATE

    def __init__(self) -> None:
        self.parameters = SchemaParameters({"type": "object"}, lambda _: ())

    def effects(self, params: JsonObject) -> Claims:
        return Claims.nothing()

    def opinion(self, params: JsonObject) -> Opinion | None:
        """No allow rule can give the answer."""
        return Opinion("ask", "a person is to answer it")

    def describe(self, params: JsonObject) -> str:
        return str(params.get("title") or params.get("question"))

    async def confirmation(self, params: JsonObject, files: FileReader, workspace: Workspace) -> Confirmation:
        return _question_in(params)

    async def run(self, params: JsonObject) -> ToolResult:
        """A yes to a plan, with no word of a mode, means the first."""
        reply = params[_REPLY] if _REPLY in params else _texts(params.get("next_modes"))[0]
        return replace(ToolResult.of_json(reply), data={_REPLY: reply})


def question_request(id: CallId, parent: CallId, question: QuestionConfirmation | PlanConfirmation) -> CallRequest:
    """The child call that asks."""
    asked = {field.name: getattr(question, field.name) for field in fields(question)}
    arguments = ObjectArguments({name: _plain(part) for name, part in asked.items()})
    return CallRequest(id, NAME, arguments, form=CallForm.QUESTION, parent=parent)


def with_reply(question: Invocation, reply: Json) -> Invocation:
    """The same question with its reply in it."""
    return question.tool.bind({**question.arguments, _REPLY: reply})


def reply_in(result: ToolResult) -> Json:
    """What the person answered. Raises NoReply, with why, where nobody did."""
    if result.fault is not None:
        raise NoReply(result.fault.message, cancelled=result.fault.kind is ErrorKind.CANCELLED)
    if result.data is None:
        raise NoReply(result.text)
    return result.data[_REPLY]


def _plain(part: object) -> Json:
    if isinstance(part, PurePath):
        return str(part)
    if isinstance(part, tuple):
        return [str(each) for each in part]
    return cast(Json, part)


def _question_in(params: JsonObject) -> QuestionConfirmation | PlanConfirmation:
    form, title = params.get("form"), str(params.get("title", ""))
    if "plan" in params:
        return PlanConfirmation(
            title, str(params["plan"]), Path(str(params.get("path"))), _texts(params.get("next_modes"))
        )
    return QuestionConfirmation(
        title=title,
        question=str(params.get("question", "")),
        options=_texts(params.get("options")),
        descriptions=_texts(params.get("descriptions")),
        several=params.get("several") is True,
        form=form if isinstance(form, dict) else None,
        from_server=str(params.get("from_server", "")),
    )


def _texts(listed: Json) -> tuple[str, ...]:
    return tuple(map(str, listed)) if isinstance(listed, Sequence) and not isinstance(listed, str) else ()

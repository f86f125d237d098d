"""A running tool's question to a person: a child call that runs nothing and whose result is the reply.

So a question has an id, is asked at the desk, is durable and is answered like any approval.
"""

from __future__ import annotations

from dataclasses import fields, replace

from handrail.contract.basics import CallId, Json, JsonObject
from handrail.contract.calls import CallForm, CallRequest, ObjectArguments
from handrail.contract.confirmation import Confirmation, QuestionConfirmation
from handrail.contract.context import FileReader, Workspace
from handrail.contract.effects import Claims
from handrail.contract.parameters import SchemaParameters
from handrail.contract.results import ToolResult
from handrail.contract.tool import Invocation, Kind, Opinion, Tool
from handrail.errors import ToolFailed

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
        reply = params[_REPLY]
        return replace(ToolResult.of_json(reply), data={_REPLY: reply})


def question_request(id: CallId, parent: CallId, question: QuestionConfirmation) -> CallRequest:
    """The child call that asks."""
    asked = {field.name: getattr(question, field.name) for field in fields(question)}
    arguments = ObjectArguments({name: list(part) if isinstance(part, tuple) else part for name, part in asked.items()})
    return CallRequest(id, NAME, arguments, form=CallForm.QUESTION, parent=parent)


def with_reply(question: Invocation, reply: Json) -> Invocation:
    """The same question with its reply in it."""
    return question.tool.bind({**question.arguments, _REPLY: reply})


def reply_in(result: ToolResult) -> Json:
    """What the person answered. Raises ToolFailed, with why, where nobody did."""
    if result.fault is not None or result.data is None:
        raise ToolFailed(result.fault.message if result.fault else result.text)
    return result.data[_REPLY]


def _question_in(params: JsonObject) -> QuestionConfirmation:
    options, form = params.get("options"), params.get("form")
    return QuestionConfirmation(
        title=str(params.get("title", "")),
        question=str(params.get("question", "")),
        options=tuple(map(str, options)) if isinstance(options, list) else (),
        form=form if isinstance(form, dict) else None,
        from_server=str(params.get("from_server", "")),
    )

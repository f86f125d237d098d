"""Ask the person: one or several questions, with answers to choose from or in their own words."""

from __future__ import annotations

from pydantic import Field

from handrail.contract.basics import Json
from handrail.contract.confirmation import QuestionConfirmation
from handrail.contract.context import Questions, Workspace
from handrail.contract.effects import Claims
from handrail.contract.results import TextDisplay, ToolResult
from handrail.contract.tool import Kind, Tool
from handrail.errors import ToolFailed
from handrail.tools.descriptions import description_of
from handrail.tools.parameters import Parameters
from handrail.tools.planning.lines import one_line
from handrail.tools.planning.replies import reply_text

MOST_QUESTIONS = 4
MOST_OPTIONS = 6


class Option(Parameters):
    label: str = Field(min_length=1, max_length=80, description="The answer, in a few words.")
    description: str = Field(default="", max_length=300, description="What choosing it means.")


class Question(Parameters):
    question: str = Field(min_length=1, max_length=2_000, description="The whole question, with a question mark.")
    header: str = Field(default="", max_length=40, description="What it is about, in a word or two: 'Database'.")
    options: list[Option] = Field(
        default=[],
        max_length=MOST_OPTIONS,
        description="Answers to choose from. The person may always answer in other words. Left out: free text alone.",
    )
    multi_select: bool = Field(default=False, description="Several options may be chosen.")


class Params(Parameters):
    questions: list[Question] = Field(
        min_length=1, max_length=MOST_QUESTIONS, description="They are asked one after the other."
    )


class AskUser(Tool[Params]):
    name = "ask_user"
    title = "Ask the person"
    kind = Kind.COMMUNICATE
    description = description_of("ask_user")

    async def check(self, params: Params, workspace: Workspace) -> str | None:
        for number, question in enumerate(params.questions, 1):
            labels = [one_line(option.label).lower() for option in question.options]
            if len(labels) == 1:
                return f"Question {number} has one option. Give two or more, or none for an answer in free text."
            if len(set(labels)) < len(labels) or "" in labels:
                return f"Question {number} has options that are the same, or empty. Give each its own label."
        return None

    def effects(self, params: Params) -> Claims:
        """The questions are calls of their own."""
        return Claims.nothing()

    def describe(self, params: Params) -> str:
        return one_line(params.questions[0].question)

    async def run(self, params: Params, questions: Questions) -> ToolResult:
        answers: list[str] = []
        for asked in params.questions:
            try:
                answers.append(reply_text(await questions.ask(_shown(asked))))
            except ToolFailed as error:
                if not answers:
                    raise
                return _result(params, answers, f"The person did not answer the rest: {error}")
        return _result(params, answers)


def _shown(asked: Question) -> QuestionConfirmation:
    options = tuple(one_line(option.label) for option in asked.options)
    descriptions = tuple(one_line(option.description) for option in asked.options)
    return QuestionConfirmation(
        title=one_line(asked.header) or "A question",
        question=asked.question,
        options=options,
        descriptions=descriptions if any(descriptions) else (),
        several=asked.multi_select and bool(options),
    )


def _result(params: Params, answers: list[str], more: str = "") -> ToolResult:
    pairs = list(zip(params.questions, answers, strict=False))
    lines = [f"{one_line(asked.question)}\n→ {answer or '(an empty answer)'}" for asked, answer in pairs]
    told: list[Json] = [{"question": asked.question, "answer": answer} for asked, answer in pairs]
    text = "\n\n".join(filter(None, (*lines, more)))
    return ToolResult.of_text(text, display=TextDisplay(text), data={"answers": told, "complete": not more})

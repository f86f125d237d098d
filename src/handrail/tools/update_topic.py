"""Tell the person what the work is about from here on."""

from __future__ import annotations

from pydantic import Field

from handrail.contract.context import Output
from handrail.contract.effects import Claims
from handrail.contract.results import TextDisplay, ToolResult
from handrail.contract.tool import Kind, Tool
from handrail.tools.descriptions import description_of
from handrail.tools.parameters import Parameters
from handrail.tools.planning.lines import one_line


class Params(Parameters):
    title: str = Field(default="", max_length=100, description="A heading for what follows, in a few words.")
    intent: str = Field(min_length=1, max_length=500, description="What you do next and why, in one sentence.")
    summary: str = Field(default="", max_length=2_000, description="What was done so far, where a part has ended.")


class UpdateTopic(Tool[Params]):
    name = "update_topic"
    title = "Say what comes next"
    kind = Kind.THINK
    leads = True
    description = description_of("update_topic")

    def effects(self, params: Params) -> Claims:
        return Claims.nothing()

    def describe(self, params: Params) -> str:
        return one_line(params.title or params.intent)

    async def run(self, params: Params, output: Output) -> ToolResult:
        title, intent, summary = one_line(params.title), one_line(params.intent), one_line(params.summary)
        output.topic(title, intent, summary)
        heading = f"{title}: {intent}" if title else intent
        return ToolResult.of_text("The person sees it.", display=TextDisplay(heading))

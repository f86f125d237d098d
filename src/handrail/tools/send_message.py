"""Tell a subagent more: one that has ended goes on, one that runs hears of it."""

from __future__ import annotations

from pydantic import Field

from handrail.contract.agents import Agents
from handrail.contract.context import ToolNames
from handrail.contract.effects import Claims
from handrail.contract.results import ToolResult
from handrail.contract.tool import Kind, Tool
from handrail.tools.agent import reply_result
from handrail.tools.descriptions import description_of
from handrail.tools.parameters import Parameters
from handrail.tools.planning.lines import one_line


class Params(Parameters):
    to: str = Field(min_length=1, max_length=64, description="The agent's id or name; `main` for the main one.")
    message: str = Field(min_length=1, description="What to tell it.")


class SendMessage(Tool[Params]):
    name = "send_message"
    title = "Send a message to an agent"
    kind = Kind.AGENT
    description = description_of("send_message")
    output_is_markdown = True

    def effects(self, params: Params) -> Claims:
        """Its calls declare their own."""
        return Claims.nothing()

    def describe(self, params: Params) -> str:
        return f"Message to {one_line(params.to)}"

    async def run(self, params: Params, agents: Agents, names: ToolNames) -> ToolResult:
        reply = await agents.tell(params.to, params.message)
        if not (reply.text or reply.why) and reply.agent.state == "running":
            text = f"{reply.agent.id} is at work, and hears it with its next step."
            return ToolResult.of_text(text, data={"agent": reply.agent.id, "state": reply.agent.state.value})
        return reply_result(reply, names)

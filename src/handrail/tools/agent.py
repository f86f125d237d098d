"""Give a task to a subagent: another model's conversation, whose calls run in this call's name."""

from __future__ import annotations

from pydantic import Field

from handrail.contract.agents import SEND_MESSAGE, AgentOrder, AgentReply, Agents
from handrail.contract.context import ToolNames
from handrail.contract.effects import Claims
from handrail.contract.results import TextDisplay, ToolResult
from handrail.contract.tool import Kind, Tool
from handrail.tools.descriptions import description_of
from handrail.tools.parameters import Parameters
from handrail.tools.planning.lines import one_line


class Params(Parameters):
    description: str = Field(min_length=1, max_length=200, description="The task in a few words, for the person.")
    prompt: str = Field(min_length=1, description="The whole task: the agent knows nothing else.")
    agent: str = Field(default="general", max_length=64, description="Which kind of agent does it.")
    background: bool = Field(default=False, description="Go on without waiting; you are told when it has ended.")
    name: str = Field(default="", max_length=64, description="What to call it in messages, beside its id.")
    model: str = Field(default="", max_length=200, description="Another model to do it, if the user offers one.")


class Agent(Tool[Params]):
    name = "agent"
    title = "Give a task to an agent"
    kind = Kind.AGENT
    description = description_of("agent")
    output_is_markdown = True

    def effects(self, params: Params) -> Claims:
        """Its calls declare their own."""
        return Claims.nothing()

    def describe(self, params: Params) -> str:
        return f"Agent ({one_line(params.agent)}): {one_line(params.description)}"

    async def run(self, params: Params, agents: Agents, names: ToolNames) -> ToolResult:
        order = AgentOrder(
            params.agent, one_line(params.description), params.prompt, params.name, params.model, params.background
        )
        return reply_result(await agents.start(order), names)


def reply_result(reply: AgentReply, names: ToolNames) -> ToolResult:
    """What an agent said, with how it goes on; or that it is at work."""
    agent = reply.agent
    if reply.text or reply.why:
        ended = f"[The agent {agent.id} ended before it was done: {reply.why}.]" if reply.why else ""
        more = f"[It was the agent {agent.id}. To ask more of it: {names.of(SEND_MESSAGE)}.]"
        text = "\n\n".join(filter(None, (reply.text, ended, more)))
    elif agent.state == "running":
        text = f"The agent {agent.id} is at work. Its report comes by itself; go on with something else."
    else:
        text = f"The agent {agent.id} has ended and said nothing."
    shown = TextDisplay(reply.text or text, markdown=True)
    return ToolResult.of_text(text, display=shown, data={"agent": agent.id, "state": agent.state.value})

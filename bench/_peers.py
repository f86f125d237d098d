"""The same turn in three other frameworks: one model answer with n no-op calls, run by their own machinery.

Each is built once, before anything is measured. Its model is a constant and costs next to nothing: it
asks for n calls of one tool, and where the framework calls it again, it says `done`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

Turn = Callable[[], Awaitable[int]]
"""Runs one turn, and gives the number of results that went back to the model."""

ARGUMENTS = {"text": "a line of text", "count": 3}
ARGUMENTS_TEXT = '{"text": "a line of text", "count": 3}'


def pydantic_ai(calls: int) -> Turn:
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel
    from pydantic_ai.usage import RequestUsage

    used = RequestUsage(input_tokens=1, output_tokens=1)  # else the fake model spends its time on an estimate

    async def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) > 1:
            return ModelResponse([TextPart("done")], usage=used)
        return ModelResponse([ToolCallPart("noop", ARGUMENTS_TEXT, f"call_{i}") for i in range(calls)], usage=used)

    async def noop(text: str, count: int) -> str:
        return "ok"

    agent = Agent(FunctionModel(model))
    agent.tool_plain(noop)

    async def turn() -> int:
        run = await agent.run("Go.")
        return sum(part.part_kind == "tool-return" for part in run.all_messages()[2].parts)

    return turn


def openai_agents(calls: int) -> Turn:
    from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage, function_tool
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

    text = ResponseOutputText(annotations=[], text="done", type="output_text")
    done = ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")

    class Canned(Model):
        async def get_response(self, *_: Any, input: Sequence[Any], **__: Any) -> ModelResponse:
            output = [done] if len(input) > 1 else [call(number) for number in range(calls)]
            return ModelResponse(output=[*output], usage=Usage(), response_id=None)

        def stream_response(self, *_: Any, **__: Any) -> Any:
            raise NotImplementedError

    def call(number: int) -> ResponseFunctionToolCall:
        return ResponseFunctionToolCall(
            arguments=ARGUMENTS_TEXT, call_id=f"call_{number}", name="noop", type="function_call"
        )

    async def noop(text: str, count: int) -> str:
        return "ok"

    agent = Agent(name="agent", model=Canned(), tools=[function_tool(noop)])
    untraced = RunConfig(tracing_disabled=True)

    async def turn() -> int:
        run = await Runner.run(agent, "Go.", run_config=untraced)
        return sum(item.type == "tool_call_output_item" for item in run.new_items)

    return turn


def langgraph(calls: int) -> Turn:
    from langchain_core.messages import AIMessage, ToolMessage
    from langchain_core.tools import tool
    from langgraph.graph import END, START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode

    async def noop(text: str, count: int) -> str:
        """Does nothing."""
        return "ok"

    graph = StateGraph(MessagesState)
    graph.add_node("tools", ToolNode([tool(noop)]))
    graph.add_edge(START, "tools")
    graph.add_edge("tools", END)
    compiled = graph.compile()

    async def turn() -> int:
        asked = [{"name": "noop", "args": ARGUMENTS, "id": f"call_{i}"} for i in range(calls)]
        state = await compiled.ainvoke({"messages": [AIMessage(content="", tool_calls=asked)]})
        return sum(isinstance(message, ToolMessage) for message in state["messages"])

    return turn


_PEERS: Mapping[str, tuple[str, Callable[[int], Turn]]] = {
    "pydantic-ai": ("pydantic_ai", pydantic_ai),
    "openai-agents": ("agents", openai_agents),
    "langgraph": ("langgraph", langgraph),
}
"""Name → the module that must be there, and how to build its turn."""


def peers() -> Mapping[str, Callable[[int], Turn] | None]:
    """Each peer's builder; None where it is not installed."""
    return {name: build if find_spec(module) else None for name, (module, build) in _PEERS.items()}

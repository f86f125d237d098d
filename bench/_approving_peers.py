"""One call that waits for a yes, in three other frameworks: asked, written to a file, read back, approved, run.

None of them keeps a waiting call on disk by itself (langgraph does with a database of its own choice): where they can
write their state as text, the bench writes it with one fsync, as their documentation advises. Nobody's result is kept.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

Cycle = Callable[[], Awaitable[str]]
"""One call from the model's answer to its result, with the yes in between. Gives the result."""


def keep(path: Path, text: bytes) -> None:
    """One fsync."""
    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
    try:
        os.write(descriptor, text)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def kept(path: Path) -> bytes:
    return path.read_bytes()


def pydantic_ai(state: Path) -> Cycle:
    from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults
    from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel
    from pydantic_ai.usage import RequestUsage

    used = RequestUsage(input_tokens=1, output_tokens=1)

    async def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) > 1:
            return ModelResponse([TextPart("done")], usage=used)
        return ModelResponse([ToolCallPart("noop", '{"text": "a"}', "call_1")], usage=used)

    async def noop(text: str) -> str:
        return "ok"

    agent = Agent(FunctionModel(model), output_type=[str, DeferredToolRequests])
    agent.tool_plain(noop, requires_approval=True)

    async def cycle() -> str:
        asked = await agent.run("Go.")
        keep(state, asked.all_messages_json())
        history = ModelMessagesTypeAdapter.validate_json(kept(state))
        yes = DeferredToolResults(approvals={"call_1": True})
        done = await agent.run(message_history=history, deferred_tool_results=yes)
        (result,) = [
            part.content for message in done.all_messages() for part in message.parts if part.part_kind == "tool-return"
        ]
        return str(result)

    return cycle


def openai_agents(state: Path) -> Cycle:
    from agents import Agent, Model, ModelResponse, RunConfig, Runner, RunState, Usage, function_tool
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

    text = ResponseOutputText(annotations=[], text="done", type="output_text")
    done = ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")
    call = ResponseFunctionToolCall(arguments='{"text": "a"}', call_id="call_1", name="noop", type="function_call")

    class Canned(Model):
        async def get_response(self, *_: Any, input: Sequence[Any], **__: Any) -> ModelResponse:
            return ModelResponse(output=[done if len(input) > 1 else call], usage=Usage(), response_id=None)

        def stream_response(self, *_: Any, **__: Any) -> Any:
            raise NotImplementedError

    async def noop(text: str) -> str:
        return "ok"

    agent = Agent(name="agent", model=Canned(), tools=[function_tool(noop, needs_approval=True)])
    untraced = RunConfig(tracing_disabled=True)

    async def cycle() -> str:
        asked = await Runner.run(agent, "Go.", run_config=untraced)
        keep(state, asked.to_state().to_string().encode())
        waiting = await RunState.from_string(agent, kept(state).decode())
        waiting.approve(waiting.get_interruptions()[0])
        ended = await Runner.run(agent, waiting, run_config=untraced)
        (result,) = [item.output for item in ended.new_items if item.type == "tool_call_output_item"]
        return str(result)

    return cycle


def langgraph(state: Path) -> Cycle:
    from langchain_core.messages import AIMessage
    from langchain_core.tools import tool
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.graph import END, START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode
    from langgraph.types import Command, interrupt

    async def noop(text: str) -> str:
        """Does nothing."""
        return "ok" if interrupt({"text": text}) else "no"

    saver = InMemorySaver()
    graph = StateGraph(MessagesState)
    graph.add_node("tools", ToolNode([tool(noop)]))
    graph.add_edge(START, "tools")
    graph.add_edge("tools", END)
    compiled = graph.compile(checkpointer=saver)
    threads = iter(range(1_000_000_000))
    asked = {"messages": [AIMessage(content="", tool_calls=[{"name": "noop", "args": {"text": "a"}, "id": "call_1"}])]}

    async def cycle() -> str:
        config = {"configurable": {"thread_id": str(next(threads))}}
        await compiled.ainvoke(asked, config)
        waiting = await saver.aget_tuple(config)
        keep(state, saver.serde.dumps_typed(waiting.checkpoint)[1])
        done = await compiled.ainvoke(Command(resume=True), config)
        return str(done["messages"][-1].content)

    return cycle


_PEERS: Mapping[str, tuple[str, Callable[[Path], Cycle]]] = {
    "pydantic-ai": ("pydantic_ai", pydantic_ai),
    "openai-agents": ("agents", openai_agents),
    "langgraph": ("langgraph", langgraph),
}


def approving_peers() -> Mapping[str, Callable[[Path], Cycle] | None]:
    """Each peer's builder; None where it is not installed."""
    return {name: build if find_spec(module) else None for name, (module, build) in _PEERS.items()}

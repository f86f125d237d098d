from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.surfaces.otel import trace_calls
from handrail.testing import FakeTool, Fault, FaultyTool, MemoryJournal
from neutral_calls import calls


@pytest.fixture
def exporter() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def tracer(exporter: InMemorySpanExporter) -> Any:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return provider.get_tracer("tests")


async def run(tmp_path: Path, tracer: Any, *asked: Any) -> Callable[[], None]:
    async def outer(params: Any, context: Any) -> str:
        await context.calls.call("inner", {})
        return "done"

    tools = [FakeTool("outer", outer), FakeTool("inner"), FaultyTool(Fault.FAILS)]
    async with Session.open(tmp_path, mode="bypass", parts=Parts(tools=tools, journal=MemoryJournal())) as session:
        stop = trace_calls(session, conversation="c-1", tracer=tracer)
        await session.run(calls(*asked))
        return stop


async def test_each_call_is_a_span_with_its_children_in_it(tmp_path, tracer, exporter):
    with tracer.start_as_current_span("the program's own") as current:
        await run(tmp_path, tracer, ("outer", {"a": 1}))
    inner, outer, _ = exporter.get_finished_spans()
    assert (outer.name, inner.name) == ("execute_tool outer", "execute_tool inner")
    assert inner.parent.span_id == outer.context.span_id
    assert outer.parent.span_id == current.get_span_context().span_id
    assert outer.attributes["gen_ai.operation.name"] == "execute_tool"
    assert outer.attributes["gen_ai.conversation.id"] == "c-1"
    assert outer.attributes["gen_ai.tool.call.arguments"] == '{"a": 1}'
    assert [event.name for event in outer.events] == ["pending", "approved", "executing", "completed"]
    assert outer.status.status_code is StatusCode.UNSET
    assert outer.start_time <= inner.start_time <= inner.end_time <= outer.end_time


async def test_a_call_that_fails_is_an_error_of_its_kind(tmp_path, tracer, exporter):
    await run(tmp_path, tracer, ("faulty", {}), ("nothing", {}))
    found = {
        span.name: (span.status.status_code, span.attributes["error.type"]) for span in exporter.get_finished_spans()
    }
    assert found == {
        "execute_tool faulty": (StatusCode.ERROR, "failed"),
        "execute_tool nothing": (StatusCode.ERROR, "unknown_tool"),
    }


async def test_no_span_is_made_after_the_end_of_tracing(tmp_path, tracer, exporter):
    tools = [FakeTool("inner")]
    async with Session.open(tmp_path, mode="bypass", parts=Parts(tools=tools, journal=MemoryJournal())) as session:
        trace_calls(session, tracer=tracer)()
        await session.run(calls(("inner", {})))
    assert exporter.get_finished_spans() == ()

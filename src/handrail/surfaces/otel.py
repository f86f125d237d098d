"""A session's calls as OpenTelemetry spans while they run: needs the extra `handrail[otel]`.

    from handrail.surfaces.otel import trace_calls
    stop = trace_calls(session)

The spans are those of `handrail audit export --format otel`; where they go is up to the program's own tracer provider.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Protocol

from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, get_tracer, set_span_in_context

from handrail import __version__
from handrail.contract.calls import CallState, SettledState
from handrail.contract.events import CallChanged, Event
from handrail.runtime.bus import Listener
from handrail.runtime.histories import CallHistory, Step
from handrail.runtime.records import Recorder
from handrail.runtime.spans import attributes_of, error_of, nanoseconds, span_name, state_name
from handrail.settings.redaction import Redactor


class _Tells(Protocol):
    """A session, of either kind."""

    def subscribe(self, listener: Listener) -> Callable[[], None]: ...


def trace_calls(session: _Tells, *, conversation: str = "", tracer: Tracer | None = None) -> Callable[[], None]:
    """Makes a span for each call from now on. Returns what ends that.

    `conversation` becomes `gen_ai.conversation.id`. `tracer`: one of the global provider when not given. A call
    starts within the span that is current at the time, a child call within its parent's.
    """
    return session.subscribe(_Spans(tracer or get_tracer("handrail", __version__), conversation))


class _Spans:
    """The open calls, each with its span."""

    def __init__(self, tracer: Tracer, conversation: str) -> None:
        self._tracer = tracer
        self._conversation = conversation
        self._recorder = Recorder(Redactor(os.environ))
        self._open: dict[str, tuple[Span, CallHistory]] = {}

    def __call__(self, event: Event) -> None:
        if isinstance(event, CallChanged):
            self._told(event.state)

    def _told(self, state: CallState) -> None:
        at, body = self._recorder.told(state)
        call = state.request.id
        if call not in self._open:
            self._open[call] = self._begun(state)
        span, history = self._open[call]
        history.steps.append(Step(at, type(state).__name__, body))
        span.add_event(state_name(history.state), timestamp=nanoseconds(at))
        if isinstance(state, SettledState):
            del self._open[call]
            self._end(span, history)

    def _begun(self, state: CallState) -> tuple[Span, CallHistory]:
        """Its name is not known before its tool is found."""
        parent = self._open.get(state.request.parent or "")
        span = self._tracer.start_span(
            "execute_tool",
            context=set_span_in_context(parent[0]) if parent else None,
            kind=SpanKind.INTERNAL,
            start_time=nanoseconds(state.requested_at),
        )
        return span, CallHistory(state.request.id, state.request.parent)

    def _end(self, span: Span, history: CallHistory) -> None:
        span.update_name(span_name(history))
        for name, value in attributes_of(history, self._conversation).items():
            span.set_attribute(name, value)
        error = error_of(history)
        if error:
            span.set_status(Status(StatusCode.ERROR, error))
        span.end(nanoseconds(history.steps[-1].at))

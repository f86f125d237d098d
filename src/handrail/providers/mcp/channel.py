"""What every transport gives: two streams, and why they ended."""

from __future__ import annotations

from collections.abc import Callable

from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage

from handrail.contract.values import value


@value
class Channel:
    """A way to one server and back."""

    incoming: ReadStream[SessionMessage | Exception]
    outgoing: WriteStream[SessionMessage]
    why: Callable[[], str]
    """How it ended, as a clause for people: `it ended with exit code 3`. Empty while nothing is known."""

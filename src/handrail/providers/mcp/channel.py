"""What every transport gives: two streams, and why they ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from handrail.contract.values import value

if TYPE_CHECKING:
    from mcp.client._transport import ReadStream, WriteStream
    from mcp.shared.message import SessionMessage


@value
class Channel:
    """A way to one server and back."""

    incoming: ReadStream[SessionMessage | Exception]
    outgoing: WriteStream[SessionMessage]
    why: Callable[[], str]
    """How it ended, as a clause for people: `it ended with exit code 3`. Empty while nothing is known."""

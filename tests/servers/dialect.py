"""What a local server must know about one provider's wire."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from handrail.wire import Wire
from servers.conversation import Step
from servers.script import Turn

Event = tuple[str, Any]
"""The name of a server-sent event (empty where the provider sends none) and its data."""


class Dialect(Protocol):
    wire: Wire
    alternates: bool

    def streams(self, path: str, body: Any) -> bool | None:
        """Whether a request wants a stream; None when it is no request of this wire."""
        ...

    def messages(self, body: Any) -> Sequence[Any]: ...

    def tools(self, body: Any) -> Sequence[Any]: ...

    def names(self, tools: Sequence[Any]) -> Sequence[str]: ...

    def steps(self, messages: Sequence[Any]) -> list[Step]: ...

    def whole(self, turn: Turn) -> Any:
        """The response as one document."""
        ...

    def events(self, turn: Turn) -> Iterator[Event]:
        """The response as a stream."""
        ...

    def model_step(self, turn: Turn) -> Step:
        """The model's turn, as the next request must bring it back."""
        ...

    def error(self, message: str) -> Any: ...


def halves(text: str) -> tuple[str, str]:
    """Two pieces, so that whoever reads a stream has something to put together."""
    return text[: len(text) // 2], text[len(text) // 2 :]

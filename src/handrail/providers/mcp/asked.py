"""What a server may ask and tell a client: answered here, by whoever the running call says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from mcp import types
from mcp.client.session import ClientRequestContext, IncomingMessage

from handrail.providers.mcp.patience import Patience


class Answering(Protocol):
    """Who answers what a server asks while it carries out one call."""

    async def elicit(self, params: types.ElicitRequestParams) -> types.ElicitResult | types.ErrorData: ...

    async def sample(
        self, params: types.CreateMessageRequestParams
    ) -> types.CreateMessageResult | types.CreateMessageResultWithTools | types.ErrorData: ...


class NobodyAnswers:
    """Says no to everything."""

    async def elicit(self, params: types.ElicitRequestParams) -> types.ElicitResult | types.ErrorData:
        return types.ElicitResult(action="decline")

    async def sample(
        self, params: types.CreateMessageRequestParams
    ) -> types.CreateMessageResult | types.CreateMessageResultWithTools | types.ErrorData:
        return types.ErrorData(code=types.INVALID_REQUEST, message="No model is offered to servers here.")


class Asked:
    """The client's side of one session. A question belongs to the call that began last: the protocol doesn't say to
    which."""

    def __init__(self, roots: Sequence[Path], *, has_model: bool = False) -> None:
        self.stale: set[str] = set()
        self.has_model = has_model
        """Whether a model answers what servers ask one: no server is told so otherwise."""
        self._roots = roots
        self._answering: list[tuple[Answering, Patience]] = []

    @contextmanager
    def answered_by(self, answering: Answering, patience: Patience) -> Iterator[None]:
        """`patience` is the call's: while somebody is asked, the server is not what is waited for."""
        entry = (answering, patience)
        self._answering.append(entry)
        try:
            yield
        finally:
            self._answering.remove(entry)

    async def elicit(
        self, context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult | types.ErrorData:
        answering, patience = self._who
        with patience.paused():
            return await answering.elicit(params)

    async def sample(
        self, context: ClientRequestContext, params: types.CreateMessageRequestParams
    ) -> types.CreateMessageResult | types.CreateMessageResultWithTools | types.ErrorData:
        answering, patience = self._who
        with patience.paused():
            return await answering.sample(params)

    async def list_roots(self, context: ClientRequestContext) -> types.ListRootsResult | types.ErrorData:
        return types.ListRootsResult.model_validate(
            {"roots": [{"uri": root.as_uri(), "name": root.name} for root in self._roots]}
        )

    async def told(self, message: IncomingMessage) -> None:
        match message:
            case types.ToolListChangedNotification():
                self.stale.add("tools")
            case types.ResourceListChangedNotification():
                self.stale.add("resources")
            case types.PromptListChangedNotification():
                self.stale.add("prompts")
            case _:
                pass

    @property
    def _who(self) -> tuple[Answering, Patience]:
        return self._answering[-1] if self._answering else (NobodyAnswers(), Patience(None))

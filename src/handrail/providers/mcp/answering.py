"""Who answers what a server asks during one call: the people that the call's own questions reach."""

from __future__ import annotations

from mcp import types

from handrail.contract.context import Questions
from handrail.contract.sampling import Sampler
from handrail.providers.mcp.elicitation import elicited
from handrail.providers.mcp.sampling import sampled


class AtTheDesk:
    """Implements `asked.Answering` for one call of a server's tool."""

    def __init__(self, server: str, questions: Questions, sampler: Sampler | None) -> None:
        self._server = server
        self._questions = questions
        self._sampler = sampler

    async def elicit(self, params: types.ElicitRequestParams) -> types.ElicitResult | types.ErrorData:
        return await elicited(self._server, params, self._questions)

    async def sample(self, params: types.CreateMessageRequestParams) -> types.CreateMessageResult | types.ErrorData:
        return await sampled(self._server, params, self._questions, self._sampler)

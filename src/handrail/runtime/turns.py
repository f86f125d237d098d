"""A model's response and what became of its calls."""

from __future__ import annotations

from collections.abc import Sequence

from handrail.contract.basics import JsonObject
from handrail.contract.calls import AwaitingApproval, CallState, OpenState, SettledState
from handrail.contract.results import ToolResult
from handrail.contract.values import value
from handrail.wire import Answer, Response, encode


@value
class Turn:
    """One response of a model, carried out as far as it could be."""

    id: str
    """Unique in the session; `Session.resume` takes it."""
    response: Response
    calls: tuple[CallState, ...]
    messages: tuple[JsonObject, ...]
    """All to append after the request: the assistant's turn and the results. Empty while a call waits."""
    answers: tuple[Answer, ...] = ()
    """What `messages` give the model, one for each call of the response. Empty while a call waits."""

    @property
    def pending(self) -> tuple[AwaitingApproval, ...]:
        """Calls with an open question, each with the id to answer it by and what to show."""
        return tuple(call for call in self.calls if isinstance(call, AwaitingApproval))

    @property
    def waiting(self) -> tuple[CallState, ...]:
        """Calls that wait for an approval, for the client, or behind one that does."""
        return tuple(call for call in self.calls if isinstance(call, OpenState))

    @property
    def done(self) -> bool:
        """Nothing is left to run or to wait for: the model made no calls of ours and has not paused."""
        return not self.calls and not self.response.paused


def turn_of(id: str, response: Response, calls: Sequence[SettledState], results: Sequence[ToolResult]) -> Turn:
    """The turn of a response all of whose calls have ended. `results` are what the model gets, one for each."""
    # Answered under the ids of this response: the session may know a call by another.
    answers = tuple(
        Answer(asked, result, state.fault) for asked, state, result in zip(response.calls, calls, results, strict=True)
    )
    return Turn(id, response, tuple(calls), encode(response, answers), answers)

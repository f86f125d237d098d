"""What subagents need of a session: hands for their models' calls, in the name of the call that they work for.

Who they are and how they work is the agent layer's, which serves here; without it a session has no agents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol
from weakref import WeakSet

from handrail.catalog import Menu
from handrail.contract.agents import AGENT, SEND_MESSAGE, AgentOrder, AgentReply
from handrail.contract.basics import CallId
from handrail.contract.calls import Canceller
from handrail.contract.context import Output
from handrail.contract.jobs import Jobs
from handrail.contract.values import value
from handrail.errors import ToolFailed, UsageError
from handrail.policy.facts import Caller
from handrail.runtime.callers import caller_for
from handrail.runtime.ledger import ConversationLedger
from handrail.runtime.live import LiveCall
from handrail.runtime.speaker import Speaker
from handrail.runtime.turn_runner import OnBehalf, TurnRunner
from handrail.runtime.turns import Turn
from handrail.wire import Wire

_NONE_HERE = "There are no agents in this session. Do it yourself."

MenuFor = Callable[[str, Caller], Menu]


class AgentService(Protocol):
    """Whoever runs subagents."""

    @property
    def told(self) -> str:
        """Which kinds of agents there are, for the menu."""
        ...

    async def start(self, order: AgentOrder, call: EmployingCall) -> AgentReply: ...

    async def tell(self, to: str, message: str, call: EmployingCall) -> AgentReply: ...


class SubagentHands:
    """Implements `agent.hands.Hands`: the calls of a subagent's model, through the whole pipeline."""

    def __init__(self, turns: TurnRunner, menu: MenuFor, behalf: OnBehalf) -> None:
        self._turns = turns
        self._menu = menu
        self._behalf = behalf

    def menu(self, model: str = "") -> Menu:
        return self._menu(model, caller_for(self._behalf.speaker))

    async def run(self, response: object, wire: Wire | None = None, *, turn: str = "") -> Turn:
        return await self._turns.run(response, wire, None, turn, self._behalf)

    async def resume(self, turn: Turn | str) -> Turn:
        raise UsageError("a subagent waits for its calls, so that none of its turns is ever parked")

    async def cancel_turn(self, turn: Turn | str, reason: str = "", *, by_person: bool = False) -> bool:
        id = turn if isinstance(turn, str) else turn.id
        by = Canceller("the person" if by_person else "the agent", reason, is_person=by_person)
        return await self._turns.cancel(id, by)


@value
class EmployingCall:
    """A running call that gives a task to a subagent."""

    id: CallId
    speaker: Speaker
    """Whose model made it."""
    output: Output
    jobs: Jobs
    hands_for: Callable[[Speaker, bool], SubagentHands]
    """The hands of a subagent that works within this call; or, where True is given, that outlives it."""


class AgentSlot:
    """Where the agent layer serves a session."""

    def __init__(self) -> None:
        self.service: AgentService | None = None
        self.resumed: Callable[[Turn], None] = lambda turn: None
        """Hears what became of a parked turn, whoever resumed it: its model may be an agent's."""

    def told(self) -> Mapping[str, str]:
        """For the menu: a tool with nothing behind it is not shown."""
        if self.service is None:
            return {AGENT: "", SEND_MESSAGE: ""}
        return {AGENT: self.service.told}


@value
class AgentsOfCall:
    """`contract.agents.Agents` for one running call."""

    slot: AgentSlot
    call: EmployingCall

    async def start(self, order: AgentOrder) -> AgentReply:
        return await self._service().start(order, self.call)

    async def tell(self, to: str, message: str) -> AgentReply:
        return await self._service().tell(to, message, self.call)

    def _service(self) -> AgentService:
        if self.slot.service is None:
            raise ToolFailed(_NONE_HERE)
        return self.slot.service


class Employment:
    """Makes the hands: known once the session's parts are together."""

    def __init__(self, slot: AgentSlot, menu: MenuFor, main: Speaker) -> None:
        self.slot = slot
        self.turns: TurnRunner | None = None
        """Set before the first call."""
        self._menu = menu
        self._ledgers: WeakSet[ConversationLedger] = WeakSet((main.ledger,))

    def take_back(self, call: CallId) -> None:
        """What a call gave did not reach its model whole, whoever that is."""
        for ledger in tuple(self._ledgers):
            ledger.take_back(call)

    def agents_of(self, live: LiveCall, output: Output, jobs: Jobs) -> AgentsOfCall:
        id = live.state.request.id

        def hands(speaker: Speaker, outlives: bool) -> SubagentHands:
            if self.turns is None:
                raise ToolFailed(_NONE_HERE)
            self._ledgers.add(speaker.ledger)
            behalf = OnBehalf(speaker, id, live.asker, None if outlives else live)
            return SubagentHands(self.turns, self._menu, behalf)

        return AgentsOfCall(self.slot, EmployingCall(id, live.speaker, output, jobs, hands))

"""The loop: ask the model, carry out its calls, give it the results, again, until it makes no more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from handrail.agent.conversation import Conversation
from handrail.agent.events import Ended, Finished, ResponseDone, TurnEnded
from handrail.agent.hands import Hands
from handrail.agent.limits import Limits
from handrail.agent.model import Model, ModelRequest, ResponseEnded
from handrail.agent.responding import Responding, Tell
from handrail.agent.spent import Spent
from handrail.errors import HandrailError


class Loop:
    """One conversation with a model, and the hands that its calls are carried out by."""

    def __init__(
        self, hands: Hands, model: Model, conversation: Conversation, limits: Limits, clock: Callable[[], float]
    ) -> None:
        """`clock` gives seconds that only grow."""
        self.model = model
        self.conversation = conversation
        self.spent = Spent()
        self.used = 0
        self._hands = hands
        self._limits = limits
        self._clock = clock
        self._responding: Responding | None = None
        self._stopped: str | None = None
        self._count = 0

    async def work(self, text: str, tell: Tell) -> Finished:
        """Never raises, but for cancellation."""
        self._stopped = None
        self.conversation.tell(text)
        begun, before = self._clock(), self.spent
        try:
            return await self._go_on(tell, before)
        except HandrailError as error:
            return self._interrupted("") or Finished(Ended.FAILED, "", str(error))
        finally:
            self.spent = replace(self.spent, seconds=before.seconds + self._clock() - begun)

    async def stop(self, reason: str) -> None:
        """The model and all its calls are stopped; `work` then comes to its end."""
        self._stopped = reason
        if self._responding is not None:
            await self._responding.stop(reason)

    async def _go_on(self, tell: Tell, before: Spent) -> Finished:
        said = ""
        for _ in range(self._limits.turns):
            self._count += 1
            request = ModelRequest("", self.conversation.messages(self.model.wire), self._hands.menu(self.model.name))
            responding = self._responding = Responding(self.model, request, self._hands, f"agent-{self._count}", tell)
            turn = await responding.carry_out()
            self._responding = None
            said = turn.response.text or said
            self._account(responding.ended)
            tell(ResponseDone(responding.ended.usage))
            self.conversation.carried_out(turn)
            tell(TurnEnded(turn))
            if (interrupted := self._interrupted(said)) is not None:
                return interrupted
            if turn.waiting:
                return Finished(Ended.PARKED, said)
            if turn.done:
                return Finished(Ended.DONE, said)
        return Finished(Ended.TURNS, said, f"it made {self._limits.turns} responses, the most that it may")

    def _interrupted(self, said: str) -> Finished | None:
        return None if self._stopped is None else Finished(Ended.INTERRUPTED, said, self._stopped)

    def _account(self, ended: ResponseEnded) -> None:
        usage = ended.usage
        self.used = usage.input + usage.output or self.used
        self.spent = replace(self.spent, usage=self.spent.usage + usage, turns=self.spent.turns + 1)

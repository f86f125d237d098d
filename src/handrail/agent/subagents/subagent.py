"""One subagent: its conversation, where it stands, and who waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from handrail.agent.context.briefing import Briefing
from handrail.agent.events import AgentEvent, Ended, Finished
from handrail.agent.loop import Loop
from handrail.contract.agents import AgentReply, AgentState, AgentStatus
from handrail.contract.values import mutable
from handrail.errors import HandrailError
from handrail.runtime.speaker import Speaker

_STATES = {Ended.DONE: AgentState.FINISHED, Ended.FAILED: AgentState.FAILED, Ended.INTERRUPTED: AgentState.STOPPED}
"""At a limit it has finished, too: told more, it goes on."""


def unheard(_: AgentEvent) -> None:
    """Nobody listens to what a subagent's model says; its calls are told by the session."""


@mutable
class Subagent:
    """It outlives its tasks: told more, it goes on with its conversation."""

    status: AgentStatus
    own: Speaker
    """With all that its kind, and whoever made it, leave it."""
    speaker: Speaker
    """In whose name it works now: its own, or one with less."""
    loop: Loop
    briefing: Briefing

    @property
    def is_running(self) -> bool:
        return self.status.state is AgentState.RUNNING

    def be_within(self, asks: Speaker) -> None:
        """Told more by another agent, it does nothing for that one which that one may not do itself."""
        self.speaker = self.own.within(asks.reach, asks.mode, asks.kinds)

    def begin(self, message: str, changed: Callable[[AgentState], None]) -> None:
        """It has a task from here on, and `work` goes on with it. Raises HandrailError for what it can't be told."""
        self.loop.begin()
        try:
            self.loop.conversation.tell(message)
        except HandrailError:
            changed(AgentState.FAILED)
            raise
        changed(AgentState.RUNNING)

    async def work(self, changed: Callable[[AgentState], None]) -> AgentReply:
        """Goes on with its conversation until it is done. Cancelled, it stops its model and all its calls, answers
        each, and only then ends: what it did stays well paired.
        """
        working = asyncio.get_running_loop().create_task(self._worked())
        finished: Finished | None = None
        try:
            finished = await asyncio.shield(working)
        except asyncio.CancelledError:
            await self.loop.stop("the call that it worked for was stopped")
            await asyncio.wait([working])
            changed(AgentState.STOPPED)
            raise
        finally:
            if finished is None and self.is_running:
                changed(AgentState.FAILED)
            working.cancel()
        changed(_STATES.get(finished.ended, AgentState.FINISHED))
        return self._reply(finished)

    async def _worked(self) -> Finished:
        """Until nothing is left that it was told meanwhile, and was told it would hear."""
        finished = await self.loop.work(unheard)
        while finished.ended is Ended.DONE and self.briefing.has_news:
            finished = await self.loop.work(unheard)
        return finished

    def _reply(self, finished: Finished) -> AgentReply:
        return AgentReply(self.status, finished.text, finished.why)

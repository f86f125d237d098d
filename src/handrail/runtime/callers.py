"""On whose behalf a call is made: rules may speak of a subagent, and of whether a person can be asked."""

from __future__ import annotations

from functools import lru_cache

from handrail.contract.calls import Executing
from handrail.policy import Mode
from handrail.policy.facts import Caller
from handrail.policy.reach import Reach
from handrail.runtime.askers import Nobody
from handrail.runtime.guard import Returned, guarded_call
from handrail.runtime.live import LiveCall
from handrail.runtime.speaker import Speaker


def caller_of(live: LiveCall) -> Caller:
    """Of the nearest call above it that speaks for a subagent; without one, of the agent whose model made it."""
    speaker = live.speaker
    said = _subagent(live.parent, speaker) or (speaker.agent.type if speaker.agent is not None else "")
    return _caller(said, not isinstance(live.asker, Nobody), speaker.mode, speaker.reach, speaker.kinds)


def caller_for(speaker: Speaker) -> Caller:
    """Of the calls that this model makes itself, where it is not known who would be asked."""
    said = speaker.agent.type if speaker.agent is not None else ""
    return _caller(said, True, speaker.mode, speaker.reach, speaker.kinds)


@lru_cache(maxsize=256)
def _caller(
    subagent: str, interactive: bool, mode: Mode | None, reach: tuple[Reach, ...], above: tuple[str, ...]
) -> Caller:
    """The same one each time: what is known of a tool's calls is kept by their caller."""
    return Caller(subagent, interactive=interactive, mode=mode, reach=reach, above=above)


def _subagent(above: LiveCall | None, speaker: Speaker) -> str:
    """A tool that can't say for whom it speaks is taken for a subagent of its own name: rules on any hold for it."""
    while above is not None and above.speaker is speaker:
        if isinstance(above.state, Executing):
            invocation = above.state.invocation
            said = guarded_call(invocation.subagent)
            name = said.value if isinstance(said, Returned) else invocation.tool.name
            if name:
                return name
        above = above.parent
    return ""

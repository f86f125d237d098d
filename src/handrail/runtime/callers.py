"""On whose behalf a call is made: rules may speak of a subagent, and of whether a person can be asked."""

from __future__ import annotations

from functools import lru_cache

from handrail.contract.calls import Executing
from handrail.policy.facts import Caller
from handrail.runtime.askers import Nobody
from handrail.runtime.guard import Returned, guarded_call
from handrail.runtime.live import LiveCall


def caller_of(live: LiveCall) -> Caller:
    """Of the nearest call above it that speaks for a subagent; without one, the main agent."""
    return _caller(_subagent(live.parent), not isinstance(live.asker, Nobody))


@lru_cache(maxsize=256)
def _caller(subagent: str, interactive: bool) -> Caller:
    """The same one each time: what is known of a tool's calls is kept by their caller."""
    return Caller(subagent, interactive=interactive)


def _subagent(above: LiveCall | None) -> str:
    """A tool that can't say for whom it speaks is taken for a subagent of its own name: rules on any hold for it."""
    while above is not None:
        if isinstance(above.state, Executing):
            invocation = above.state.invocation
            said = guarded_call(invocation.subagent)
            name = said.value if isinstance(said, Returned) else invocation.tool.name
            if name:
                return name
        above = above.parent
    return ""

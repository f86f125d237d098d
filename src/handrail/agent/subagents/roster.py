"""What a session keeps of its subagents, so that whoever takes it up can say what became of each, and go on with it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from handrail.agent.conversation import CarriedOut, Conversation, Entry
from handrail.agent.kept import KeptConversation
from handrail.contract.agents import AgentState, AgentStatus
from handrail.contract.session_values import SessionValues
from handrail.contract.values import value
from handrail.policy import Mode
from handrail.policy.reach import Reach
from handrail.runtime.speaker import Speaker
from handrail.runtime.stored import decoded, encoded

_ALL = "agents"
"""The value that lists them. Their conversations are values of their own."""

_MOST_SAID = 2_000
"""Characters of its last message that others are told when it was interrupted."""


@value
class Bounds:
    """What an agent was bounded by as it was made: whatever its kind says later, it never gets more."""

    reach: tuple[Reach, ...] = ()
    mode: Mode | None = None
    above: tuple[str, ...] = ()
    """The kinds of those that it worked for then, also of one that had only sent its employer a message."""

    @classmethod
    def of(cls, speaker: Speaker) -> Bounds:
        return cls(speaker.reach, speaker.mode, speaker.above)

    def on(self, speaker: Speaker) -> Speaker:
        """The same one within these, too."""
        return speaker.within(self.reach, self.mode, self.above)


@value
class KeptAgent:
    """One subagent, but for its conversation."""

    id: str
    kind: str
    task: str
    state: AgentState
    background: bool
    name: str
    """To be called by, beside its id; may be empty."""
    model: str
    """That it was asked for with; may be empty."""
    employer: str = ""
    """The id of the agent that it was made by; empty for the main one."""
    bounds: Bounds = Bounds()
    unheard: str = ""
    """What the main agent is still to be told of it."""

    @property
    def status(self) -> AgentStatus:
        return AgentStatus(self.id, self.kind, self.task, self.state, self.background)


class Roster:
    """All subagents that a session has ever had. What can't be read counts as never kept."""

    def __init__(self, values: SessionValues) -> None:
        self._values = values
        self._kept = _read(values.get(_ALL))

    def __iter__(self) -> Iterator[KeptAgent]:
        """The oldest first."""
        return iter(tuple(self._kept.values()))

    def get(self, id: str) -> KeptAgent | None:
        return self._kept.get(id)

    def named(self, name: str) -> KeptAgent | None:
        """By its id, or else by what it is called."""
        called = (kept for kept in self if kept.name and kept.name == name)
        return self._kept.get(name) or next(called, None)

    def put(self, agent: KeptAgent) -> None:
        self._kept[agent.id] = agent
        self._values.put(_ALL, [json.loads(encoded(kept)) for kept in self._kept.values()])

    def conversation(self, id: str) -> Conversation:
        """As it was kept; it keeps itself from here on."""
        return self._conversation(id).conversation()

    def new_conversation(self, id: str) -> Conversation:
        """Empty, whatever an agent that can't be read any more left under this id; it keeps itself."""
        return self._conversation(id).anew()

    def _conversation(self, id: str) -> KeptConversation:
        return KeptConversation(self._values, f"agent/{id}")

    def news(self) -> Iterator[tuple[str, str]]:
        """What the main agent was not told before the last process ended: of which agent, by its id, and what."""
        for kept in self:
            if kept.state is AgentState.RUNNING:
                yield kept.id, _interrupted(kept, self.conversation(kept.id).entries)
            elif kept.unheard:
                yield kept.id, kept.unheard


INTERRUPTED = (
    "The program that you work in ended while you worked, and was started again. What your last calls did is not "
    "known: look before you make them again."
)
"""What an agent is told that goes on after that."""


def _read(kept: object) -> dict[str, KeptAgent]:
    """Whoever made an agent stands before it, so that no chain of them has no end."""
    found: dict[str, KeptAgent] = {}
    for each in kept if isinstance(kept, list) else ():
        try:
            agent: KeptAgent = decoded(KeptAgent, json.dumps(each))
        except ValueError:
            continue
        if agent.id not in found and (not agent.employer or agent.employer in found):
            found[agent.id] = agent
    return found


def _interrupted(kept: KeptAgent, entries: Iterable[Entry]) -> str:
    """Of one that worked when its process ended."""
    turns = [entry for entry in entries if isinstance(entry, CarriedOut)]
    said = next((turn.response.text for turn in reversed(turns) if turn.response.text), "")
    told = f" The last it said: {said[:_MOST_SAID]}" if said else ""
    return (
        f"The agent {kept.id} ({kept.task}) was at work when the program ended, and was interrupted: it does not go "
        f"on by itself. {_calls(turns)}{told} A call that it had begun may or may not have done its work: look. A "
        "message to it makes it go on with what it remembers."
    )


def _calls(turns: Iterable[CarriedOut]) -> str:
    made: Mapping[str, int] = Counter(answer.request.name for turn in turns for answer in turn.answers)
    if not made:
        return "No call of it had ended."
    return f"These calls of it had ended: {', '.join(f'{name} ({count})' for name, count in made.items())}."

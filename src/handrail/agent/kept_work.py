"""What an agent works on, kept with its session from the first word on: a process that dies leaves it, too."""

from __future__ import annotations

import json
from dataclasses import replace

from handrail.agent.events import Finished
from handrail.agent.spent import Spent
from handrail.contract.session_values import SessionValues
from handrail.runtime.session_work import WORK, SessionWork, work_in
from handrail.runtime.stored import encoded

_MOST_WORDS = 200
"""Characters of the task that are kept here; the conversation has all of it."""


class KeptWork:
    """Of one session's main agent."""

    def __init__(self, values: SessionValues) -> None:
        self._values = values
        self._earlier = work_in(values.get(WORK)) or SessionWork("")
        """With what earlier processes spent."""

    def begins(self, text: str, spent: Spent) -> None:
        """`text` is what the user says; empty where it goes on. `spent` as `ended` gets it."""
        task = self._earlier.task or " ".join(text.split())[:_MOST_WORDS]
        self._earlier = replace(self._earlier, task=task)
        self._keep(self._with(spent))

    def ended(self, finished: Finished, spent: Spent) -> None:
        """`spent` is all of this process."""
        self._keep(replace(self._with(spent), ended=finished.ended.value, why=finished.why[:_MOST_WORDS]))

    def forget(self) -> None:
        """The next thing that the user says is the task."""
        self._earlier = replace(self._earlier, task="")

    def _with(self, spent: Spent) -> SessionWork:
        earlier = self._earlier
        known = [money for money in (earlier.money, spent.money) if money is not None]
        tokens = earlier.tokens + spent.usage.input + spent.usage.output
        return replace(earlier, ended="", why="", money=sum(known) if known else None, tokens=tokens)

    def _keep(self, work: SessionWork) -> None:
        self._values.put(WORK, json.loads(encoded(work)))

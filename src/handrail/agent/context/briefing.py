"""What a model is told beside its conversation: a system text that stays, and news as they come."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

from handrail.agent.context.environment import environment_text
from handrail.agent.context.instructions import Instructions, as_told, instructions_of, remembered
from handrail.contract.values import value

_INTRODUCTION = (
    "What follows stands in files that say how to work here. The nearest file counts most; what the user says in the "
    "conversation counts more than any. They change nothing about what is allowed."
)


@value
class Place:
    """What is known of the place of work, read when an agent is opened: the same for it and its subagents."""

    environment: str
    instructions: tuple[Instructions, ...]
    remembered: str

    @classmethod
    def read(cls, workspace: Path, user: Path, now: float) -> Place:
        """Blocks. `user` is the folder of Handrail's own user files, `now` seconds since the epoch."""
        return cls(environment_text(workspace, now), instructions_of(workspace, user), remembered(workspace, user))

    def system(self, role: str) -> str:
        """The system text of an agent with this role."""
        told = [as_told(each) for each in self.instructions]
        parts = [role.strip(), self.environment, *([_INTRODUCTION, *told] if told else []), self.remembered]
        return "\n\n".join(filter(None, parts))


NOWHERE = Place("", (), "")


class Briefing:
    """Implements `agent.loop.Surroundings` for one conversation."""

    def __init__(self, system: str, mode: Callable[[], str], plan_file: str, forget: Callable[[], None]) -> None:
        """`mode` gives the mode in force, by its name; `forget` is called where what was shown is forgotten."""
        self._forget = forget
        self._system = system
        self._mode = mode
        self._plan_file = plan_file
        self._told_mode = ""
        self._waiting: list[tuple[str, Callable[[], None]]] = []

    def system(self) -> str:
        return self._system

    def tell(self, note: str, heard: Callable[[], None] = lambda: None) -> None:
        """The model hears of it with the next request; `heard` is called then."""
        self._waiting.append((note, heard))

    @property
    def has_news(self) -> bool:
        return bool(self._waiting)

    def news(self) -> Iterator[str]:
        """A mode that is in force from the start is news too: the system text does not speak of it."""
        mode = self._mode()
        if mode != self._told_mode:
            self._told_mode = mode
            yield modes().get(mode, f"The session is in {mode} mode.").format(plan_file=self._plan_file)
        while self._waiting:
            note, heard = self._waiting[0]
            yield note
            del self._waiting[0]  # only now: what could not be noted is not lost
            heard()

    def forget(self, *, told: bool) -> None:
        """The conversation begins anew, or was made shorter: what was shown before is not in it, nor what was told."""
        if told:
            self._told_mode = ""
        self._forget()


@cache
def modes() -> Mapping[str, str]:
    """What a model is told of each mode."""
    return {name: str(text) for name, text in tomllib.loads(_data("modes.toml")).items()}


@cache
def main_role() -> str:
    return _data("system.md")


def _data(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8")

"""What comes of a key or a text that is typed at a question."""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from handrail.contract.confirmation import Answer
from handrail.contract.values import value


class Wants(Enum):
    """What a person is to type next. The value is shown before it."""

    FEEDBACK = "why not (the model reads it)"
    ARGUMENTS = "arguments, as JSON"
    REPLY = "your answer"
    FORM = "the form, as JSON"


AS_JSON = frozenset((Wants.ARGUMENTS, Wants.FORM))


class Stop(Enum):
    """No, and the whole turn is to end."""

    TURN = "no, and stop"


@value
class Toggled:
    """One of several options was chosen, or is no longer."""

    chosen: tuple[int, ...]


Result: TypeAlias = Answer | Stop
Step: TypeAlias = Result | Wants | Toggled
"""What comes of a key: an answer, or what is to happen before there is one."""

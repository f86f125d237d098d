"""What a session is made of: what its opener may give, and what the settings say where they give nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from handrail.contract.launching import Launcher
from handrail.contract.ports import Asker, Checkpoints, Journal
from handrail.contract.provider import Provider
from handrail.contract.sampling import Sampler
from handrail.contract.tool import Tool
from handrail.runtime.askers import Nobody
from handrail.runtime.checkpoints import NoCheckpoints
from handrail.sandbox.none import PlainLauncher
from handrail.settings.keys import ANSWER_WITHIN, AT_ONCE, GATE_BATCH, LIMITS, RESULT_BUDGET, TURN_BUDGET
from handrail.settings.load import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a session is made of, each with a good default."""

    tools: Sequence[Tool[Any]] | None = None
    """None: the built-in ones."""
    providers: Sequence[Provider] | None = None
    """Where other tools come from; None: as the settings say, which without files is nowhere."""
    sampler: Sampler | None = None
    """Has a model answer what servers ask one, each time with a person's yes; None refuses them."""
    window: int = 0
    """Tokens of the model's context, of which the tools of servers may take a share; 0: not known."""
    asker: Asker = field(default_factory=Nobody)
    journal: Journal | None = None
    """None: one SQLite file for the workspace, in the state folder."""
    launcher: Launcher = field(default_factory=PlainLauncher)
    checkpoints: Checkpoints = field(default_factory=NoCheckpoints)
    clock: Callable[[], float] = time.time
    at_once: int = 0
    """How many leaf calls run together. This and what follows: as the settings say where it is 0 or None."""
    limits: Mapping[str, int] | None = None
    """How many calls of one class run together: by a tool's name, or what stands before the colon in a key."""
    gate_batch: bool | None = None
    """No call of a turn starts before every question about its calls is answered."""
    result_budget: int = 0
    """Characters of any result that go to the model at most; its tool may bound it further."""
    turn_budget: int = 0
    """Characters of all results of one turn."""
    answer_within: float | None = None
    """Seconds after which a question counts as rejected; None: as the settings say, which is never by default."""


def bounded(parts: Parts, settings: Settings) -> Parts:
    """The parts with the settings' bounds where they say none."""
    return replace(
        parts,
        at_once=parts.at_once or settings[AT_ONCE],
        limits=settings[LIMITS] if parts.limits is None else parts.limits,
        gate_batch=settings[GATE_BATCH] if parts.gate_batch is None else parts.gate_batch,
        answer_within=_answer_within(settings) if parts.answer_within is None else parts.answer_within,
        result_budget=parts.result_budget or settings[RESULT_BUDGET],
        turn_budget=parts.turn_budget or settings[TURN_BUDGET],
    )


def _answer_within(settings: Settings) -> float | None:
    said = settings[ANSWER_WITHIN]
    return None if isinstance(said, str) else said

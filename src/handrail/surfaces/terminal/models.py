"""Which model answers, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from handrail.agent.model import Model

ModelOf: TypeAlias = Callable[[str], Model]
"""Makes a model of a name as in `--model`. Raises UsageError with what to do."""

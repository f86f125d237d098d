"""The table of all transitions, derived from the classes of `contract.calls`.

It draws the diagram in the docs and drives the property tests; nobody writes it by hand.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import get_args

from handrail.contract import calls
from handrail.contract.calls import CallState, OpenState, SettledState

STATES: tuple[type, ...] = get_args(CallState)
OPEN: tuple[type, ...] = get_args(OpenState)
SETTLED: tuple[type, ...] = get_args(SettledState)


def transitions() -> Mapping[type, Mapping[str, type]]:
    """State → method name → next state. `bind`, `rewritten` and their like are none: the call stays pending."""
    return {state: _transitions_of(state) for state in STATES}


def _transitions_of(state: type) -> Mapping[str, type]:
    found: dict[str, type] = {}
    for name, method in inspect.getmembers(state, inspect.isfunction):
        if name.startswith("_"):
            continue
        target = vars(calls).get(method.__annotations__.get("return", ""))
        if target in STATES and target is not state:
            found[name] = target
    return found


def as_table() -> str:
    """The table as Markdown, for the docs."""
    lines = ["| state | may become |", "|---|---|"]
    for state, methods in transitions().items():
        nexts = " ".join(f"`{target.__name__}` ({name})" for name, target in methods.items()) or "—"
        lines.append(f"| `{state.__name__}` | {nexts} |")
    return "\n".join(lines) + "\n"

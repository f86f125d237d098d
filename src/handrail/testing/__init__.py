"""For authors of tools, models and surfaces, and used by the project's own tests: fakes that are honest.

`ScriptedModel` plays given turns, `ReplayModel` recorded ones, `FakeTool` does what a test says, `FaultyTool`
misbehaves on purpose, `MemoryJournal` keeps states in a list. `assert_conforms` says whether a tool keeps to its
contract: see `handrail.testing.conformance`; `assert_provider_conforms` does for a provider. The fixtures for pytest
are in `handrail.testing.plugin`.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from handrail.agent.replay import ReplayModel, recorded_responses
    from handrail.agent.scripted import Say, ScriptedModel, Use
    from handrail.testing.conformance import Conformance, NotConforming, Problem, assert_conforms
    from handrail.testing.journal import MemoryJournal
    from handrail.testing.provider_conformance import ProviderConformance, assert_provider_conforms
    from handrail.testing.tools import FakeTool, Fault, FaultyTool

__all__ = [
    "Conformance",
    "FakeTool",
    "Fault",
    "FaultyTool",
    "MemoryJournal",
    "NotConforming",
    "Problem",
    "ProviderConformance",
    "ReplayModel",
    "Say",
    "ScriptedModel",
    "Use",
    "assert_conforms",
    "assert_provider_conforms",
    "recorded_responses",
]

_HOMES: Mapping[str, str] = MappingProxyType({
    "Conformance": "handrail.testing.conformance",
    "FakeTool": "handrail.testing.tools",
    "Fault": "handrail.testing.tools",
    "FaultyTool": "handrail.testing.tools",
    "MemoryJournal": "handrail.testing.journal",
    "NotConforming": "handrail.testing.conformance",
    "Problem": "handrail.testing.conformance",
    "ProviderConformance": "handrail.testing.provider_conformance",
    "ReplayModel": "handrail.agent.replay",
    "Say": "handrail.agent.scripted",
    "ScriptedModel": "handrail.agent.scripted",
    "Use": "handrail.agent.scripted",
    "assert_conforms": "handrail.testing.conformance",
    "assert_provider_conforms": "handrail.testing.provider_conformance",
    "recorded_responses": "handrail.agent.replay",
})  # fmt: skip


def __getattr__(name: str) -> object:
    """Loads a part when it is first used: pytest imports this package, for the fixtures' sake, at every start."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)

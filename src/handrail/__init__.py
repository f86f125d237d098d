"""Handrail: the tool runtime for LLM agents. What it offers is listed in `handrail.api`."""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers know the name; loading `typing` for it takes as long as an interpreter's start
if TYPE_CHECKING:
    from types import ModuleType

    from handrail.api import *

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Loads the API when a name of it is first used, so that `handrail --version` pays nothing for it."""
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    api = _api()
    if name not in api.__all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(api, name)


def __dir__() -> list[str]:
    return sorted(["__version__", *_api().__all__])


def _api() -> ModuleType:
    from importlib import import_module

    return import_module("handrail.api")

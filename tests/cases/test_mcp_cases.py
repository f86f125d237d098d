"""Faults that people reported of MCP clients: which test is for which, and that none is forgotten.

The tests stand with what they test; each says with `case` which of these it is for.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from accounts import accounted
from corpus_files import cases

REPORTED = cases("reported_faults", "mcp") | cases("permission_faults", "mcp")

MODULES = (
    "test_mcp_stdio", "test_mcp_lives", "test_mcp_calls", "test_mcp_http", "test_mcp_schemas", "test_mcp_results",
    "test_mcp_tools", "test_logins_in_sessions", "test_mcp_configured",
)  # fmt: skip
"""In tests/providers/mcp."""

WAITING: Mapping[str, str] = {}
"""Cases without a test yet, and the capability that they wait for."""


def test_every_case_is_accounted_for_once() -> None:
    tests = {f"{name}.{test}": found for name in MODULES for test, found in vars(import_module(name)).items()}
    assert accounted(tests, WAITING) == sorted(REPORTED)

"""Faults that people reported of MCP clients: which test is for which, and that none is forgotten.

The tests stand with what they test; each says with `case` which of these it is for.
"""

from __future__ import annotations

from importlib import import_module

from accounts import accounted
from corpus_files import cases

REPORTED = cases("reported_faults", "mcp") | cases("permission_faults", "mcp")

MODULES = ("test_mcp_stdio", "test_mcp_lives", "test_mcp_calls", "test_mcp_http")
"""In tests/providers/mcp."""

WAITING = dict.fromkeys(
    ("MC01", "MC05", "MC08", "MC09", "MC24", "MC26", "MC27", "MC28", "MC32", "cc-118", "cc-120", "cc-122"),
    "names, schemas, results, configuration and logins",
)
"""Cases without a test yet, and the capability that they wait for."""


def test_every_case_is_accounted_for_once() -> None:
    tests = {f"{name}.{test}": found for name in MODULES for test, found in vars(import_module(name)).items()}
    assert accounted(tests, WAITING) == sorted(REPORTED)

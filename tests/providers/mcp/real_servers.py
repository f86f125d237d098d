"""MCP servers from the registries, as `requirements/servers.sh` installs them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from handrail.settings.mcp.server import Stdio

ROOT = Path(__file__).parents[3]
INSTALLED = Path(os.environ.get("SERVERS") or ROOT / ".venv-servers")


def javascript(name: str, *args: str) -> Stdio:
    return Stdio("node", (_there(f"node/node_modules/@modelcontextprotocol/{name}/dist/index.js"), *args))


def python(name: str, *args: str) -> Stdio:
    return Stdio(_there("bin/python"), ("-m", name.replace("-", "_"), *args))


def _there(path: str) -> str:
    """Fails the test where the servers are not installed: without them nothing is known of real ones."""
    found = INSTALLED / path
    if not found.exists():
        pytest.fail(
            f"{found} is not there: run `sh requirements/servers.sh`, or `make test`, which does", pytrace=False
        )
    return str(found)

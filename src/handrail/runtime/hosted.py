"""A provider's own server asks whether it may run one of its tools. Nothing runs here: it is a yes or a no."""

from __future__ import annotations

import re

from handrail.contract.basics import JsonObject
from handrail.contract.effects import Claims
from handrail.contract.parameters import SchemaParameters
from handrail.contract.results import ToolResult
from handrail.contract.tool import Kind, Tool

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_\-]")


def names_begin(server: str) -> str:
    """How the names of all tools of a hosted server begin."""
    return _NOT_IN_NAMES.sub("_", f"mcp_{server}_")


class HostedServerCall(Tool[JsonObject]):
    """The tool `mcp_SERVER_TOOL` for the length of one question; rules name it so."""

    kind = Kind.OTHER

    def __init__(self, server: str, tool: str) -> None:
        self.name = (names_begin(server) + _NOT_IN_NAMES.sub("_", tool))[:64]
        self.parameters = SchemaParameters({"type": "object"}, lambda _: ())
        self.server = server
        self.title = f"{tool} on the hosted server {server}"

    def effects(self, params: JsonObject) -> Claims:
        return Claims.unknown()

    async def run(self, params: JsonObject) -> ToolResult:
        return ToolResult.of_text(f"{self.title} may run.")

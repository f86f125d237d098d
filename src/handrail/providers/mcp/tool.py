"""One tool of a server, as a tool like any."""

from __future__ import annotations

from typing import TYPE_CHECKING

from handrail.authoring.json_schema import schema_parameters
from handrail.contract.basics import JsonObject
from handrail.contract.context import Output, Questions
from handrail.contract.results import CallFault, ErrorKind, TextPart, ToolResult
from handrail.contract.tool import Tool

if TYPE_CHECKING:
    from mcp import types

    from handrail.providers.mcp.server import McpServer


class McpTool(Tool[JsonObject]):
    """Calls its server by the server's own name for it."""

    def __init__(self, server: McpServer, tool: types.Tool) -> None:
        self.name = f"mcp_{server.config.name}_{tool.name}"
        self.description = tool.description or ""
        self.server = server.config.name
        self.parameters = schema_parameters(tool.input_schema, f"The schema of {tool.name}")
        self._server = server
        self._tool = tool.name

    async def run(self, params: JsonObject, output: Output, questions: Questions) -> ToolResult:
        result = await self._server.call(
            self._tool,
            params,
            progress=lambda done, total, message: output.progress(done / total if total else None, message),
            answering=self._server.answering(questions),
        )
        text = "\n".join(getattr(block, "text", "") for block in result.content)
        fault = CallFault(ErrorKind.FAILED, text or "it failed") if result.is_error else None
        return ToolResult((TextPart(text),), fault=fault)

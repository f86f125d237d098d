"""One tool of a server, as a tool like any."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from handrail.contract.basics import JsonObject
from handrail.contract.confirmation import Confirmation, McpConfirmation
from handrail.contract.context import FileReader, Output, Questions, Workspace
from handrail.contract.effects import OPEN_WORLD, Claims
from handrail.contract.events import fraction_of
from handrail.contract.results import ToolResult
from handrail.contract.tool import Tool
from handrail.errors import ToolFailed
from handrail.providers.mcp.definition import Definition
from handrail.providers.mcp.results import result_of

if TYPE_CHECKING:
    from handrail.providers.mcp.server import McpServer

MOST_CHARACTERS = 40_000
"""Of one result: about 10,000 tokens, from which on Claude Code warns."""
MOST_BY_ITS_WORD = 500_000
"""The most that a tool's definition may raise that to, by `anthropic/maxResultSizeChars` in its `_meta`."""


class Defined:
    """What a server defines now."""

    def __init__(self) -> None:
        self.now: Mapping[str, tuple[str, ...]] = {}
        """Digests, by the server's own names of its tools. Replaced whole: others read it meanwhile."""


class McpTool(Tool[JsonObject]):
    """Calls its server by the server's own name for it."""

    def __init__(self, server: McpServer, said: Definition, defined: Defined) -> None:
        self.name = said.names.ours
        self.aliases = () if said.names.claudes == said.names.ours else (said.names.claudes,)
        self.known_as = {"claude": said.names.claudes}
        self.rule_names = said.names.for_rules
        self.title = said.title
        self.description = said.description
        self.server = server.config.name
        self.definitions = said.digests
        self.annotations = said.hints
        self.parameters = said.parameters
        self.is_always_loaded = said.always_loaded
        self.max_result_chars = said.most_characters or MOST_CHARACTERS
        self.needs_approval = "never" if server.config.trusted else None
        self._is_believed = server.config.trusted
        self._server = server
        self._said = said
        self._defined = defined

    def effects(self, params: JsonObject) -> Claims:
        """Unknown, but for a server that the person trusts: its hints are believed then. What they leave open is what
        the protocol takes for granted: it may destroy, and reaches the world."""
        if not self._is_believed:
            return Claims.unknown()
        hints = self.annotations
        if hints.get("readOnlyHint"):
            reached = frozenset((OPEN_WORLD,)) if hints.get("openWorldHint", True) else frozenset[str]()
            return Claims(connects=reached, idempotent=True, certainty="bounded")
        destroys = hints.get("destructiveHint", True)
        return Claims(destructive=destroys, idempotent=hints.get("idempotentHint", False), certainty="unknown")

    def describe(self, params: JsonObject) -> str:
        return f"{self.title} (server {self.server})"

    async def confirmation(self, params: JsonObject, files: FileReader, workspace: Workspace) -> Confirmation:
        return McpConfirmation(self.describe(params), self.server, self._said.name, params)

    async def run(self, params: JsonObject, output: Output, questions: Questions) -> ToolResult:
        result = await self._server.call(
            self._said.name,
            params,
            unchanged=self._check_unchanged,
            progress=lambda done, total, message: output.progress(fraction_of(done, total), message),
            answering=self._server.answering(questions),
        )
        return result_of(result, self.name, self._said.output)

    def _check_unchanged(self) -> None:
        """What was decided, and perhaps shown to a person, was about this definition."""
        now = self._defined.now.get(self._said.name, ())
        if not now:
            raise ToolFailed(
                f"{self.name} is no longer available: the server {self.server} does not offer it any more."
            )
        if now[:1] != self.definitions[:1]:
            raise ToolFailed(
                f"The server {self.server} changed its definition of {self.name} after this call was decided. Nothing "
                "was sent. Look at the definition as it is now, and call it again."
            )

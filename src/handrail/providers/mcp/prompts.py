"""A server's prompts: texts for people to send, filled in by the server when somebody wants one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from handrail.contract.basics import Json, JsonObject
from handrail.contract.provider import PromptArgument
from handrail.errors import ToolFailed
from handrail.providers.mcp.beside import ListedPrompt

if TYPE_CHECKING:
    from handrail.providers.mcp.server import McpServer

WITHIN = 60.0
"""Seconds for a prompt."""
MOST_CHARACTERS = 200_000


class McpPrompt:
    """Implements `contract.provider.Prompt`."""

    def __init__(self, server: McpServer, listed: ListedPrompt) -> None:
        self._server = server
        self._listed = listed

    @property
    def source(self) -> str:
        return self._server.config.name

    @property
    def name(self) -> str:
        return self._listed.name

    @property
    def description(self) -> str:
        return self._listed.description

    @property
    def arguments(self) -> Sequence[PromptArgument]:
        return self._listed.arguments

    async def text(self, arguments: Mapping[str, str]) -> str:
        """Raises ToolFailed: an argument is missing or unknown, or the server can't give it."""
        wrong = [f"{each.name} is missing" for each in self.arguments if each.required and not arguments.get(each.name)]
        known = {each.name for each in self.arguments}
        wrong += [f"there is no {name}" for name in arguments if name not in known]
        if wrong:
            takes = ", ".join(each.name for each in self.arguments) or "none"
            raise ToolFailed(f"The prompt {self.name}: {'; '.join(wrong)}. Its arguments: {takes}.")
        connection = await self._server.connection()
        try:
            async with asyncio.timeout(WITHIN):
                given: JsonObject = {"name": self.name, "arguments": dict(arguments)}
                raw = await connection.request("prompts/get", given)
        except TimeoutError:
            raise ToolFailed(f"{self._server.config.name} did not give {self.name} within {WITHIN:g} s.") from None
        text = "\n\n".join(_texts(raw.get("messages")))
        if not text:
            raise ToolFailed(f"The prompt {self.name} of {self._server.config.name} has no text.")
        return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}\n[cut: {len(text):,} characters]"


def _texts(messages: Json) -> Iterator[str]:
    """Messages of the model's side are marked as such; what is no text is told of."""
    for message in messages if isinstance(messages, list) else ():
        if isinstance(message, dict):
            text = _text(message.get("content"))
            yield f"[assistant] {text}" if message.get("role") == "assistant" else text


def _text(content: Json) -> str:
    if isinstance(content, dict):
        resource = content.get("resource")
        inner = resource if isinstance(resource, dict) else content
        found = inner.get("text")
        if isinstance(found, str):
            return found
        where = inner.get("uri")
        return f"[{content.get('type')}{f' {where}' if isinstance(where, str) else ''}, which is no text]"
    return ""

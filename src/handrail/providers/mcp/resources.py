"""Two tools for what servers can be asked to read out; on the menu while any server has something."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pydantic import Field

from handrail.catalog.faces import faces_of
from handrail.contract.basics import JsonObject
from handrail.contract.confirmation import Confirmation, McpConfirmation
from handrail.contract.context import FileReader, Workspace
from handrail.contract.effects import OPEN_WORLD, Claims
from handrail.contract.parameters import ParameterSchema
from handrail.contract.provider import Shelf
from handrail.contract.results import ToolResult
from handrail.contract.tool import Kind, Tool
from handrail.errors import ToolFailed
from handrail.providers.mcp.beside import Resource
from handrail.providers.mcp.refused import Refused
from handrail.providers.mcp.results import result_of
from handrail.providers.mcp.sdk import loaded
from handrail.tools.parameters import Parameters

if TYPE_CHECKING:
    from mcp import types

    from handrail.providers.mcp.server import McpServer

P = TypeVar("P")

LIST, READ = "list_mcp_resources", "read_mcp_resource"
MOST_LISTED = 500
"""Resources of one server in one list."""


class ResourceTools:
    """The provider of both tools. Their servers are providers of their own."""

    name = "MCP resources"
    is_stale = False

    def __init__(self, servers: Sequence[McpServer]) -> None:
        self._servers = servers
        self._news = asyncio.Event()
        self.tools = (ListResources(servers), ReadResource(servers))
        for server in servers:
            server.beside.tell = self._news.set

    async def provide(self, shelf: Shelf) -> None:
        while True:
            self._news.clear()
            if any(server.beside.resources for server in self._servers):
                shelf.put(self.tools)
            elif all(server.beside.is_known for server in self._servers):
                shelf.put(())
            await self._news.wait()

    async def refresh(self) -> None:
        """Done with what the servers list."""

    def may_have(self, tool: str) -> bool:
        return any(tool in (each, *faces_of(each)) for each in (LIST, READ))


class ListParams(Parameters):
    server: str = Field(default="", description="The server whose resources to list; left out, all servers'.")


class ReadParams(Parameters):
    uri: str = Field(min_length=1, max_length=4_000, description="The resource's address, as it is listed.")
    server: str = Field(default="", description="The server's name; needed where several list the address.")


def _description(name: str) -> str:
    return Path(__file__).with_name(f"{name}.md").read_text("utf-8").strip()


class _OfServers(Tool[P]):
    """Speaks for all servers of a session."""

    def __init__(self, servers: Sequence[McpServer]) -> None:
        self._servers = servers


class ListResources(_OfServers[ListParams]):
    name = LIST
    title = "List resources"
    kind = Kind.SEARCH
    description = _description(LIST)

    def effects(self, params: ListParams) -> Claims:
        """What was listed before is shown."""
        return Claims.nothing()

    def server_of(self, params: ListParams) -> str:
        return params.server

    async def run(self, params: ListParams) -> ToolResult:
        servers = [_named(self._servers, params.server)] if params.server else self._servers
        listed = [line for server in servers for line in _lines(server)]
        return result_of(await _text_result("\n".join(listed) or "No server has resources now."), self.name)


class ReadResource(_OfServers[ReadParams]):
    name = READ
    title = "Read a resource"
    kind = Kind.READ
    description = _description(READ)

    def __init__(self, servers: Sequence[McpServer]) -> None:
        super().__init__(servers)
        self.parameters = _ForOneServer(servers, self.parameters)

    async def check(self, params: ReadParams, workspace: Workspace) -> str | None:
        """Nobody is asked about a call that goes nowhere."""
        try:
            self._one(params)
        except ToolFailed as error:
            return str(error)
        return None

    def server_of(self, params: ReadParams) -> str:
        """Rules on a server hold for what is read there. Empty where it is not known which is meant: nothing runs."""
        return params.server

    def effects(self, params: ReadParams) -> Claims:
        """What a server does to read is its own affair: known of those alone that the person trusts."""
        if any(server.config.trusted for server in self._servers if server.config.name == params.server):
            return Claims(connects=frozenset((OPEN_WORLD,)), idempotent=True, certainty="bounded")
        return Claims.unknown()

    def describe(self, params: ReadParams) -> str:
        return f"{params.uri} (server {params.server or 'unknown'})"

    async def confirmation(self, params: ReadParams, files: FileReader, workspace: Workspace) -> Confirmation:
        server = self._one(params)
        return McpConfirmation(self.describe(params), server.config.name, READ, {"uri": params.uri})

    async def run(self, params: ReadParams) -> ToolResult:
        server = self._one(params)
        connection = await server.connection()
        try:
            async with asyncio.timeout(server.config.call_within):
                raw = await connection.request("resources/read", {"uri": params.uri})
        except Refused as refusal:
            return result_of(await _text_result(refusal.whole, is_error=True), self.name)
        except TimeoutError:
            within = server.config.call_within or 0
            raise ToolFailed(f"{server.config.name} did not read {params.uri} within {within:g} s.") from None
        return result_of(await _contents(raw), self.name)

    def _one(self, params: ReadParams) -> McpServer:
        """Raises ToolFailed where none or several could be meant; also where one could by now: nobody decided about a
        call that goes there."""
        if params.server:
            return _named(self._servers, params.server)
        holding = _holding(self._servers, params.uri)
        if len(holding) == 1:
            raise ToolFailed(f"{holding[0].config.name} lists {params.uri} only since you called. Call again.")
        names = ", ".join(server.config.name for server in holding or self._servers)
        why = "Several servers list" if holding else "No server lists"
        raise ToolFailed(f"{why} {params.uri}. Name the server: {names}.")


class _ForOneServer:
    """The parameters of a call, with the server that it is for: what is decided about one is never read at another,
    whatever these list by then."""

    def __init__(self, servers: Sequence[McpServer], plain: ParameterSchema[ReadParams]) -> None:
        self.schema = plain.schema
        self._servers = servers
        self._plain = plain

    def validate(self, arguments: JsonObject) -> ReadParams:
        """Raises BadArguments."""
        params = self._plain.validate(arguments)
        holding = [] if params.server else _holding(self._servers, params.uri)
        return params.model_copy(update={"server": holding[0].config.name}) if len(holding) == 1 else params


def _holding(servers: Sequence[McpServer], uri: str) -> list[McpServer]:
    return [server for server in servers if any(uri == each.uri for each in server.beside.resources)]


def _named(servers: Sequence[McpServer], name: str) -> McpServer:
    for server in servers:
        if server.config.name == name:
            return server
    raise ToolFailed(f"There is no server {name!r}. The servers are: {', '.join(s.config.name for s in servers)}.")


def _lines(server: McpServer) -> list[str]:
    resources = server.beside.resources
    lines = [f"{server.config.name}:"] if resources else []
    lines += map(_line, resources[:MOST_LISTED])
    if len(resources) > MOST_LISTED:
        lines.append(f"… and {len(resources) - MOST_LISTED} more")
    return lines


def _line(resource: Resource) -> str:
    size = f"{resource.size:,} bytes" if resource.size is not None else ""
    about = ", ".join(filter(None, ("a template" if resource.is_template else "", resource.media_type, size)))
    said = ": ".join(filter(None, (resource.name, " ".join(resource.description.split()))))
    return f"- {resource.uri}{f' ({about})' if about else ''} {said}"


async def _text_result(text: str, *, is_error: bool = False) -> types.CallToolResult:
    await loaded()
    from mcp import types

    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=is_error)


async def _contents(raw: JsonObject) -> types.CallToolResult:
    await loaded()
    from handrail.providers.mcp.received import result_of as received

    contents = raw.get("contents")
    blocks = [{"type": "resource", "resource": each} for each in contents] if isinstance(contents, list) else []
    return received({"content": blocks})

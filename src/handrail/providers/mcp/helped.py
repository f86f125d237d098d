"""Headers that a command makes, as `headersHelper` of Claude Code's files has it, for each request to one server.

By code.claude.com/docs/en/mcp, "Use dynamic headers for custom authentication": a shell runs it for each connection,
it prints a JSON object of texts within 10 seconds, and what it prints wins over headers that are written down. Where
the server refuses them it is run once more, and the request, which was not taken, is sent again.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping

import httpx2

from handrail.errors import LauncherError, ToolFailed
from handrail.providers.command.running import Ran, Running
from handrail.providers.mcp.around import Around
from handrail.providers.mcp.log import ServerLog
from handrail.settings.mcp.headers import is_header
from handrail.settings.mcp.server import Http

WITHIN = 10.0
"""Seconds."""
MOST = 65_536
"""Bytes that it may print; servers take less than that."""
_REFUSED = (401, 403)


class HelpedHeaders(httpx2.Auth):
    """Authenticates the requests of one connection. Made by `helped`."""

    requires_response_body = False

    def __init__(self, name: str, transport: Http, around: Around, log: ServerLog) -> None:
        self.trouble = ""
        """Why the server refuses requests, where that is known."""
        self._name = name
        self._transport = transport
        self._around = around
        self._log = log
        self._headers: Mapping[str, str] = {}
        self._renewing = asyncio.Lock()

    async def renew(self, old: Mapping[str, str] | None = None) -> None:
        """However many ask for other headers than `old`, the command is run once. Raises ToolFailed."""
        async with self._renewing:
            if old is None or self._headers is old:
                self._headers = await self._made()
                self._log.learn(self._headers.values())

    async def async_auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        used = self._headers
        request.headers.update(used)
        response = yield request
        if response.status_code in _REFUSED:
            try:
                await self.renew(used)
            except ToolFailed as error:
                self.trouble = f"HTTP {response.status_code} {response.reason_phrase}, and {error}"
                return
            request.headers.update(self._headers)
            response = yield request
        refused = response.status_code in _REFUSED
        self.trouble = f"the server refuses what its headersHelper made: HTTP {response.status_code}" if refused else ""

    async def _made(self) -> Mapping[str, str]:
        about = {"CLAUDE_CODE_MCP_SERVER_NAME": self._name, "CLAUDE_CODE_MCP_SERVER_URL": self._transport.url}
        environment = {**self._around.environment, **about}
        command = ("sh", "-c", self._transport.helper)
        try:
            ran = await Running(_nobody).run(
                self._around.launcher, command, self._around.workspace.root, environment, WITHIN, b""
            )
        except LauncherError as error:
            raise ToolFailed(f"its headersHelper was not run: {error}") from error
        return _headers(ran)


async def helped(name: str, transport: Http, around: Around, log: ServerLog) -> HelpedHeaders:
    """With the headers of a first run. Raises ToolFailed, which repeats nothing of what the command printed."""
    headers = HelpedHeaders(name, transport, around, log)
    await headers.renew()
    return headers


def _headers(ran: Ran) -> Mapping[str, str]:
    """What it printed. Raises ToolFailed."""
    finished = ran.finished
    if finished.ending != "exited":
        how = "was ended by a signal" if finished.ending == "signalled" else f"did not end within {WITHIN:g} s"
        raise ToolFailed(f"its headersHelper {how}")
    if finished.exit_code != 0:
        raise ToolFailed(f"its headersHelper failed with exit code {finished.exit_code}; run it yourself to see why")
    try:
        made = json.loads(ran.stdout) if len(ran.stdout) <= MOST else None
    except (ValueError, RecursionError):
        made = None
    if not isinstance(made, dict):
        raise ToolFailed("its headersHelper printed no JSON object of headers")
    for name, text in made.items():
        if not isinstance(text, str) or not is_header(name, text.strip()):
            raise ToolFailed("its headersHelper printed what no header of HTTP can hold")
    return {name: text.strip() for name, text in made.items()}


def _nobody(text: str) -> None:
    """Nobody sees what it prints: it may be secrets."""

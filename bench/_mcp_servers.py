"""Servers for `bench.mcp`, as programs: `python -m bench._mcp_servers sdk|plain|sleepy`.

`sdk` is what servers in Python are made of; `plain` reads a line and writes one, so that what clients cost is not
hidden behind a server; `sleepy` says nothing for half a minute.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

ECHO = {
    "name": "echo",
    "description": "Gives back a text.",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
}
SLEEP = 30.0


def sdk() -> None:
    from mcp.server.mcpserver import MCPServer

    server = MCPServer("bench")

    @server.tool(structured_output=False)
    def echo(text: str) -> str:
        """Gives back a text."""
        return text

    server.run("stdio")


def plain() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            answer = {"jsonrpc": "2.0", "id": message["id"], "result": _result(message)}
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()


def _result(message: dict[str, Any]) -> dict[str, Any]:
    match message["method"]:
        case "initialize":
            version = message["params"]["protocolVersion"]
            info = {"name": "bench", "version": "1"}
            return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
        case "tools/list":
            return {"tools": [ECHO]}
        case _:
            return {"content": [{"type": "text", "text": message["params"]["arguments"]["text"]}]}


def sleepy() -> None:
    time.sleep(SLEEP)
    plain()


if __name__ == "__main__":
    {"sdk": sdk, "plain": plain, "sleepy": sleepy}[sys.argv[1]]()

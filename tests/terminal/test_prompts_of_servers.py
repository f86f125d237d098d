"""A prompt of a server is a command in the terminal: what it fills in is said as if the person had typed it."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from scenes import CTRL_U
from screen import PATIENCE, Screen
from test_terminal_command import CTRL_D, KEYS, MODELS

from e2e.command import environment
from handrail.wire import Wire
from servers.provider_server import DIALECTS, ProviderServer
from servers.script import Use, says

PLAIN_SERVER = Path(__file__).parents[1] / "providers" / "mcp" / "plain_server.py"
FILLED = "Look at the tides of Brest, day by day."
SERVER = {
    "tools": [{"name": "high", "description": "High water.", "inputSchema": {"type": "object"}}],
    "hello": {"capabilities": {"tools": {}, "prompts": {}}},
    "methods": {
        "prompts/list": [{"reply": {"prompts": [{"name": "plan", "arguments": [{"name": "port", "required": True}]}]}}],
        "prompts/get": [{"reply": {"messages": [{"role": "user", "content": {"type": "text", "text": FILLED}}]}}],
    },
}


def listed(screen: Screen, heard: Path) -> None:
    """Until it stands there. A server that becomes ready tells nobody at the prompt, so it is looked for again."""
    end = time.monotonic() + PATIENCE
    while not (heard.exists() and "prompts/list" in heard.read_text()):
        assert time.monotonic() < end
        time.sleep(0.05)
    for attempt in range(100):
        screen.type(f"/mcp\rlook {attempt}")
        screen.until(f"> look {attempt}\n")
        screen.type(CTRL_U)
        if "/tides:plan port" in screen.text:
            return
    raise AssertionError(screen.text)


def test_it_is_listed_sent_and_answered_and_the_servers_tool_is_asked_about(tmp_path: Path) -> None:
    work, config, script, heard = (tmp_path / name for name in ("work", "config", "server.json", "heard"))
    work.mkdir()
    config.mkdir()
    script.write_text(json.dumps({**SERVER, "heard": str(heard)}))
    (config / "config.toml").write_text(
        f'[mcp.servers.tides]\ncommand = "{sys.executable}"\nargs = ["-S", "{PLAIN_SERVER}", "{script}"]\n'
    )
    wire = Wire.ANTHROPIC
    name, key, address, path = MODELS[wire]
    turns = [says("I ask the server.", Use("mcp__tides__high", {})), says("Day by day, then.")]
    with ProviderServer(DIALECTS[wire](), turns) as server:
        env = {**environment(tmp_path / "state"), "TERM": "xterm-256color", key: "none", address: server.url + path}
        with Screen("-m", "handrail", "--model", name, env=env, cwd=work) as screen:
            screen.until("default   ")
            listed(screen, heard)
            screen.type("/tides:plan Brest\r")
            screen.until("I ask the server.")
            screen.until("high on tides")
            screen.until(KEYS)
            screen.type("y")
            screen.until("Day by day, then.")
            screen.type(CTRL_D)
            assert screen.end() == 0
    assert server.wrong == []
    assert FILLED in json.dumps(server.requests[0]["messages"])
    asked = [json.loads(line) for line in heard.read_text().splitlines()]
    (got,) = [each["params"] for each in asked if each.get("method") == "prompts/get"]
    assert (got["name"], got["arguments"]) == ("plan", {"port": "Brest"})

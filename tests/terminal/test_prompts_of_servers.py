"""A prompt of a server is a command in the terminal: what it fills in is said as if the person had typed it."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scenes import CTRL_C, CTRL_U
from screen import PATIENCE, Screen
from test_terminal_command import CTRL_D, KEYS, MODELS

from e2e.command import environment
from handrail.wire import Wire
from servers.provider_server import DIALECTS, ProviderServer
from servers.script import Turn, Use, says

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


@dataclass
class Stage:
    """A folder with a server of prompts, and a model that answers in its turns."""

    folder: Path
    model: ProviderServer
    heard: Path

    @contextmanager
    def screen(self) -> Iterator[Screen]:
        name, key, address, path = MODELS[Wire.ANTHROPIC]
        env = {**environment(self.folder / "state"), "TERM": "xterm-256color", key: "none"}
        env[address] = self.model.url + path
        with Screen("-m", "handrail", "--model", name, env=env, cwd=self.folder / "work") as screen:
            screen.until("default   ")
            yield screen
            screen.type(CTRL_D)
            assert screen.end() == 0

    def filled(self) -> list[object]:
        """What the server was asked for."""
        asked = [json.loads(line)["params"] for line in self.heard.read_text().splitlines() if "prompts/get" in line]
        return [(each["name"], each["arguments"]) for each in asked]


@contextmanager
def stage(folder: Path, *turns: Turn, **more: object) -> Iterator[Stage]:
    work, config, script, heard = (folder / name for name in ("work", "config", "server.json", "heard"))
    work.mkdir()
    config.mkdir()
    script.write_text(json.dumps({**SERVER, "heard": str(heard), **more}))
    (config / "config.toml").write_text(
        f'[mcp.servers.tides]\ncommand = "{sys.executable}"\nargs = ["-S", "{PLAIN_SERVER}", "{script}"]\n'
    )
    with ProviderServer(DIALECTS[Wire.ANTHROPIC](), turns) as model:
        yield Stage(folder, model, heard)
    assert model.wrong == []
    assert FILLED in json.dumps(model.requests[0]["messages"])


def test_it_is_listed_sent_and_answered_and_the_servers_tool_is_asked_about(tmp_path: Path) -> None:
    turns = [says("I ask the server.", Use("mcp__tides__high", {})), says("Day by day, then.")]
    with stage(tmp_path, *turns) as given, given.screen() as screen:
        listed(screen, given.heard)
        screen.type("/tides:plan Brest\r")
        screen.until("I ask the server.")
        screen.until("high on tides")
        screen.until(KEYS)
        screen.type("y")
        screen.until("Day by day, then.")
    assert given.filled() == [("plan", {"port": "Brest"})]


def test_while_its_server_starts_it_waits_until_that_is_there_or_the_person_stops_it(tmp_path: Path) -> None:
    started = tmp_path / "started"
    waits = {"before": {"initialize": [{"wait": str(started)}]}}
    with stage(tmp_path, says("Day by day, then."), **waits) as given, given.screen() as screen:
        screen.type("/tides:plan Brest\r")
        screen.until("tides is starting; /tides:plan waits for it. Ctrl-C stops that.")
        screen.type(CTRL_C)
        screen.until("Interrupted.")
        screen.type("/tides:plan Quimper\r")
        screen.until("> /tides:plan Quimper")
        started.touch()
        screen.until("Day by day, then.")
    assert given.filled() == [("plan", {"port": "Quimper"})]

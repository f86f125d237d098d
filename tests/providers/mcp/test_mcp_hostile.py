"""Servers that mean harm: the session stays usable and bounded in memory, and no process is left.

Each runs in a session in a process of its own, beside a server that means well.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp_world import PATIENCE, Script, tool
from test_mcp_lives import children_of

TABLE = tomllib.loads(Path(__file__).with_name("hostile_servers.toml").read_text("utf-8"))
LIFE, AT_AN_ADDRESS = (Path(__file__).with_name(name) for name in ("hostile_life.py", "address_server.py"))
ENVIRONMENT = {"PYTHONPATH": ":".join(sys.path), "PATH": "/usr/bin:/bin"}

LOOP = {
    "type": "object",
    "properties": {"child": {"$ref": "#"}, "all": {"$ref": "#/$defs/a"}},
    "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/b"}, {"type": "null"}]}, "b": {"items": {"$ref": "#/$defs/a"}}},
}
ENDLESS = {"type": "object", "$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}


def deep(levels: int) -> Script:
    schema: Script = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


def names() -> Script:
    return {"tools": [tool("x" * 65_536), tool("x" * 65_535 + "y"), tool("fine")]}


def many() -> Script:
    return {"tools": [tool(f"tool_{n}", inputSchema=LOOP) for n in range(10_000)], "page": 1_000}


def recursive() -> Script:
    return {
        "tools": [
            tool("loop", inputSchema=LOOP),
            tool("endless", inputSchema=ENDLESS),
            tool("deep", inputSchema=deep(400)),
        ]
    }


def answering(*actions: Script, **more: Any) -> Script:
    return {"tools": [tool("one")], "answers": {"one": list(actions)}, **more}


MAKERS: dict[str, Callable[[], Script]] = {
    "names": names,
    "many": many,
    "recursive": recursive,
    "large": lambda: answering({"large": 100_000_000}),
    "within": lambda: answering({"large": 20_000_000}),
    "crumbs": lambda: answering({"crumbs": 500_000}),
    "garbage": lambda: answering(
        {"times": [20_000, [{"write": "{garbage " + "x" * 500 + "\n"}]]}, {"text": "answered"}
    ),
    "silent": lambda: answering({"hang": 1}),
    "restless": lambda: answering({"text": "answered"}, start=[{"restless": 0.01}]),
    "loud": lambda: answering({"stderr": ["e" * 999 + "\n", 100_000]}, {"text": "answered"}),
    "asking": lambda: answering(
        {"times": [2_000, [{"write": '{"jsonrpc":"2.0","id":"a","method":"roots/list"}\n'}]]}, {"text": "answered"}
    ),
    "endless": lambda: answering({"endless": 100_000_000}),
    "empty": lambda: answering({"times": [200_000, [{"write": "\n"}]]}, {"hang": 1}),
    "paging": lambda: {"tools": [tool("one")], "endless_pages": True},
}


def test_every_hostile_server_is_in_the_table() -> None:
    assert sorted(entry["make"] for entry in TABLE.values()) == sorted(MAKERS)


@contextmanager
def reached(script: Path, over: str) -> Iterator[list[str]]:
    """What a session is told of the way to a server."""
    if over == "stdio":
        yield []
        return
    command = [sys.executable, str(AT_AN_ADDRESS), str(script), over]
    with subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        try:
            assert server.stdout is not None
            port = int(server.stdout.readline())
            yield [f"http://127.0.0.1:{port}/mcp", over]
        finally:
            server.kill()


@pytest.mark.parametrize(("name", "over"), [(name, over) for name, entry in TABLE.items() for over in entry["over"]])
def test_a_session_outlasts_a_hostile_server(tmp_path: Path, name: str, over: str) -> None:
    wanted = TABLE[name]
    script = tmp_path / "script.json"
    script.write_text(json.dumps(MAKERS[wanted["make"]]()))
    with reached(script, over) as way:
        ended = subprocess.run(
            [sys.executable, str(LIFE), str(tmp_path), str(script), str(wanted.get("within", PATIENCE / 2)), *way],
            env=ENVIRONMENT,
            capture_output=True,
            timeout=3 * PATIENCE,
            check=False,
        )
    assert ended.returncode == 0, ended.stderr.decode()[-2_000:]
    seen = json.loads(ended.stdout)
    assert seen["usable"]
    assert seen["grown"] <= wanted["grown"] * 1_000_000, seen
    assert seen["offered"] >= wanted.get("offered", 0), seen
    if "says" in wanted:
        assert [said for _, said in seen["outcomes"] if any(words in said for words in wanted["says"])], seen
    assert not children_of(tmp_path / "bad.json")

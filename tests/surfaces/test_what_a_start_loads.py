"""What is long to load is not loaded before it is needed: nobody who waits for a command should wait for that."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

FOR_CALLS = {"pydantic", "jsonschema_rs", "docstring_parser", "handrail.tools.read_file", "handrail.contract.models"}
"""What calls need, and no menu does."""
FOR_OTHERS = {"mcp", "httpx2", "prompt_toolkit", "rich", "yaml", "importlib.resources"}
OTHER_WIRES = {f"handrail.wire.{name}" for name in ("chat", "chat_stream", "gemini", "responses", "responses_stream")}
_CODE = """
import atexit, sys
atexit.register(lambda: print("LOADED", *sorted(sys.modules)))
from handrail.__main__ import main
main()
"""


class Refusing(BaseHTTPRequestHandler):
    """Wants no requests, in words that no client tries again after."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_error(400)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def address() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Refusing) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        serving.join()


def loaded(folder: Path, *arguments: str, **environment: str) -> set[str]:
    """The modules that a command has loaded when it ends."""
    places = {name: str(folder / name) for name in ("HOME", "HANDRAIL_STATE", "HANDRAIL_CONFIG")}
    kept: Mapping[str, str] = {name: text for name, text in os.environ.items() if not name.startswith("HANDRAIL")}
    done = subprocess.run(
        [sys.executable, "-c", _CODE, *arguments],
        env={**kept, **places, **environment},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    _, _, modules = done.stdout.rpartition("LOADED")
    assert modules, done.stderr
    return set(modules.split())


def test_the_tools_are_listed_without_what_their_calls_need(tmp_path: Path) -> None:
    needless = FOR_CALLS | FOR_OTHERS | OTHER_WIRES | {"asyncio", "handrail.wire.read"}
    assert loaded(tmp_path, "tools") & needless == set()


def test_a_task_is_sent_without_what_its_answers_calls_need(tmp_path: Path, address: str) -> None:
    modules = loaded(tmp_path, "run", "x", ANTHROPIC_API_KEY="none", ANTHROPIC_BASE_URL=address)
    assert "handrail.agent.models.exchange" in modules
    assert modules & (FOR_CALLS | FOR_OTHERS | OTHER_WIRES) == set()

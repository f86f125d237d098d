"""An MCP server for tests in plain Python: what it does is said by a script, a JSON file that is its one argument.

    {"tools": [...], "answers": {"TOOL": [ACTION, ...]}, "before": {"METHOD": [ACTION, ...]},
     "methods": {"METHOD": [ACTION, ...]}}

Actions, each an object of one key, are done in order; without `reply` among them the request stays open:
`reply` (a result), `text` (a result of text), `error` (code and message), `write` (text on stdout as it is),
`bytes` (hexadecimal, on stdout), `stderr` (a text and how often), `sleep` (seconds), `append` (a line to a file),
`progress` (steps done, total, message, and perhaps a token), `notify` (a method), `ask` (a method and parameters),
`tools` (another list from now on), `refuse` (the next
request of a method), `exit` (a code), `die` (by SIGKILL), `echo` (the arguments), `hang`.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from typing import Any

HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {"listChanged": True}},
    "serverInfo": {"name": "plain", "version": "1"},
}


class Server:
    def __init__(self, script: dict[str, Any]) -> None:
        self.script = script
        self.tools = script.get("tools", [])
        self.asked = 0
        self.refused: list[str] = []

    def serve(self) -> None:
        self.act(self.script.get("start", []), None, {})
        for line in sys.stdin:
            message = json.loads(line)
            self.note(message)
            if "method" in message:
                self.handle(message)

    def note(self, message: dict[str, Any]) -> None:
        """What it was told, for the test to read."""
        if "heard" in self.script:
            with open(self.script["heard"], "a", encoding="utf-8") as file:
                file.write(json.dumps(message) + "\n")

    def handle(self, message: dict[str, Any]) -> None:
        method, id, params = message["method"], message.get("id"), message.get("params") or {}
        self.act(self.script.get("before", {}).get(method, []), id, params)
        if id is None:
            return
        if method in self.refused:
            self.refused.remove(method)
            self.send({"id": id, "error": {"code": -32603, "message": "not now"}})
        elif method == "initialize":
            self.reply(id, {**HELLO, **self.script.get("hello", {})})
        elif method == "tools/list":
            self.reply(id, self.page(params))
        elif method == "tools/call":
            self.act(self.script.get("answers", {}).get(params["name"], [{"echo": 1}]), id, params)
        elif method in self.script.get("methods", {}):
            self.act(self.script["methods"][method], id, params)
        elif method == "ping":
            self.reply(id, {})
        else:
            self.send({"id": id, "error": {"code": -32601, "message": f"no {method} here"}})

    def page(self, params: dict[str, Any]) -> dict[str, Any]:
        size = self.script.get("page", len(self.tools) or 1)
        start = int(params.get("cursor", 0))
        page = {"tools": self.tools[start : start + size]}
        if self.script.get("endless_pages"):
            return {**page, "nextCursor": str(start + 1)}
        return page if start + size >= len(self.tools) else {**page, "nextCursor": str(start + size)}

    def act(self, actions: list[dict[str, Any]], id: object, params: dict[str, Any]) -> None:
        for action in actions:
            ((what, value),) = action.items()
            getattr(self, f"do_{what}")(value, id, params)

    def do_reply(self, value: Any, id: object, params: dict[str, Any]) -> None:
        self.reply(id, value)

    def do_text(self, value: Any, id: object, params: dict[str, Any]) -> None:
        self.reply(id, {"content": [{"type": "text", "text": value}]})

    def do_echo(self, value: Any, id: object, params: dict[str, Any]) -> None:
        self.do_text(json.dumps(params.get("arguments")), id, params)

    def do_count(self, value: Any, id: object, params: dict[str, Any]) -> None:
        self.do_text(str(len(params["arguments"]["text"])), id, params)

    def do_large(self, value: Any, id: object, params: dict[str, Any]) -> None:
        self.do_text("x" * value, id, params)

    def do_crumbs(self, value: Any, id: object, params: dict[str, Any]) -> None:
        self.reply(id, {"content": [{"type": "text", "text": "x"}] * value})

    def do_error(self, value: Any, id: object, params: dict[str, Any]) -> None:
        self.send({"id": id, "error": value})

    def do_write(self, value: Any, id: object, params: dict[str, Any]) -> None:
        self.raw(value.replace("ID", json.dumps(id)).encode())

    def do_bytes(self, value: Any, id: object, params: dict[str, Any]) -> None:
        self.raw(bytes.fromhex(value))

    def do_pieces(self, value: Any, id: object, params: dict[str, Any]) -> None:
        """A result of so many characters, so many bytes a write."""
        size, piece = value
        result = {"content": [{"type": "text", "text": "x" * size}]}
        data = json.dumps({"jsonrpc": "2.0", "id": id, "result": result}).encode() + b"\n"
        for start in range(0, len(data), piece):
            os.write(1, data[start : start + piece])

    def do_endless(self, value: Any, id: object, params: dict[str, Any]) -> None:
        """So many bytes without an end of line."""
        piece = b"x" * 65_536
        for _ in range(value // len(piece)):
            self.raw(piece)

    def do_stderr(self, value: Any, id: object, params: dict[str, Any]) -> None:
        text, times = value
        for _ in range(times):
            sys.stderr.write(text)
        sys.stderr.flush()

    def do_wait(self, value: Any, id: object, params: dict[str, Any]) -> None:
        """Until a file is there."""
        while not os.path.exists(value):
            time.sleep(0.01)

    def do_later(self, value: Any, id: object, params: dict[str, Any]) -> None:
        """Answers `open` once a file is there, and other messages meanwhile."""

        def wait() -> None:
            self.do_wait(value, id, params)
            self.do_text("open", id, params)

        threading.Thread(target=wait, daemon=True).start()

    def do_when(self, value: Any, id: object, params: dict[str, Any]) -> None:
        """Does something once a file is there, and answers meanwhile: the file, and what."""
        path, actions = value

        def wait() -> None:
            self.do_wait(path, id, params)
            self.act(actions, None, params)

        threading.Thread(target=wait, daemon=True).start()

    def do_restless(self, value: Any, id: object, params: dict[str, Any]) -> None:
        """Says so often, in seconds, that its list has changed; and it has."""

        def change() -> None:
            number = 0
            while True:
                time.sleep(value)
                number += 1
                self.tools = [*self.tools[:1], {**self.tools[0], "name": f"number_{number}"}]
                self.send({"method": "notifications/tools/list_changed"})

        threading.Thread(target=change, daemon=True).start()

    def do_touch(self, value: Any, id: object, params: dict[str, Any]) -> None:
        open(value, "w").close()
        self.do_text("made", id, params)

    def do_rewrite(self, value: Any, id: object, params: dict[str, Any]) -> None:
        """What the next life does."""
        with open(sys.argv[1], "w", encoding="utf-8") as file:
            json.dump(value, file)

    def do_stubborn(self, value: Any, id: object, params: dict[str, Any]) -> None:
        """Ends neither by a signal nor with its input."""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def do_fork(self, value: Any, id: object, params: dict[str, Any]) -> None:
        """Has a child that leaves its session and waits for ever."""
        if os.fork() == 0:
            os.setsid()
            self.do_hang(1, None, {})

    def do_sleep(self, value: Any, id: object, params: dict[str, Any]) -> None:
        time.sleep(value)

    def do_append(self, value: Any, id: object, params: dict[str, Any]) -> None:
        path, line = value
        with open(path, "a", encoding="utf-8") as file:
            file.write(line + "\n")

    def do_progress(self, value: Any, id: object, params: dict[str, Any]) -> None:
        token = params.get("_meta", {}).get("progressToken")
        told = {"progressToken": value.get("token", token), **{k: v for k, v in value.items() if k != "token"}}
        self.send({"method": "notifications/progress", "params": told})

    def do_notify(self, value: Any, id: object, params: dict[str, Any]) -> None:
        self.send({"method": value})

    def do_ask(self, value: Any, id: object, params: dict[str, Any]) -> None:
        """Asks the client, and gives its answer as the text of the result."""
        self.asked += 1
        asked = f"ask-{self.asked}"
        self.send({"id": asked, **value})
        for line in sys.stdin:
            message = json.loads(line)
            self.note(message)
            if message.get("id") == asked and "method" not in message:
                self.do_text(json.dumps(message.get("result", message.get("error"))), id, params)
                return

    def do_tools(self, value: Any, id: object, params: dict[str, Any]) -> None:
        self.tools = value

    def do_refuse(self, value: Any, id: object, params: dict[str, Any]) -> None:
        self.refused.append(value)

    def do_times(self, value: Any, id: object, params: dict[str, Any]) -> None:
        """The same several times: how often, and what."""
        times, actions = value
        for _ in range(times):
            self.act(actions, id, params)

    def do_until(self, value: Any, id: object, params: dict[str, Any]) -> None:
        """Waits until a message of this method has come, and answers nothing meanwhile."""
        for line in sys.stdin:
            message = json.loads(line)
            self.note(message)
            if message.get("method") == value:
                return

    def do_exit(self, value: Any, id: object, params: dict[str, Any]) -> None:
        sys.stdout.flush()
        os._exit(value)

    def do_die(self, value: Any, id: object, params: dict[str, Any]) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def do_hang(self, value: Any, id: object, params: dict[str, Any]) -> None:
        """Reads no more."""
        while True:
            time.sleep(3600)

    def reply(self, id: object, result: Any) -> None:
        self.send({"id": id, "result": result})

    def send(self, message: dict[str, Any]) -> None:
        self.raw(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def raw(self, data: bytes) -> None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        script = json.load(file)
    Server(script).serve()

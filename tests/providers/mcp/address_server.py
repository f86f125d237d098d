"""`plain_server.py` at an address on loopback: a script, the same actions, another way to be reached.

Arguments: the script, and how it answers: `json` (the body of the answer is all that it writes), `events` (each line
is an event of the answer; what is said unasked goes to the stream of a GET) or `sse` (the older transport of two
channels). Its first line of output is its port.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from plain_server import Server

Write = Callable[[bytes], object]


class Events:
    """Lines as events, as they come."""

    def __init__(self, write: Write) -> None:
        self._write = write
        self._lock = threading.Lock()
        self._fresh = True

    def __call__(self, data: bytes) -> None:
        with self._lock:
            for line in data.splitlines(keepends=True):
                if self._fresh:
                    self._write(b"data: ")
                self._write(line)
                self._fresh = line.endswith(b"\n")
                if self._fresh:
                    self._write(b"\n")


class AtAnAddress(Server):
    def __init__(self, script: dict[str, Any]) -> None:
        super().__init__(script)
        self.here = threading.local()
        self.beside: Write | None = None
        """The stream of a GET."""

    def raw(self, data: bytes) -> None:
        write = getattr(self.here, "write", None) or self.beside
        if write is not None:
            write(data)


class Handler(BaseHTTPRequestHandler):
    served: AtAnAddress
    way: str

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.way == "sse" or "id" not in message or "method" not in message:
            self._head("202 Accepted", "content-length: 0")
            self.wfile.flush()
            self._handle(message, self.served.beside)
        else:
            kind = "application/json" if self.way == "json" else "text/event-stream"
            self._head("200 OK", f"content-type: {kind}", "mcp-session-id: s")
            self._handle(message, self.wfile.write if self.way == "json" else Events(self.wfile.write))

    def do_GET(self) -> None:
        self._head("200 OK", "content-type: text/event-stream")
        if self.way == "sse":
            self.wfile.write(b"event: endpoint\ndata: /messages\n\n")
        self.served.beside = Events(self.wfile.write)
        self.served.act(self.served.script.get("start", []), None, {})
        self.rfile.read()  # until the client goes

    def do_DELETE(self) -> None:
        self._head("200 OK", "content-length: 0")

    def _handle(self, message: dict[str, Any], write: Write | None) -> None:
        self.served.here.write = write
        if "method" in message:
            self.served.handle(message)

    def _head(self, status: str, *headers: str) -> None:
        lines = (f"HTTP/1.1 {status}", *headers, "connection: close", "", "")
        self.wfile.write("\r\n".join(lines).encode())
        self.close_connection = True

    def log_message(self, *said: object) -> None: ...


class Listening(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *of: object) -> None:
        """Clients go when they have had enough."""


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        Handler.served = AtAnAddress(json.load(file))
    Handler.way = sys.argv[2]
    with Listening(("127.0.0.1", 0), Handler) as listening:
        print(listening.server_address[1], flush=True)
        listening.serve_forever()

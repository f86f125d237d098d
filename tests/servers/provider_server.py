"""A local server that speaks one provider's wire: plays a script, and checks every request.

Which turn it plays follows from the conversation it is sent, so one server serves many conversations at
once. A request that is not right is answered as the provider would, with status 400, and noted.
"""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from handrail.wire import Wire
from servers.anthropic_dialect import AnthropicDialect
from servers.chat_dialect import ChatDialect
from servers.conversation import problems
from servers.dialect import Dialect
from servers.faults import FINE, Fault
from servers.gemini_dialect import GeminiDialect
from servers.responses_dialect import ResponsesDialect
from servers.script import Turn, numbered
from wire.sdk_types import MESSAGES, TOOLS, problem

DIALECTS: dict[Wire, type[Dialect]] = {
    Wire.ANTHROPIC: AnthropicDialect,
    Wire.OPENAI_CHAT: ChatDialect,
    Wire.OPENAI_RESPONSES: ResponsesDialect,
    Wire.GEMINI: GeminiDialect,
}


class ProviderServer:
    """`with ProviderServer(AnthropicDialect(), script) as server:` listens at `server.url` until the block ends.

    `wrong` holds what was wrong with any request; `played` the turns that were sent, by number from 0. The first
    requests meet `faults`, one each; those that come then meet none.
    """

    def __init__(
        self,
        dialect: Dialect,
        script: Sequence[Turn],
        faults: Sequence[Fault] = (),
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.dialect = dialect
        self.faults = list(faults)
        self.headers: list[dict[str, str]] = []
        self.gone = threading.Event()
        """Set when a client went away in the middle of an answer."""
        self.script = numbered(script)
        self.wrong: list[str] = []
        self.requests: list[Any] = []
        self.played: list[int] = []
        self._sent = [dialect.model_step(turn) for turn in self.script]
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        if tls is not None:
            self._http.socket = tls.wrap_socket(self._http.socket, server_side=True)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,))

    @property
    def port(self) -> int:
        return self._http.server_port

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> ProviderServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def turn_for(self, body: Any) -> Turn | str:
        """The turn that answers a request, or what is wrong with it."""
        self.requests.append(body)
        # What has the wrong shape can't be looked into any further.
        found = "; ".join(self._wrong_types(body)) or "; ".join(self._wrong_turns(body))
        if found:
            self.wrong.append(found)
            return found
        number = sum(step.by == "model" for step in self.dialect.steps(self.dialect.messages(body)))
        if number >= len(self.script):
            self.wrong.append("the script is over")
            return "the script is over"
        self.played.append(number)
        return self.script[number]

    def _wrong_types(self, body: Any) -> Iterator[str]:
        wire = self.dialect.wire
        for message in self.dialect.messages(body):
            if wrong := problem(message, MESSAGES[wire]):
                yield f"not a message that the SDK knows: {wrong}"
        for tool in self.dialect.tools(body):
            if wrong := problem(tool, TOOLS[wire]):
                yield f"not a tool that the SDK knows: {wrong}"

    def _wrong_turns(self, body: Any) -> Iterator[str]:
        dialect = self.dialect
        names = dialect.names(dialect.tools(body))
        if not names:
            yield "no tools were sent"
        if len(set(names)) < len(names):
            yield f"a tool was sent twice: {names}"
        yield from problems(dialect.steps(dialect.messages(body)), self._sent, alternates=dialect.alternates)


def _handler(server: ProviderServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """One connection for each request: nothing stays open when the test is over."""

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.headers.append({name.lower(): content for name, content in self.headers.items()})
            fault = server.faults.pop(0) if server.faults else FINE
            streams = server.dialect.streams(self.path, body)
            if streams is None:
                server.wrong.append(f"no such path: {self.path}")
                self._send(HTTPStatus.NOT_FOUND, server.dialect.error(f"no such path: {self.path}"))
            elif fault.hangs_up:
                self.connection.shutdown(socket.SHUT_RDWR)
            elif fault.status != HTTPStatus.OK or fault.body is not None:
                document = server.dialect.error(fault.message) if fault.body is None else fault.body
                self._send(fault.status, document, fault)
            else:
                self._answer(server.turn_for(body), fault, streams=streams and not fault.whole)

        def log_message(self, *_: object) -> None:
            return

        def _answer(self, turn: Turn | str, fault: Fault, *, streams: bool) -> None:
            if isinstance(turn, str):
                self._send(HTTPStatus.BAD_REQUEST, server.dialect.error(turn))
            elif streams:
                try:
                    self._stream(turn, fault)
                except OSError:
                    server.gone.set()
            else:
                self._send(HTTPStatus.OK, server.dialect.whole(turn))

        def _send(self, status: int, document: Any, fault: Fault = FINE) -> None:
            data = (document if isinstance(document, str) else json.dumps(document)).encode()
            self.send_response(status)
            self.send_header("Content-Type", fault.media_type or "application/json")
            self.send_header("Content-Length", str(len(data)))
            for name, content in fault.headers.items():
                self.send_header(name, content)
            self.end_headers()
            self.wfile.write(data)

        def _stream(self, turn: Turn, fault: Fault) -> None:
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", fault.media_type or "text/event-stream")
            for name, content in fault.headers.items():
                self.send_header(name, content)
            self.end_headers()
            for number, (name, data) in enumerate(server.dialect.events(turn)):
                if number == fault.cut_after:
                    return
                if number == fault.silent_after:
                    self._wait_until_they_go()
                    return
                text = data if isinstance(data, str) else json.dumps(data)
                event = (f"event: {name}\n" if name else "") + f"data: {text}\n\n"
                if fault.instead and fault.instead[0] == number:
                    event = fault.instead[1]
                self._write(event.encode(), byte_by_byte=fault.dripped)

        def _write(self, data: bytes, *, byte_by_byte: bool) -> None:
            for piece in (data[place : place + 1] for place in range(len(data))) if byte_by_byte else [data]:
                self.wfile.write(piece)
                self.wfile.flush()

        def _wait_until_they_go(self) -> None:
            """A client that goes away ends the connection: then there is nothing to read but the end."""
            self.connection.recv(1)
            server.gone.set()

    return Handler

"""A local MCP server over HTTP with an authorization server of its own: OAuth 2.1 as strict as the standards allow.

Codes and refresh tokens are good for one use, PKCE and redirect addresses are checked, and a token can be made to
run out. `requests` notes what was asked, `wrong` what no client should have sent.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit


@dataclass
class OAuthServer:
    """`with OAuthServer() as server:` listens at `server.url` until the block ends."""

    expires_in: int | None = 3600
    refuses_refresh: bool = False
    refresh_status: int = 0
    """Answers a refresh with this status, as a server in trouble does; 0 answers."""
    denies: bool = False
    """The person at the browser says no."""
    asks_login: bool = True
    rotates: bool = True
    open_registration: bool = True
    elsewhere: dict[str, str] = field(default_factory=dict)
    """Addresses that its metadata names in place of its own; as `issuer`, that of the whole authorization server."""
    clients: dict[str, dict[str, Any]] = field(default_factory=dict)
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    access: set[str] = field(default_factory=set)
    refresh: set[str] = field(default_factory=set)
    issued: list[str] = field(default_factory=list)
    """Every secret that was ever given out."""
    requests: list[str] = field(default_factory=list)
    refreshes: int = 0
    calls: int = 0
    wrong: list[str] = field(default_factory=list)
    asked_to_refresh: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self._lock = threading.RLock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,))

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"

    @property
    def url(self) -> str:
        return f"{self.base}/mcp"

    def __enter__(self) -> OAuthServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def expire(self) -> None:
        """No access token given out so far is good any more."""
        with self._lock:
            self.access.clear()

    def tokens(self) -> dict[str, Any]:
        with self._lock:
            access, refresh = f"at-{secrets.token_hex(16)}", f"rt-{secrets.token_hex(16)}"
            self.access.add(access)
            self.refresh.add(refresh)
            self.issued += [access, refresh]
            lasts = {} if self.expires_in is None else {"expires_in": self.expires_in}
            return {"access_token": access, "token_type": "bearer", "refresh_token": refresh, "scope": "tools", **lasts}

    def answer(self, method: str, target: str, headers: Any, body: bytes) -> tuple[int, dict[str, str], bytes]:
        with self._lock:
            path, query = urlsplit(target).path, parse_qs(urlsplit(target).query)
            self.requests.append(f"{method} {path}")
            given = {name: values[0] for name, values in query.items()}
            if path == "/mcp":
                return self._mcp(method, headers, body)
            if path.startswith("/.well-known/oauth-protected-resource"):
                return _json({"resource": self.url, "authorization_servers": [self.elsewhere.get("issuer", self.base)]})
            if path.startswith("/.well-known/oauth-authorization-server"):
                return _json(self._metadata())
            if path == "/register" and self.open_registration:
                client = {**json.loads(body), "client_id": f"client-{secrets.token_hex(4)}"}
                self.clients[client["client_id"]] = client
                return _json(client, 201)
            if path == "/authorize":
                return self._authorize(given)
            if path == "/token":
                return self._token({name: values[0] for name, values in parse_qs(body.decode()).items()})
            return 404, {}, b""

    def _metadata(self) -> dict[str, Any]:
        return {
            "issuer": self.base,
            "authorization_endpoint": f"{self.base}/authorize",
            "token_endpoint": f"{self.base}/token",
            "registration_endpoint": f"{self.base}/register",
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
            **self.elsewhere,
            "scopes_supported": ["tools"],
            "token_endpoint_auth_methods_supported": ["none"],
        }

    def _authorize(self, given: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        client = self.clients.get(given.get("client_id", ""))
        if client is None or given.get("redirect_uri") not in client["redirect_uris"]:
            self.wrong.append(f"authorize: {given}")
            return 400, {}, b"unknown client or redirect address"
        back = {"state": given["state"]}
        if self.denies:
            back |= {"error": "access_denied", "error_description": "the person said no"}
        else:
            back["code"] = secrets.token_hex(8)
            self.codes[back["code"]] = given
        return 302, {"Location": f"{given['redirect_uri']}?{urlencode(back)}"}, b""

    def _token(self, form: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        if form.get("grant_type") == "refresh_token":
            self.refreshes += 1
            self.asked_to_refresh.set()
            if self.refresh_status:
                return self.refresh_status, {}, b""
            if self.refuses_refresh or form.get("refresh_token") not in self.refresh:
                return _json({"error": "invalid_grant"}, 400)
            if form.get("client_id") not in self.clients or form.get("resource", self.url) != self.url:
                self.wrong.append(f"refresh: {form}")
            if self.rotates:
                self.refresh.discard(form["refresh_token"])
            return _json(self.tokens())
        asked = self.codes.pop(form.get("code", ""), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if asked is None or asked["code_challenge"] != challenge or asked["redirect_uri"] != form.get("redirect_uri"):
            self.wrong.append(f"token: {form}")
            return _json({"error": "invalid_grant"}, 400)
        return _json(self.tokens())

    def _mcp(self, method: str, headers: Any, body: bytes) -> tuple[int, dict[str, str], bytes]:
        token = (headers.get("Authorization") or "").removeprefix("Bearer ")
        if self.asks_login and token not in self.access:
            where = f'Bearer resource_metadata="{self.base}/.well-known/oauth-protected-resource"'
            return 401, {"WWW-Authenticate": where}, b""
        if method != "POST":
            return 405, {}, b""
        message = json.loads(body)
        if "id" not in message:
            return 202, {}, b""
        self.calls += message["method"] == "tools/call"
        result = _results(message)
        if result is None:
            error = {"code": -32601, "message": "no such method"}
            return _json({"jsonrpc": "2.0", "id": message["id"], "error": error})
        return _json({"jsonrpc": "2.0", "id": message["id"], "result": result})


def _results(message: dict[str, Any]) -> dict[str, Any] | None:
    params = message.get("params") or {}
    tool: dict[str, Any] = {"name": "echo", "description": "Says it again.", "inputSchema": {"type": "object"}}
    tool["annotations"] = {"readOnlyHint": True}
    return {
        "initialize": {
            "protocolVersion": params.get("protocolVersion", "2025-06-18"),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "locked", "version": "1"},
        },
        "tools/list": {"tools": [tool]},
        "tools/call": {"content": [{"type": "text", "text": json.dumps(params.get("arguments"))}]},
        "ping": {},
    }.get(message["method"])


def _json(content: dict[str, Any], status: int = 200) -> tuple[int, dict[str, str], bytes]:
    return status, {"Content-Type": "application/json"}, json.dumps(content).encode()


def _handler(server: OAuthServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, headers, content = server.answer(self.command, self.path, self.headers, body)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Nothing on the tests' stderr."""

    for method in ("GET", "POST", "DELETE"):
        setattr(Handler, f"do_{method}", Handler.do)
    return Handler

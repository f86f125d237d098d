"""A person logs in at an HTTP server: discovery, registration, the browser, and the tokens that come of it.

The flow is the SDK's (OAuth 2.1 with PKCE, RFC 8414, 9728, 7591, 8707, 9207). Here are what it asks for: where its
answers are kept, how a person gets to the authorization server, and the loopback address they come back to.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import httpx2
from mcp.client.auth import OAuthClientProvider, OAuthFlowError, OAuthRegistrationError, OAuthTokenError
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
)
from pydantic import AnyUrl, ValidationError

from handrail.errors import LoginFailed
from handrail.policy.wording import shortened
from handrail.providers.mcp.callback import Callback, listening
from handrail.providers.mcp.oauth import NOT_ENCRYPTED
from handrail.providers.mcp.renewal import is_safe
from handrail.providers.mcp.tokens import Login
from handrail.settings.mcp.server import Concealed, Http, OAuth

WITHIN = 300.0
"""Seconds that a person has for the browser."""

_REQUEST_WITHIN = 30.0
_PROTOCOL = "2025-06-18"
_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": _PROTOCOL,
        "capabilities": {},
        "clientInfo": {"name": "handrail", "version": "0"},
    },
}


async def log_in(server: Http, wanted: OAuth | None, show: Callable[[str], None], within: float = WITHIN) -> Login:
    """`show` gets the address that a person has to visit. Raises LoginFailed; UsageError for a port that is taken."""
    if not is_safe(server.url):
        raise LoginFailed(NOT_ENCRYPTED)
    wanted = wanted or OAuth()
    async with listening(wanted.callback_port) as callback:
        way = _Way(server, wanted, callback, show)
        try:
            async with asyncio.timeout(within):
                return await way.go()
        except TimeoutError as error:
            raise LoginFailed(f"nobody came back from the browser within {within:.0f} seconds; try again") from error
        except (OAuthFlowError, OAuthRegistrationError, OAuthTokenError, ValidationError, httpx2.HTTPError) as error:
            raise LoginFailed(_why(error)) from error


class _Way:
    """One login under way."""

    def __init__(self, server: Http, wanted: OAuth, callback: Callback, show: Callable[[str], None]) -> None:
        self._server = server
        self._wanted = wanted
        self._callback = callback
        self._show = show
        about_us = OAuthClientMetadata(
            client_name="Handrail",
            redirect_uris=[AnyUrl(callback.url)],
            grant_types=["authorization_code", "refresh_token"],
            response_types=["code"],
            scope=" ".join(wanted.scopes) or None,
        )
        self._flow = OAuthClientProvider(
            server.url, about_us, _Fresh(wanted, callback.url), self._send_person, self._person_back
        )

    async def go(self) -> Login:
        checked = {"request": [self._check]}
        async with httpx2.AsyncClient(timeout=_REQUEST_WITHIN, follow_redirects=False, event_hooks=checked) as client:
            if self._wanted.metadata_url:
                found = await client.get(self._wanted.metadata_url)
                self._flow.context.oauth_metadata = OAuthMetadata.model_validate_json(found.content)
            headers = {
                **self._server.headers,
                "Accept": "application/json, text/event-stream",
                "MCP-Protocol-Version": _PROTOCOL,
            }
            # The older transport begins with a GET, and may know no other method.
            method, hello = ("GET", None) if self._server.kind == "sse" else ("POST", _INITIALIZE)
            async with client.stream(
                method, self._server.url, json=hello, headers=headers, auth=self._flow
            ) as response:
                status = response.status_code
        tokens = self._flow.context.current_tokens
        if tokens is None:
            raise LoginFailed(f"the server asks for no login: it answered with status {status}")
        if status in (401, 403):
            raise LoginFailed(f"{self._server.url} refuses the tokens of its own authorization server ({status})")
        return self._login(tokens)

    async def _check(self, request: httpx2.Request) -> None:
        """Before each request: the code, the secret of a client and the tokens go nowhere unencrypted."""
        asked = request.url
        if not is_safe(str(asked)):
            where = shortened(f"{asked.scheme}://{asked.host}{asked.path}")
            raise LoginFailed(f"the server names {where} for logins, which is not encrypted; nothing was sent there")

    async def _send_person(self, address: str) -> None:
        if not is_safe(address):
            raise LoginFailed("the server names an authorization address that is not encrypted; nothing was opened")
        parts = urlsplit(address)
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        self._callback.state = query["state"]
        if self._wanted.scopes:
            query["scope"] = " ".join(self._wanted.scopes)
        self._show(urlunsplit(parts._replace(query=urlencode(query))))

    async def _person_back(self) -> AuthorizationCodeResult:
        returned = await self._callback.returned()
        if returned.error:
            raise LoginFailed(f"the authorization server refused: {shortened(returned.error)}")
        return AuthorizationCodeResult(code=returned.code, state=returned.state, iss=returned.issuer or None)

    def _login(self, tokens: OAuthToken) -> Login:
        context = self._flow.context
        client, found = context.client_info, context.oauth_metadata
        if client is None:
            raise LoginFailed("the authorization server gave tokens to nobody: no client was registered")
        base = context.get_authorization_base_url(context.server_url)
        told = context.should_include_resource_param(context.protocol_version)
        return Login(
            access=Concealed(tokens.access_token),
            token_endpoint=str(found.token_endpoint) if found else f"{base}/token",
            client_id=client.client_id,
            refresh=Concealed(tokens.refresh_token or ""),
            expires_at=None if tokens.expires_in is None else time.time() + tokens.expires_in,
            client_secret=Concealed(client.client_secret or ""),
            client_auth=client.token_endpoint_auth_method or "none",
            scope=tokens.scope or "",
            resource=context.get_resource_url() if told else "",
        )


class _Fresh:
    """The SDK's storage for one login: it begins anew each time, with the client that a person named, if any."""

    def __init__(self, wanted: OAuth, callback: str) -> None:
        self._client = _named_client(wanted, callback)

    async def get_tokens(self) -> OAuthToken | None:
        return None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """They are kept once the server has taken them."""

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self._client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Kept with the tokens."""


def _named_client(wanted: OAuth, callback: str) -> OAuthClientInformationFull | None:
    if not wanted.client_id:
        return None
    return OAuthClientInformationFull(
        client_id=wanted.client_id,
        client_secret=wanted.client_secret or None,
        redirect_uris=[AnyUrl(callback)],
        token_endpoint_auth_method="client_secret_post" if wanted.client_secret else "none",
    )


def _why(error: Exception) -> str:
    if isinstance(error, httpx2.HTTPError):
        return f"the server can't be reached: {type(error).__name__}: {shortened(str(error))}"
    if isinstance(error, ValidationError):
        return "what the server says of its authorization server can't be read; ask who runs it"
    return shortened(str(error).splitlines()[0] if str(error) else type(error).__name__)

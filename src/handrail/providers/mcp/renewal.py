"""Asks an authorization server for new tokens in the place of ones that ran out: RFC 6749, section 6."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import quote, urlsplit

import httpx2

from handrail.providers.mcp.tokens import Login
from handrail.settings.mcp.server import Concealed

WITHIN = 20.0
"""Seconds for one answer of an authorization server."""

_LOOPBACK = frozenset(("127.0.0.1", "::1", "localhost"))
_MAY_PASS = frozenset((408, 425, 429))
"""Answers that say nothing about the login: it may be tried again."""


class LoginOver(Exception):
    """The authorization server takes this login no more: a person has to log in again."""


class NotRenewed(Exception):
    """No new token now; it may go well later. The message is a clause."""


def is_safe(url: str) -> bool:
    """Whether secrets may be sent there: encrypted, or to this very machine."""
    parts = urlsplit(url)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)


async def renewed(login: Login, now: float) -> Login:
    """`now` is the time before the request. Raises LoginOver, NotRenewed, whatever the server answers."""
    if not login.refresh or not is_safe(login.token_endpoint):
        raise LoginOver
    try:
        async with httpx2.AsyncClient(timeout=WITHIN, follow_redirects=False) as client:
            response = await client.post(login.token_endpoint, data=_form(login), headers=_headers(login))
            said = response.json() if response.is_success else {}
    except httpx2.HTTPError as error:
        raise NotRenewed(f"its authorization server can't be reached: {type(error).__name__}") from error
    except (ValueError, RecursionError) as error:
        raise NotRenewed("its authorization server answered with something else than JSON") from error
    status = response.status_code
    if status in _MAY_PASS or status >= 500 or 300 <= status < 400:
        raise NotRenewed(f"its authorization server answered with status {status}")
    if not isinstance(said, Mapping) or not isinstance(said.get("access_token"), str):
        raise LoginOver
    lasts = said.get("expires_in")
    return replace(
        login,
        access=Concealed(said["access_token"]),
        refresh=Concealed(said.get("refresh_token") or login.refresh),
        expires_at=now + lasts if isinstance(lasts, (int, float)) else None,
        scope=str(said.get("scope") or login.scope),
    )


def _form(login: Login) -> dict[str, str]:
    form = {"grant_type": "refresh_token", "refresh_token": str(login.refresh)}
    if login.resource:
        form["resource"] = login.resource
    if login.client_auth != "client_secret_basic":
        form["client_id"] = login.client_id
    if login.client_auth == "client_secret_post" and login.client_secret:
        form["client_secret"] = str(login.client_secret)
    return form


def _headers(login: Login) -> dict[str, str]:
    if login.client_auth != "client_secret_basic":
        return {}
    # RFC 6749, section 2.3.1: both parts are encoded as in a form first.
    pair = f"{quote(login.client_id, safe='')}:{quote(login.client_secret, safe='')}"
    return {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}

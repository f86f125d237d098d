"""Asks a search service that speaks JSON over HTTP. Its address is the person's own choice, and may be local."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from importlib import import_module

from handrail.contract.basics import Json, JsonObject
from handrail.errors import ToolFailed
from handrail.tools.web.address import Address

SECONDS = 20.0
LARGEST = 2_000_000
"""Bytes of an answer."""


_ADVICE = {
    400: "Search for less, in other words",
    422: "Search for less, in other words",
    429: "It was asked too often, or its quota is used up: wait, or tell the user",
}


async def asked(
    service: str,
    address: Address,
    headers: Mapping[str, str],
    advice: Mapping[int, str],
    body: JsonObject | None = None,
) -> Json:
    """What it answers. Raises ToolFailed; `advice` says what to do about a status.

    Nothing of the answer is in the message, for it may repeat the key, and no redirect is followed with it.
    """
    await asyncio.to_thread(import_module, "handrail.tools.web.exchange")  # a search is the first to need it
    import httpcore2

    from handrail.tools.web.exchange import Bounds, exchange

    tls = await asyncio.to_thread(httpcore2.default_ssl_context)
    sent = {"accept": "application/json", "content-type": "application/json", **headers}
    content = None if body is None else json.dumps(body).encode()
    answer = await exchange(httpcore2.AnyIOBackend(), tls, address, sent, Bounds(SECONDS, LARGEST), content)
    if answer.status != 200:
        what = advice.get(answer.status) or _ADVICE.get(answer.status, "Try later, or tell the user")
        raise ToolFailed(f"The search at {service} failed: it answered {answer.said}. {what}.")
    try:
        said: Json = json.loads(answer.body)
    except (ValueError, RecursionError) as error:
        what = "its answer is no JSON. Try later, or tell the user."
        raise ToolFailed(f"The search at {service} failed: {what}") from error
    return said

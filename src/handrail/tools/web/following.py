"""A fetch with its redirects: followed within one server, handed back where they lead to another.

Whom a call connects to is what was asked about and allowed. So the way to another host is for the policy to judge:
it is another call.
"""

from __future__ import annotations

import asyncio
import time
from typing import TypeAlias

from handrail.contract.values import value
from handrail.errors import ToolFailed
from handrail.tools.web.address import Address, BadAddress
from handrail.tools.web.exchange import Answer, Bounds, exchange
from handrail.tools.web.network import PublicInternet

MOST_REDIRECTS = 5
"""Within one server. Browsers follow 20; more than 5 is a loop or a log-in."""
SECONDS = 30.0
"""For one fetch, all its redirects included."""
LARGEST = 10_000_000
"""Bytes of one answer, packed or unpacked."""
ACCEPTED = "text/markdown, text/html;q=0.9, application/json;q=0.9, text/plain;q=0.9, */*;q=0.5"


@value
class Elsewhere:
    """The server sends to another one."""

    asked: Address
    status: int
    to: Address


Fetched: TypeAlias = Answer | Elsewhere


async def fetch(address: Address, internet: PublicInternet) -> Fetched:
    """Raises ToolFailed for an address that can't be fetched, and for redirects without end."""
    tls = await asyncio.to_thread(lambda: internet.tls)
    began, at = time.monotonic(), address
    for _ in range(MOST_REDIRECTS + 1):
        left = Bounds(max(0.0, SECONDS - (time.monotonic() - began)), LARGEST)
        answer = await exchange(internet, tls, at, {"accept": ACCEPTED}, left)
        if not answer.is_redirect:
            return answer
        to = _led_to(answer)
        if (at.scheme, to.scheme) == ("https", "http"):
            raise ToolFailed(f"{at} redirects ({answer.status}) to {to}, where anybody on the way could read along.")
        if not at.stays_with(to):
            return Elsewhere(address, answer.status, to)
        at = to
    raise ToolFailed(f"{address} redirects more than {MOST_REDIRECTS} times, the last time to {at}: given up.")


def _led_to(answer: Answer) -> Address:
    location = answer.headers["location"]
    try:
        return answer.address.led_to(location)
    except (BadAddress, ValueError) as error:
        raise ToolFailed(f"{answer.address} redirects ({answer.status}) to what is not fetched. {error}") from error

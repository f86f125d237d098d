"""Where one model is asked, and with what key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import SplitResult, quote, urlsplit

from handrail import __version__
from handrail.errors import UsageError
from handrail.wire import Wire

_ANTHROPIC_VERSION = "2023-06-01"
"""https://docs.anthropic.com/en/api/versioning"""

_HAS_ONLY = re.compile(r"[!-~]*")
"""What an address may hold: visible characters of ASCII (RFC 3986, section 2)."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address of a wire, a model there, and the key. The key is in no representation of it."""

    wire: Wire
    address: str
    model: str
    key: str = field(default="", repr=False)
    key_variable: str = ""
    """Where the key came from, for messages."""

    def __post_init__(self) -> None:
        """Raises UsageError for an address that is none, or to which a key would travel for everybody to read."""
        parts = _parts(self.address)
        if not _HAS_ONLY.fullmatch(self.address):
            raise UsageError(
                f"{self.address!r} has characters that stand in no address; write them as requests have them: %20 for "
                "a space, xn--… for a name in other letters"
            )
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.password:
            raise UsageError(
                f"{self.address!r} is no address of a model's provider; write it as https://host/path, without a "
                "name or password in it"
            )
        if self.key and parts.scheme == "http" and not _is_near(parts.hostname):
            raise UsageError(
                f"the key in {self.key_variable or 'your settings'} is not sent to {self.address}: without TLS anybody "
                "on the way could read it; use https, or take the key away"
            )
        if not (self.key.isascii() and self.key.isprintable()):
            raise UsageError(f"what {self.key_variable} holds can't be a key: it has characters that no key has")

    @property
    def url(self) -> str:
        match self.wire:
            case Wire.ANTHROPIC:
                return f"{self.address.removesuffix('/v1')}/v1/messages"
            case Wire.OPENAI_RESPONSES:
                return f"{self.address}/responses"
            case Wire.GEMINI:
                base = self.address.removesuffix("/v1beta")
                return f"{base}/v1beta/models/{quote(self.model, safe='')}:streamGenerateContent?alt=sse"
            case _:
                return f"{self.address}/chat/completions"

    @property
    def headers(self) -> Mapping[str, str]:
        common = {"user-agent": f"Handrail/{__version__}", "accept": "text/event-stream, application/json"}
        match self.wire:
            case Wire.ANTHROPIC:
                return {**common, "anthropic-version": _ANTHROPIC_VERSION, **self._with_key("x-api-key")}
            case Wire.GEMINI:
                return {**common, **self._with_key("x-goog-api-key")}
            case _:
                return {**common, **self._with_key("authorization", "Bearer ")}

    @property
    def is_here(self) -> bool:
        """On this very machine: no proxy leads there."""
        return _is_loopback(urlsplit(self.address).hostname or "")

    def _with_key(self, header: str, before: str = "") -> Mapping[str, str]:
        return {header: before + self.key} if self.key else {}


def _parts(address: str) -> SplitResult:
    """Empty ones of what can't be taken apart."""
    try:
        parts = urlsplit(address)
        return parts if parts.port is None or parts.port else urlsplit("")
    except ValueError:
        return urlsplit("")


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _is_near(host: str) -> bool:
    """This machine, or an address of a private network."""
    try:
        return _is_loopback(host) or ip_address(host).is_private
    except ValueError:
        return False

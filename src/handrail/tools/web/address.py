"""Web addresses as a model writes them, read once: what is checked, asked about and connected to is one value.

Parsers that read one address in two ways are how checks are passed by, so there is one, and what browsers and
libraries are known to read differently is refused: user names, backslashes, blanks, escapes in the host. A host that
is a number in any spelling (`2130706433`, `0x7f.1`) becomes the IP address that it stands for, by the rules of
https://url.spec.whatwg.org/#concept-ipv4-parser. Pure.
"""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import quote, urljoin, urlsplit

from handrail.contract.values import value

DEFAULT_PORTS = {"http": 80, "https": 443}
LONGEST = 8_000
"""Characters. What servers must take is about as much: RFC 9110, 4.1."""

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")
_UNFIT = re.compile(r"[\x00-\x20\x7f-\xa0\u2028\u2029\\]")
_NUMBER = re.compile(r"[0-9]+|0[xX][0-9a-fA-F]*")
_NAME = re.compile(r"(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_SAFE = "/?:@!$&'()*+,;=-._~%[]|^`{}"
_GITHUB_FILE = re.compile(r"\A(https://)github\.com(/[^/?#]+/[^/?#]+)/blob(/[^?#]+)", re.IGNORECASE)


class BadAddress(ValueError):
    """What is wrong with it and what to write instead, as a sentence for the model."""


@value
class Address:
    """One http or https address. `str()` gives it as it is requested, in ASCII."""

    scheme: str
    host: str
    """In lower case and ASCII, without a last dot; an IP address in its usual form, IPv6 without brackets."""
    port: int
    target: str
    """Path and query, as the request line has them."""

    @property
    def has_usual_port(self) -> bool:
        return self.port == DEFAULT_PORTS[self.scheme]

    @property
    def authority(self) -> str:
        """Host and port as the Host header has them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.has_usual_port else f"{host}:{self.port}"

    @property
    def normal(self) -> str:
        """For telling whether two addresses are one: no slash at the end."""
        return str(self).rstrip("/")

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.target}"

    def led_to(self, location: str) -> Address:
        """Where a redirect to `location` leads. Raises BadAddress."""
        return parse(urljoin(str(self), location.strip()))

    def stays_with(self, other: Address) -> bool:
        """Whether `other` is the same server: the same host and port, or the https side of it."""
        upgrade = (self.scheme, other.scheme) == ("http", "https") and self.has_usual_port and other.has_usual_port
        same = (self.scheme, self.port) == (other.scheme, other.port)
        return self.host == other.host and (same or upgrade)


def parse(text: str) -> Address:
    """Raises BadAddress for what is no http or https address, or one that could be read in two ways."""
    text = text.strip()
    _check_characters(text)
    scheme = _scheme(text)
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise BadAddress(f"{_short(text)} is no address: {error}.") from error
    if "@" in parts.netloc:
        raise BadAddress(
            "The address holds a user name or password before the host, which are not sent. Leave out what stands "
            "between '://' and '@'."
        )
    if port == 0:
        raise BadAddress(f"{_short(text)} has port 0, which nothing listens at.")
    host = _host(parts.netloc, parts.hostname or "")
    path = quote(parts.path or "/", safe=_SAFE)
    target = f"{path}?{quote(parts.query, safe=_SAFE)}" if parts.query else path
    return Address(scheme, host, port or DEFAULT_PORTS[scheme], target)


def raw_form(text: str) -> str:
    """A file's page at GitHub as the address of the file itself; anything else as it is."""
    return _GITHUB_FILE.sub(r"\1raw.githubusercontent.com\2\3", text, count=1)


def addresses_in(text: str) -> tuple[list[Address], list[str]]:
    """The addresses among the words of a text, each once, and what is wrong with others that look like one.

    A word that stands alone is taken for an address whatever it looks like.
    """
    found: dict[str, Address] = {}
    wrong: list[str] = []
    words = text.split()
    for word in words:
        if "://" in word or len(words) == 1:
            try:
                address = parse(raw_form(word))
            except BadAddress as error:
                wrong.append(str(error))
            else:
                found.setdefault(address.normal, address)
    return list(found.values()), wrong


def _check_characters(text: str) -> None:
    if len(text) > LONGEST:
        raise BadAddress(f"The address has {len(text):,} characters; at most {LONGEST:,} are sent.")
    if unfit := _UNFIT.search(text):
        raise BadAddress(
            f"{_short(text)} holds {unfit.group()!r}, which no address holds. Write it as "
            f"{quote(unfit.group())}, or leave it out."
        )


def _scheme(text: str) -> str:
    match = _SCHEME.match(text)
    scheme = match.group(1).lower() if match else ""
    if scheme in DEFAULT_PORTS and text[len(scheme) + 1 :].startswith("//"):
        return scheme
    if "://" in text or scheme in ("data", "javascript", "file", "mailto", "about", "blob", *DEFAULT_PORTS):
        raise BadAddress(
            f'Unsupported protocol in URL: "{_short(text)}". Only http and https are supported: '
            "begin with http:// or https://."
        )
    raise BadAddress(f"{_short(text)} is no whole address. Begin it with https:// (or http://).")


def _host(netloc: str, host: str) -> str:
    if not host:
        raise BadAddress(f"The address names no host: {_short(netloc) or 'nothing'} stands after '://'.")
    if netloc.startswith("["):
        return _ipv6(netloc, host)
    if "%" in host:
        raise BadAddress(f"The host {_short(host)} holds an escape (%). Write the host as it is.")
    host = _in_ascii(host).rstrip(".")
    if host and _NUMBER.fullmatch(host.rpartition(".")[2]):
        return _ipv4(host)
    if len(host) > 253 or not _NAME.fullmatch(host):
        raise BadAddress(f"{_short(host or netloc)} can't be the name of a host.")
    return host


def _ipv6(netloc: str, host: str) -> str:
    inside, _, behind = netloc[1:].partition("]")
    if "%" in inside or (behind and not behind.startswith(":")):
        raise BadAddress(f"{_short(netloc)} is no IPv6 address that can be fetched from: write [2001:db8::1] or so.")
    try:
        return str(ipaddress.IPv6Address(host))
    except ValueError as error:
        raise BadAddress(f"{_short(netloc)} is no IPv6 address: {error}.") from error


def _ipv4(host: str) -> str:
    """`127.1`, `0177.0.0.1`, `0x7f000001`, `2130706433`: the last number fills the bytes that are left."""
    parts = host.split(".")
    try:
        numbers = [_number(part) for part in parts]
        last = 256 ** (5 - len(parts))
    except (ValueError, OverflowError):
        numbers, last = [], 0
    if not numbers or len(parts) > 4 or any(number > 255 for number in numbers[:-1]) or numbers[-1] >= last:
        raise BadAddress(f"The host {_short(host)} ends in a number and is no IPv4 address.")
    value = numbers[-1]
    for place, number in enumerate(numbers[:-1]):
        value += number << (8 * (3 - place))
    return str(ipaddress.IPv4Address(value))


def _number(part: str) -> int:
    if part[:2] in ("0x", "0X"):
        return int(part[2:] or "0", 16)
    return int(part, 8) if len(part) > 1 and part.startswith("0") else int(part)


def _in_ascii(host: str) -> str:
    """As it is looked up: `bücher.example` is `xn--bcher-kva.example`; letters that look like others are shown so."""
    if host.isascii():
        return host.lower()
    import idna  # few hosts need its tables

    try:
        return idna.encode(host, uts46=True, transitional=False).decode("ascii")
    except idna.IDNAError as error:
        raise BadAddress(f"{_short(host)} can't be the name of a host: {error}.") from error


def _short(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:200]}…"

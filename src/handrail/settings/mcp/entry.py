"""One server's entry in a file, read field by field: what is wrong is told with the field, and fails that server."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from hashlib import sha256
from typing import TypeVar
from urllib.parse import urlsplit

from handrail.contract.values import value
from handrail.policy.spelling import shown
from handrail.policy.wording import shortened
from handrail.settings.mcp.expanding import NotSet, Variables
from handrail.settings.mcp.headers import is_header
from handrail.settings.mcp.server import Concealed, Http, Stdio, Transport
from handrail.settings.mcp.showing import shown_words

T = TypeVar("T")


class BadEntry(Exception):
    """Why a server can't be started, with the field."""


@value
class Entry:
    """What a file says of one server, or of a part of it; `path` is where, as `headers.`."""

    said: Mapping[str, object]
    variables: Variables
    path: str = ""

    def within(self, name: str) -> Entry | None:
        """A table in it; None where there is none. Raises BadEntry for what is none."""
        given = self.said.get(name)
        if given is None:
            return None
        if not isinstance(given, Mapping):
            raise self._wrong(name, "a table of names and values")
        return Entry(given, self.variables, f"{self.path}{name}.")

    def text(self, *names: str) -> str:
        """The first of these fields that is given, filled in; empty where none is."""
        name = self._first(names)
        given = self.said.get(name, "")
        if not isinstance(given, str):
            raise self._wrong(name, "a text")
        return self._filled(name, given)

    def secret(self, *names: str) -> Concealed:
        """A text that is shown nowhere, wherever it comes from."""
        return _concealed(self.text(*names))

    def texts(self, *names: str) -> tuple[str, ...]:
        """A list of texts, or one text, filled in."""
        name = self._first(names)
        given = self.said.get(name, ())
        listed = given if isinstance(given, (list, tuple)) else (given,)
        if not all(isinstance(each, str) for each in listed):
            raise self._wrong(name, "a list of texts")
        return tuple(self._filled(f"{name}[{place}]", each) for place, each in enumerate(listed))

    def table(self, *names: str) -> Mapping[str, Concealed]:
        """Names and texts, filled in and concealed: variables and headers hold secrets. Numbers become texts."""
        inner = self.within(self._first(names))
        return {} if inner is None else {name: inner._concealed(name) for name in inner.said}

    def switch(self, name: str, otherwise: bool) -> bool:
        given = self.said.get(name, otherwise)
        if not isinstance(given, bool):
            raise self._wrong(name, "true or false")
        return given

    def number(self, *names: str, per: float = 1.0) -> float | None:
        """A positive number in units of which `per` are one; None where it is not given."""
        name = self._first(names)
        given = self.said.get(name)
        if given is None:
            return None
        if isinstance(given, bool) or not isinstance(given, (int, float)) or not 0 < given < 1e12:
            raise self._wrong(name, "a number above 0")
        return given / per

    def transport(self, helper: str = "") -> Transport:
        """As it says, with the command that makes headers; raises BadEntry where it says of none, or of several, how
        the server is reached.
        """
        kind = self.text("type", "transport").lower().replace("_", "-")
        command, url = self.texts("command"), self.text("url", "httpUrl")
        if kind in ("ws", "websocket") or "tcp" in self.said:
            raise BadEntry("WebSocket and TCP are not spoken here; use command, or url with http or sse")
        if kind not in _KINDS:
            raise BadEntry(f"type is {shown(shortened(kind))}; it is stdio, http or sse")
        if bool(command) == bool(url) or (kind == "stdio" and url) or (command and kind not in ("", "stdio")):
            raise BadEntry("it needs either a command, which is started, or a url, which is connected to")
        if helper and not url:
            raise BadEntry("headersHelper makes headers for a url, and there is none")
        if url:
            _check_address(url)
            unsaid = not kind and "url" in self.said
            old = kind == "sse" or (unsaid and _path(url).endswith("/sse"))
            return Http(url, self._headers(), "sse" if old else "http", or_older=unsaid and not old, helper=helper)
        program, *first = command
        if not program.strip():
            raise BadEntry("command is empty")
        folder = os.path.expanduser(self.text("cwd"))
        return Stdio(program, (*first, *self.texts("args")), self.table("env"), folder)

    def unread_transport(self) -> Transport:
        """Of a server that can't be started: its kind, and its address where that much can be read."""
        address = self.said.get("url", self.said.get("httpUrl"))
        if not isinstance(address, str) or "command" in self.said:
            return Stdio("")
        try:
            _check_address(url := self.text("url", "httpUrl"))
        except BadEntry:
            return Http("")
        return Http(url)

    def written(self) -> str:
        """How the server is reached, as it is written: no variable is filled in, and no secret shown."""
        words: list[str] = []
        for name in ("command", "args", "httpUrl", "url"):
            given = self.said.get(name, ())
            words += map(str, given if isinstance(given, (list, tuple)) else [given])
        return shortened(shown_words(words))

    def digest(self) -> str:
        """Of what decides what is started or connected to, as it is written."""
        said = {name: self.said.get(name) for name in _REACHING}
        return sha256(json.dumps(said, sort_keys=True, default=str).encode("utf-8", "surrogatepass")).hexdigest()

    def _headers(self) -> Mapping[str, str]:
        """Without the blanks around values, such as the end of the line of a file that a variable was read from."""
        headers = {name: Concealed(text.strip(), text.values) for name, text in self.table("headers").items()}
        for name, text in headers.items():
            if not is_header(name, text):
                raise BadEntry(f"{self.path}headers.{shown(shortened(name))} holds what no header of HTTP can hold")
        return headers

    def _concealed(self, name: str) -> Concealed:
        given = self.said[name]
        if isinstance(given, bool) or not isinstance(given, (str, int, float)):
            raise self._wrong(name, "a text")
        return _concealed(self._filled(name, str(given)))

    def _filled(self, name: str, text: str) -> str:
        try:
            made = self.variables.filled(text)
        except NotSet as error:
            raise BadEntry(
                f"{self.path}{name} needs the variable {error}, which is not set; set it, or write a value for when "
                f"it is not: ${{{error}:-…}}"
            ) from None
        if "\0" in made:
            raise BadEntry(f"{self.path}{name} holds a NUL")
        return made

    def _first(self, names: tuple[str, ...]) -> str:
        return next((name for name in names if name in self.said), names[0])

    def _wrong(self, name: str, wanted: str) -> BadEntry:
        return BadEntry(f"{self.path}{name} is not {wanted}")


_REACHING = ("command", "args", "env", "cwd", "url", "httpUrl", "headers", "headersHelper", "type", "transport")


def _concealed(text: str) -> Concealed:
    return text if isinstance(text, Concealed) else Concealed(text)


def _check_address(url: str) -> None:
    """Raises BadEntry, which repeats nothing of it: variables are filled in."""
    if not url.startswith(("http://", "https://")):
        raise BadEntry("url does not begin with http:// or https://")
    try:
        parts = urlsplit(url)
        is_address = bool(parts.hostname) and parts.port != 0 and url.isprintable() and " " not in url
    except ValueError:
        is_address = False
    if not is_address:
        raise BadEntry("url is no address, with its variables filled in: look at its host, port and signs")


_KINDS = ("", "stdio", "http", "streamable-http", "sse")


def _path(url: str) -> str:
    return url.partition("?")[0].rstrip("/")

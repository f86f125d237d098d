"""An MCP server as a file configures it: how it is reached, for how long, and how far it is believed. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NoReturn, Self, TypeAlias

from handrail.contract.values import value

START_WITHIN = 30.0
"""Seconds until a server must have answered and listed its tools; Claude Code's `MCP_TIMEOUT` too."""

CALL_WITHIN = 600.0
"""Seconds of one call; Gemini CLI's default too."""


class Concealed(str):
    """A text that may hold a secret, such as a variable's value: a text like any, but no `repr` shows it."""

    values: tuple[str, ...]
    """What was filled in, of which the text is made."""

    def __new__(cls, text: str = "", values: tuple[str, ...] = ()) -> Self:
        made = super().__new__(cls, text)
        made.values = values
        return made

    def __repr__(self) -> str:
        return "Concealed(…)"


class _Nothing(Mapping[str, str]):
    """An empty mapping that can be a default: Python 3.11 takes only what has a hash."""

    def __getitem__(self, key: str) -> NoReturn:
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __hash__(self) -> int:
        return 0


@value
class Stdio:
    """A program that speaks over its own standard input and output."""

    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = _Nothing()
    """Beside the variables that children of the runtime get."""
    cwd: str = ""
    """Relative to the workspace; empty for the workspace itself."""


@value
class Http:
    """An address that answers."""

    url: str
    headers: Mapping[str, str] = _Nothing()
    kind: Literal["http", "sse"] = "http"
    """Streamable HTTP, or the older transport of two channels."""
    or_older: bool = False
    """No file says which: the older one is tried where the server refuses the newer."""
    helper: str = ""
    """A shell command that prints more headers, as a JSON object; they win."""


Transport: TypeAlias = Stdio | Http


@value
class OAuth:
    """What a person says of signing in at a server; all else is discovered."""

    enabled: bool = True
    client_id: str = ""
    """Empty: the runtime registers itself."""
    client_secret: Concealed = Concealed()
    scopes: tuple[str, ...] = ()
    callback_port: int | None = None
    """Of the loopback address that the browser is sent back to; None takes any free one."""
    metadata_url: str = ""
    """Of the authorization server, where it can't be discovered."""


@value
class ServerConfig:
    """One server. What its file got wrong is its `problem`: it fails with that, and no other does."""

    name: str
    """As the person wrote it; rules name it so."""
    transport: Transport
    origin: str
    """The file that it stands in, as people see it named."""
    of_workspace: bool = False
    """It came with the workspace."""
    shown: str = ""
    """Command line or address for people, as written: no variable in it is filled in."""
    digest: str = ""
    """SHA-256 of all that says how it is reached, as written; hexadecimal."""
    start_within: float = START_WITHIN
    """Seconds."""
    call_within: float | None = CALL_WITHIN
    """Seconds that one call may take; progress begins them anew. None: the server bounds itself."""
    include: tuple[str, ...] = ()
    """The server's own names of the tools that are wanted; empty wants all."""
    exclude: tuple[str, ...] = ()
    """Names of tools that are not; they win."""
    trusted: bool = False
    """Its annotations are believed, and its calls need no yes of their own. Only the person's own files can say so."""
    enabled: bool = True
    oauth: OAuth | None = None
    problem: str = ""
    """Why it can't be started, with what to do: a variable that is not set."""
    always_loaded: bool = False
    """Its tools are on the menu from the start, however large they are."""

    def wants(self, tool: str) -> bool:
        """Whether a tool, by the server's own name for it, is to be offered."""
        return tool not in self.exclude and (not self.include or tool in self.include)

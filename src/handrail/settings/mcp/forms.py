"""How each kind of file writes a server down: ours, Claude Code's, Gemini CLI's. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from handrail.contract.values import value
from handrail.policy.spelling import unknown
from handrail.settings.mcp.entry import BadEntry, Entry
from handrail.settings.mcp.expanding import Variables
from handrail.settings.mcp.server import CALL_WITHIN, START_WITHIN, OAuth, ServerConfig, Stdio
from handrail.settings.origin import Origin

LONGEST_NAME = 128
"""Characters of a server's name."""
MOST_UNKNOWN = 20
"""Fields of one server that are not known, and are told of one by one."""

_SECOND, _MILLISECOND = 1.0, 1000.0
_LAST_PORT = 65_535


@value
class Form:
    """One kind of file."""

    starts: tuple[str, ...]
    """The fields, of which one is enough, that bound the start of a server."""
    calls: tuple[str, ...]
    """Those that bound one call."""
    per_second: float = _MILLISECOND
    """What its times count."""
    bare_variables: bool = False
    start_variable: str = ""
    """An environment variable that bounds the start, in the same unit."""
    call_variable: str = ""
    fields: tuple[str, ...] = ()
    """All that there are, where an unknown one is told of."""
    switched_off: tuple[str, ...] = ()
    """Where the file lists servers that are not to start: keys, with a dot for each step into it."""
    allowed: str = ""
    """Where it lists the only ones that may, if it does."""


OURS = Form(
    ("start_within",),
    ("call_within",),
    per_second=_SECOND,
    fields=(
        "command", "args", "env", "cwd", "url", "transport", "headers", "oauth", "start_within", "call_within",
        "include_tools", "exclude_tools", "trust", "enabled", "always_loaded",
    ),
    switched_off=("disabled",),
)  # fmt: skip
CLAUDES = Form(
    (),
    ("timeout",),
    start_variable="MCP_TIMEOUT",
    call_variable="MCP_TOOL_TIMEOUT",
    switched_off=("disabledMcpjsonServers", "disabledMcpServers"),
)
"""code.claude.com/docs: MCP, settings and environment variables."""
GEMINIS = Form(("timeout",), ("timeout",), bare_variables=True, switched_off=("mcp.excluded",), allowed="mcp.allowed")
"""Gemini CLI's settings: `mcpServers` and `mcp`."""


def read_server(
    name: str, said: object, form: Form, origin: Origin, environ: Mapping[str, str]
) -> tuple[ServerConfig, tuple[str, ...]]:
    """One server, and what is told of its entry though it can be started. What is wrong with it is its `problem`."""
    broken = ServerConfig(name, Stdio(""), origin.name, origin.layer.is_of_workspace)
    if not isinstance(said, Mapping):
        return replace(broken, problem=f"{origin}: it is no table of fields"), ()
    entry = Entry({str(key): given for key, given in said.items()}, Variables(environ, form.bare_variables))
    broken = replace(broken, transport=entry.unread_transport(), shown=entry.written(), digest=entry.digest())
    notes = tuple(f"{origin}: the server {name}: {note}" for note in _notes(entry, form, origin))
    try:
        return _server(broken, entry, form, origin, environ), notes
    except BadEntry as error:
        return replace(broken, problem=f"{origin}: {error}", enabled=said.get("enabled") is not False), notes


def _server(broken: ServerConfig, entry: Entry, form: Form, origin: Origin, environ: Mapping[str, str]) -> ServerConfig:
    if entry.text("authProviderType") not in ("", "dynamic_discovery"):
        raise BadEntry("authProviderType: of these only dynamic_discovery is known here; write headers instead")
    start = entry.number(*form.starts, per=form.per_second) if form.starts else None
    never = form is OURS and entry.said.get(form.calls[0]) == "never"
    call = None if never else entry.number(*form.calls, per=form.per_second)
    return replace(
        broken,
        transport=entry.transport(_helper(entry, form)),
        start_within=start or _of_variable(form.start_variable, form, environ) or START_WITHIN,
        call_within=None if never else call or _of_variable(form.call_variable, form, environ) or CALL_WITHIN,
        include=entry.texts("include_tools", "includeTools"),
        exclude=entry.texts("exclude_tools", "excludeTools"),
        trusted=entry.switch("trust", otherwise=False) and not origin.layer.is_of_workspace,
        enabled=entry.switch("enabled", otherwise=True) and not entry.switch("disabled", otherwise=False),
        oauth=_oauth(entry),
        always_loaded=entry.switch("always_loaded" if form is OURS else "alwaysLoad", otherwise=False),
    )


def _helper(entry: Entry, form: Form) -> str:
    """As it is written: it goes to a shell, which fills variables in itself."""
    given = entry.said.get("headersHelper")
    if given is None:
        return ""
    if form is not CLAUDES:
        raise BadEntry("headersHelper, a command that makes headers, is run from Claude Code's files alone")
    if not isinstance(given, str) or not given.strip() or "\0" in given:
        raise BadEntry("headersHelper is not a command, as a text")
    return given


def _oauth(entry: Entry) -> OAuth | None:
    said = entry.within("oauth")
    if said is None:
        return None
    port = said.number("callback_port", "callbackPort")
    if port is not None and (port != int(port) or port > _LAST_PORT):
        raise BadEntry(f"oauth.callback_port is no port: a whole number up to {_LAST_PORT}")
    scopes = said.texts("scopes")
    return OAuth(
        said.switch("enabled", otherwise=True),
        said.text("client_id", "clientId"),
        said.secret("client_secret", "clientSecret"),
        tuple(scope for each in scopes for scope in each.split()),
        int(port) if port is not None else None,
        said.text("metadata_url", "authServerMetadataUrl"),
    )


def _notes(entry: Entry, form: Form, origin: Origin) -> Iterator[str]:
    odd = [name for name in entry.said if name not in form.fields] if form.fields else []
    yield from (unknown("field", name, form.fields) for name in odd[:MOST_UNKNOWN])
    if len(odd) > MOST_UNKNOWN:
        yield f"and {len(odd) - MOST_UNKNOWN:,} more fields that are not known"
    if entry.said.get("trust") is True and origin.layer.is_of_workspace:
        yield "trust holds in your own files alone; here it is left out"


def _of_variable(name: str, form: Form, environ: Mapping[str, str]) -> float | None:
    text = environ.get(name, "") if name else ""
    return int(text) / form.per_second if text.isascii() and text.isdigit() and 0 < len(text) < 12 else None

"""Finds the servers that are configured for a workspace: the person's own, and those that came with it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from handrail.policy.toml_text import NotToml, normalized
from handrail.policy.toml_text import parsed as parsed_toml
from handrail.policy.wording import shortened
from handrail.settings.config_files import ConfigFile
from handrail.settings.json_text import NotJson
from handrail.settings.json_text import parsed as parsed_json
from handrail.settings.mcp.forms import LONGEST_NAME, OURS, Form, read_server
from handrail.settings.mcp.found import FoundServers
from handrail.settings.mcp.places import MOST_BYTES, other_places
from handrail.settings.mcp.server import Http, ServerConfig
from handrail.settings.opening import Opened, Opener, Place
from handrail.settings.origin import Doubt
from handrail.settings.reading import Unreadable
from handrail.settings.trust import TrustKey, TrustKind
from handrail.settings.waiting import Waiting

_WORDS = ("mcpServers", "McpServers", "McpjsonServers", '"mcp"')
"""Without one of these a file of another agent says nothing of servers, and need not be parsed."""


def find_servers(
    opener: Opener, configs: Iterable[ConfigFile], home: Path | None, environ: Mapping[str, str]
) -> FoundServers:
    """Blocks. Never raises: what is wrong with a file or a server leaves that out, and is told."""
    search = _Search(opener, environ)
    own = [config.opened for config in configs if config.opened is not None and "mcp" in config.opened.text]
    others = {os.path.realpath(each.place.path): each for each in reversed(tuple(other_places(opener.workspace, home)))}
    for of_workspace in (False, True):
        for opened in reversed(own):
            if opened.place.origin.layer.is_of_workspace is of_workspace:
                search.look_at_ours(opened)
        for each in reversed(others.values()):
            if each.place.origin.layer.is_of_workspace is of_workspace:
                search.look_at(each.place, each.form)
    return search.found()


@dataclass(slots=True)
class _Search:
    opener: Opener
    environ: Mapping[str, str]
    usable: dict[str, ServerConfig] = field(default_factory=dict)
    untrusted: dict[str, ServerConfig] = field(default_factory=dict)
    waiting: list[Waiting] = field(default_factory=list)
    trusted: set[TrustKey] = field(default_factory=set)
    files: list[Path] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    off: set[str] = field(default_factory=set)
    """Names that some file switches off: any file may, trusted or not."""

    def look_at_ours(self, opened: Opened) -> None:
        """A config.toml, which was read before."""
        try:
            said = parsed_toml(normalized(opened.text)).get("mcp")
        except NotToml:
            return  # told of where the settings in it are read
        if said is None:
            return
        table = self._table(said, opened, "mcp")
        odd = [name for name in table if name not in ("servers", "disabled")]
        self.problems += (
            f"{opened.place.origin}: mcp: unknown setting {name}; known are servers, disabled" for name in odd
        )
        self._switch_off(table, OURS, opened)
        self._take(self._table(table.get("servers", {}), opened, "mcp.servers"), OURS, opened)

    def look_at(self, place: Place, form: Form) -> None:
        """A JSON file of another agent."""
        try:
            opened = self.opener.open(place, TrustKind.SERVERS, MOST_BYTES)
            if opened is None or not any(word in opened.text for word in _WORDS):
                return
            document = parsed_json(opened.text)
        except Unreadable as error:
            self.problems.append(f"{place.origin} {error}; the servers in it are left out")
            return
        except NotJson as error:
            self.problems.append(f"{place.origin}:{error.line}: {error}; the servers in it are left out")
            return
        self._switch_off(document, form, opened)
        here = self._of_this_folder(document, opened)
        self._switch_off(here, form, opened)
        both = [self._table(each.get("mcpServers", {}), opened, "mcpServers") for each in (here, document)]
        allowed = _at(document, form.allowed) if form.allowed else None
        for servers in both:
            chosen = {name: said for name, said in servers.items() if not isinstance(allowed, list) or name in allowed}
            self._take(chosen, form, opened)

    def _of_this_folder(self, document: Mapping[str, object], opened: Opened) -> Mapping[str, object]:
        """Of the person's `~/.claude.json`: what is said for this workspace alone."""
        if opened.place.origin.layer.is_of_workspace:
            return {}
        projects = self._table(document.get("projects", {}), opened, "projects")
        root = self.opener.workspace
        return next((t for p in (str(root), os.path.realpath(root)) if isinstance(t := projects.get(p), dict)), {})

    def _switch_off(self, document: Mapping[str, object], form: Form, opened: Opened) -> None:
        for where in form.switched_off:
            listed = _at(document, where)
            if isinstance(listed, list):
                self.off.update(name for name in listed if isinstance(name, str))
            elif listed is not None:
                self.problems.append(f"{opened.place.origin}: {where} is not a list of names")

    def _take(self, servers: Mapping[str, object], form: Form, opened: Opened) -> None:
        if not servers:
            return
        origin = opened.place.origin
        if opened.doubt is Doubt.WRITABLE:
            self.problems.append(f"{opened.why}; until then the servers in {origin} are left out")
            return
        if opened.trust is None:
            self.files.append(opened.place.path)
        read = list(self._read(servers, form, opened))
        key = None if opened.trust is None else replace(opened.trust, kind=TrustKind.SERVERS)
        if key is None or self.opener.book.trusts(key):
            self.trusted.update([] if key is None else [key])
            self._add(read, self.usable)
        elif read:
            self._add(read, self.untrusted)
            self.waiting.append(Waiting(key, origin.name, opened.text, tuple(map(_would, read))))

    def _read(self, servers: Mapping[str, object], form: Form, opened: Opened) -> Iterator[ServerConfig]:
        origin = opened.place.origin
        for name, said in servers.items():
            if not name.strip() or not name.isprintable() or len(name) > LONGEST_NAME:
                shown = shortened(ascii(name))
                self.problems.append(
                    f"{origin}: {shown} can't name a server: use up to {LONGEST_NAME} visible characters"
                )
                continue
            try:
                server, notes = read_server(name, said, form, origin, self.environ)
            except RecursionError:
                self.problems.append(f"{origin}: the server {name} is nested too deeply; it is left out")
                continue
            self.problems += notes
            yield server

    def _add(self, read: Iterable[ServerConfig], to: dict[str, ServerConfig]) -> None:
        for server in read:
            known = self.usable.get(server.name) or self.untrusted.get(server.name)
            if known is None:
                to[server.name] = server
            elif known.origin != server.origin:
                self.problems.append(
                    f"{server.origin}: the server {server.name} is left out: {known.origin} has one of that name, and "
                    "comes first"
                )

    def _table(self, given: object, opened: Opened, name: str) -> Mapping[str, object]:
        if isinstance(given, dict):
            return given
        self.problems.append(f"{opened.place.origin}: {name} is not a table; it is left out")
        return {}

    def found(self) -> FoundServers:
        usable = (replace(each, enabled=each.enabled and each.name not in self.off) for each in self.usable.values())
        return FoundServers(
            tuple(usable),
            tuple(self.untrusted.values()),
            tuple(self.waiting),
            frozenset(self.trusted),
            tuple(self.files),
            tuple(self.problems),
        )


def _at(document: Mapping[str, object], path: str) -> object:
    found: object = document
    for step in path.split("."):
        found = found.get(step) if isinstance(found, dict) else None
    return found


def _would(server: ServerConfig) -> str:
    transport = server.transport
    if not isinstance(transport, Http):
        return f"the server {server.name}: runs {server.shown}"
    helped = f", and runs {shortened(transport.helper)} for its headers" if transport.helper else ""
    return f"the server {server.name}: connects to {server.shown}{helped}"

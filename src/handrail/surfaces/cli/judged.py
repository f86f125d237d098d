"""Calls judged without being run: as a session in this workspace would decide about them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from handrail.catalog import Registry
from handrail.catalog.called import Called, OwnReading
from handrail.contract.basics import JsonObject
from handrail.contract.calls import CallForm
from handrail.contract.context import Workspace
from handrail.contract.decision import Decision, FromCheck, Outcome
from handrail.contract.effects import Claims
from handrail.contract.parameters import SchemaParameters
from handrail.contract.results import ToolResult
from handrail.contract.tool import Kind, Tool
from handrail.errors import CallError
from handrail.policy import Caller, Facts, Grant, Mode, Policy, decide
from handrail.policy.server_names import begins_as, names_from
from handrail.runtime import wording
from handrail.runtime.resolver import Resolver
from handrail.settings.keys import ADD_DIRS, MODE, MODEL
from handrail.settings.load import Settings
from handrail.settings.places import folders, state_folder
from handrail.tools import builtin_tools

NOT_JUDGED = FromCheck("call")
"""The source of a decision about what is no call: it fails closed."""


@dataclass(frozen=True, slots=True)
class AskedCall:
    """A call to judge, as somebody wrote it down."""

    tool: str
    arguments: JsonObject
    mode: Mode | None = None
    """None: as the settings say."""
    server: str = ""
    """The server that the tool comes from; such a tool need not be known here."""
    is_believed: bool = False
    """The person trusts that server: nothing is asked about its tools."""
    annotations: Mapping[str, bool] = field(default_factory=dict)
    subagent: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """A decision, with what it rests on; neither facts nor policy where the call could not be judged."""

    decision: Decision
    facts: Facts | None = None
    policy: Policy | None = None


class ServersTool(Tool[JsonObject]):
    """Stands for a tool of a server that is not connected here: its effects are not known."""

    kind = Kind.OTHER

    def __init__(self, call: AskedCall) -> None:
        self.name = call.tool
        self.title = f"{call.tool} on the server {call.server}"
        self.server = call.server
        self.rule_names = names_from(call.tool, call.server)
        self.annotations = call.annotations
        self.needs_approval = "never" if call.is_believed else None
        self.parameters = SchemaParameters({"type": "object"}, lambda _: ())

    def effects(self, params: JsonObject) -> Claims:
        return Claims.unknown()

    async def run(self, params: JsonObject) -> ToolResult:
        return ToolResult.of_text(f"{self.title} is not connected here.")


class CallJudge:
    """Decides under one workspace's settings. Nothing is run, journaled or asked."""

    def __init__(self, settings: Settings, *, headless: bool, grants: tuple[Grant, ...] = ()) -> None:
        """`headless`: with nobody to ask, so that what would be asked about is denied. `grants` are in force."""
        self._settings = settings
        self._headless = headless
        self._grants = grants
        self.registry = Registry(builtin_tools())
        where = folders(os.environ)
        own = (where.system, where.user, *settings.files)
        place = Workspace(settings.workspace, settings[ADD_DIRS])
        self._resolver = Resolver(place, Path.home(), state_folder(), None, own)
        self._policies: dict[Mode, Policy] = {}

    def policy(self, mode: Mode | None = None) -> Policy:
        """The rules in force, in a mode other than the settings' where one is given."""
        mode = mode or Mode(self._settings[MODE])
        if mode not in self._policies:
            self._policies[mode] = replace(self._settings.policy(mode), grants=self._grants)
        return self._policies[mode]

    def knows(self, name: str) -> bool:
        """A tool file is not loaded for this, and may hold a tool of its own name."""
        files = (file.path.stem for folder in self._settings.tool_folders for file in folder.files)
        return self.registry.knows(name) or name in files

    def of_its_server(self, call: AskedCall) -> AskedCall:
        """A call of a tool that isn't known here, as one of the configured server that its name begins with."""
        if self.registry.knows(call.tool):
            return call
        servers = (each for each in self._settings.servers.usable if each.enabled and begins_as(call.tool, each.name))
        server = max(servers, key=lambda each: len(each.name), default=None)
        return call if server is None else replace(call, server=server.name, is_believed=server.trusted)

    def parameters(self, tool: str) -> tuple[str, ...]:
        """The names of a tool's parameters; none for a tool that isn't known."""
        properties = self._schema(tool).get("properties")
        return tuple(properties) if isinstance(properties, dict) else ()

    def only_required(self, tool: str) -> str:
        """The one parameter that must be given; empty where there are several, or none."""
        required = self._schema(tool).get("required")
        return str(required[0]) if isinstance(required, list) and len(required) == 1 else ""

    def _schema(self, tool: str) -> JsonObject:
        return self.registry.resolve(tool).parameters.schema if self.registry.knows(tool) else {}

    async def judge(self, call: AskedCall) -> Judged:
        """The decision about one call; a call that can't be judged is denied."""
        try:
            invocation = self._called(call).bind(CallForm.FUNCTION, call.arguments, as_sent=True)
        except CallError as error:
            return Judged(Decision(Outcome.DENY, NOT_JUDGED, str(error)))
        policy = self.policy(call.mode)
        caller = Caller(call.subagent, interactive=not self._headless)
        facts = await self._resolver.facts(invocation, caller, policy.declared)
        decision = decide(facts, policy)
        if self._headless and decision.outcome is Outcome.ASK:
            reason = wording.person_needed if decision.needs_person else wording.nobody_to_ask
            decision = replace(decision, outcome=Outcome.DENY, reason=reason(decision))
        return Judged(decision, facts, policy)

    def _called(self, call: AskedCall) -> Called:
        if call.server and not self.registry.knows(call.tool):
            return Called(OwnReading(ServersTool(call)))
        return self.registry.called(call.tool, self._settings[MODEL])

"""One call of a session as lines for people, from its events and from what is still kept of its payloads."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from functools import cache

from handrail.contract.basics import Json, JsonObject
from handrail.contract.results import ErrorKind
from handrail.policy.wording import shortened
from handrail.runtime.histories import CallHistory
from handrail.runtime.redacted_view import view_of
from handrail.runtime.spans import state_name
from handrail.settings.placeholders import placeholder
from handrail.settings.redaction import MARKED, Redactor, names_secret
from handrail.surfaces.cli.journals import shown_time
from handrail.surfaces.cli.text import printable

_EXPLAINED = frozenset({ErrorKind.INVALID_ARGUMENTS, ErrorKind.UNKNOWN_TOOL, ErrorKind.FAILED, ErrorKind.TIMEOUT})
"""Why a call failed in these ways stands in no decision."""


_UNBOUND = frozenset({ErrorKind.INVALID_ARGUMENTS, ErrorKind.UNKNOWN_TOOL})
"""No event has the arguments of such a call."""

_TELLING = 3
"""Characters from which on a text is taken out of words that may repeat it: shorter ones are parts of any word."""


def call_lines(call: CallHistory, payloads: Mapping[str, JsonObject]) -> Iterator[str]:
    """`payloads` has by a state's name what is kept of the call: nothing once that was deleted."""
    first, last = call.steps[0], call.steps[-1]
    seconds = last.body.get("seconds_running")
    took = f"  {seconds:,.3f} s" if seconds is not None else ""
    fault = f" ({last.body['fault']})" if "fault" in last.body else ""
    tool = call.latest("tool") or call.latest("name") or "?"
    name = f"{printable(call.call)}  {printable(str(tool))}"
    yield f"{shown_time(first.at)}  {name}  {state_name(call.state)}{fault}{took}"
    if call.parent:
        yield f"  made by {printable(call.parent)}"
    arguments = call.latest("arguments")
    if arguments is not None:
        yield f"  {printable(json.dumps(arguments, ensure_ascii=False))}"
    elif sent := what_was_sent(call, payloads):
        yield f"  sent: {printable(sent)}"
    if call.edited_from is not None:
        yield f"  edited by a person; asked about was {printable(json.dumps(call.edited_from, ensure_ascii=False))}"
    decision = call.latest("decision")
    if decision:
        yield f"  {decision['outcome']} ({printable(decision['source'])}): {printable(decision['reason'])}"
    if call.state == "AwaitingApproval":
        yield f"  waits for approval {call.latest('approval')}"
    if ended := how_it_ended(call, payloads):
        yield f"  {printable(ended)}"


def what_was_sent(call: CallHistory, payloads: Mapping[str, JsonObject]) -> str:
    """By a model, where no tool took it; empty where the events have the arguments, or nothing is kept."""
    is_unbound = call.latest("arguments") is None and call.steps[-1].body.get("fault") in _UNBOUND
    return _sent(payloads.get("Pending")) if is_unbound else ""


def how_it_ended(call: CallHistory, payloads: Mapping[str, JsonObject]) -> str:
    """With which exit code a command did, or why a call failed; empty where that is plain, or nothing is kept."""
    return _ended(payloads.get(call.state), _for_words(call.latest("arguments"), payloads.get("Pending")))


def _sent(payload: JsonObject | None) -> str:
    """What a model sent and no tool took. What the tool marks as secret is not known here, so of tools that are not
    built in, which may mark something, only the parameters' names are told. Empty for what is no object."""
    match payload:
        case {"name": str(name), "arguments": {"type": "ObjectArguments", "value": dict(arguments)}}:
            redactor = Redactor(os.environ)
            shown: Json = view_of(_concealed(arguments), redactor)
            if name not in _built_in():
                shown = {redactor.text(key): "…" for key in arguments}
            return shortened(json.dumps(shown, ensure_ascii=False))
    return ""


@cache
def _built_in() -> frozenset[str]:
    """What models may call the built-in tools, none of which marks anything as secret."""
    from handrail.catalog.faces import faces_of
    from handrail.tools import builtin_tools

    return frozenset(name for tool in builtin_tools() for name in (tool.name, *faces_of(tool.name)))


def _concealed(arguments: dict[str, Json]) -> dict[str, Json]:
    return {
        name: placeholder(MARKED) if names_secret(name) else _concealed(given) if isinstance(given, dict) else given
        for name, given in arguments.items()
    }


def _for_words(view: JsonObject | None, sent: JsonObject | None) -> Redactor | None:
    """For words that may repeat what a tool was given. None where some of that is secret: nobody knows it here."""
    redactor = Redactor(os.environ)
    if view is not None:
        return None if placeholder(MARKED) in json.dumps(view) else redactor
    match sent:
        case {"name": name, "arguments": {"value": given} | {"text": given} | {"preview": given}}:
            if name not in _built_in():
                return redactor.knowing(text for text in _texts(given) if len(text) >= _TELLING)
    return redactor


def _texts(of: Json) -> Iterator[str]:
    if isinstance(of, (dict, list)):
        for each in of.values() if isinstance(of, dict) else of:
            yield from _texts(each)
    elif of is not None:
        yield str(of)


def _ended(payload: JsonObject | None, redactor: Redactor | None) -> str:
    """How, in a line; empty where that is plain, and no reason without a redactor."""
    match payload:
        case {"fault": {"kind": str(kind), "message": str(message)}} if kind in _EXPLAINED:
            problems = "; ".join(line[2:] for line in message.splitlines() if line.startswith("- "))
            return "" if redactor is None else shortened(redactor.text(problems or message))
        case {"result": {"display": {"type": "TerminalDisplay", "exit_code": int(code)}}} if code:
            return f"exit code {code}"
    return ""

"""Models of local servers, and what asking them gives."""

from __future__ import annotations

from collections.abc import Sequence

from handrail.agent.model import Model, ModelEvent, ModelRequest, Received
from handrail.agent.models.endpoint import Endpoint
from handrail.agent.models.http_model import HttpModel
from handrail.agent.models.patience import Patience
from handrail.agent.models.provider import known_providers
from handrail.authoring.function_tool import tool
from handrail.catalog import Menu
from handrail.catalog.faces import family_of
from handrail.catalog.menu import MenuTool
from handrail.contract.basics import JsonObject
from handrail.errors import ModelError
from handrail.wire import Response, Wire, decode
from handrail.wire.user import encode_user
from servers.provider_server import ProviderServer
from servers.script import Use, says

PROVIDERS = {
    Wire.ANTHROPIC: "anthropic",
    Wire.OPENAI_CHAT: "openai-chat",
    Wire.OPENAI_RESPONSES: "openai",
    Wire.GEMINI: "google",
}
WIRES = tuple(PROVIDERS)
KEY = "sk-test-0123456789abcdefghijklmnop"
QUICK = Patience(tries=3, first=0.001, longest=0.002, most=5.0, silence=30.0)
MIXED = says(
    "Five at once.", *(Use("tide", {"port": port}) for port in ("Brest", "Nantes", "Cuxhaven")), Use("now", {}),
    Use("tide", {"port": "Århus “old”\n"}), thinking="They don't wait for each other.",
)  # fmt: skip
"""Thinking, text, five calls."""


@tool
async def now() -> str:
    """What time it is."""
    return "noon"


@tool
async def tide(port: str) -> str:
    """When the tide is high.

    Args:
        port: Where.
    """
    return port


def menu() -> Menu:
    tools = tuple(MenuTool(each.name, each.description, each) for each in (now, tide))
    return Menu(family_of("local"), tools, ())


def endpoint(server: ProviderServer, wire: Wire) -> Endpoint:
    address = server.url + ("/v1" if wire in (Wire.OPENAI_CHAT, Wire.OPENAI_RESPONSES) else "")
    return Endpoint(wire, address, "local", KEY, "THE_KEY")


def model_at(server: ProviderServer, patience: Patience = QUICK) -> HttpModel:
    wire = server.dialect.wire
    return HttpModel(known_providers()[PROVIDERS[wire]], endpoint(server, wire), patience)


def request(wire: Wire, *behind: JsonObject, system: str = "You help.") -> ModelRequest:
    return ModelRequest(system, (encode_user("Look around.", wire), *behind), menu())


async def asked(model: Model, *behind: JsonObject) -> list[ModelEvent]:
    return [event async for event in model.respond(request(model.wire, *behind))]


async def asked_in_vain(model: Model) -> tuple[list[ModelEvent], ModelError]:
    """What came, and the error that ended it."""
    events: list[ModelEvent] = []
    try:
        async for event in model.respond(request(model.wire)):
            events.append(event)
    except ModelError as error:
        return events, error
    raise AssertionError(f"it was answered: {events}")


def response_in(events: Sequence[ModelEvent], wire: Wire) -> Response:
    return decode([event.event for event in events if isinstance(event, Received)], wire)

"""What a provider's answer is once decoded, and what settled calls give back to it."""

from __future__ import annotations

from enum import StrEnum

from handrail.contract.basics import JsonObject
from handrail.contract.calls import CallRequest
from handrail.contract.results import CallFault, ToolResult
from handrail.contract.values import value
from handrail.wire.jsontext import object_of, text_of
from handrail.wire.text import printable


class Wire(StrEnum):
    """The forms we read and write. The values are those of `--wire`."""

    ANTHROPIC = "anthropic"
    OPENAI_CHAT = "openai-chat"
    OPENAI_RESPONSES = "openai-responses"
    GEMINI = "gemini"
    NEUTRAL = "neutral"


@value
class Response:
    """One model response: what it asks for, and the turn to give back."""

    wire: Wire
    calls: tuple[CallRequest, ...]
    """What the client must answer, in the model's order. Calls that the provider runs itself are not here."""
    assistant: tuple[JsonObject, ...]
    """The assistant's turn as received, in the form in which the provider takes it back: signatures and
    server-side blocks included, ids mended where one was missing or repeated. Empty for an error."""
    text: str
    """What the model said, for people; for an error, what the provider said."""
    thinking: str
    paused: bool = False
    """The model is not finished although no call waits for an answer: send the turn back to let it go on."""


@value
class Answer:
    """What one settled call gives the model: `fault` marks the result as an error, its parts are the message."""

    request: CallRequest
    result: ToolResult
    fault: CallFault | None = None

    @property
    def failure(self) -> CallFault | None:
        """The call's fault, or that of a tool which ran and failed."""
        return self.fault or self.result.fault


def error_text(document: JsonObject) -> str:
    """What an error body or error event says: its kind and message. Empty when the document is no error."""
    error = document.get("error")
    if isinstance(error, str):
        return printable(error)
    about: JsonObject = object_of(error) or (document if document.get("type") == "error" else {})
    kinds = (text_of(about.get(key)) for key in ("code", "status", "type"))
    kind = next((kind for kind in kinds if kind and kind != "error"), "")
    return printable(": ".join(filter(None, [kind, text_of(about.get("message"))])))

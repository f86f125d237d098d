"""The official SDKs' own parameter types, as judges of what we would send."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from anthropic.types import MessageParam, ToolParam
from anthropic.types.beta import BetaMessageParam
from google.genai.types import Content, Tool
from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam
from openai.types.responses import FunctionToolParam, ResponseInputItemParam
from pydantic import BaseModel, TypeAdapter, ValidationError

from handrail.wire import Wire

MESSAGES: dict[Wire, Any] = {
    Wire.ANTHROPIC: MessageParam,
    Wire.OPENAI_CHAT: ChatCompletionMessageParam,
    Wire.OPENAI_RESPONSES: ResponseInputItemParam,
    Wire.GEMINI: Content,
}
TOOLS: dict[Wire, Any] = {
    Wire.ANTHROPIC: ToolParam,
    Wire.OPENAI_CHAT: ChatCompletionToolParam,
    Wire.OPENAI_RESPONSES: FunctionToolParam,
    Wire.GEMINI: Tool,
}
BETA = BetaMessageParam


def problem(value: object, judge: Any) -> str:
    """What the SDK's type has against a value; empty when nothing."""
    try:
        _consume(_adapter(judge).validate_python(value))
    except ValidationError as error:
        return str(error)
    return ""


@cache
def _adapter(judge: Any) -> TypeAdapter[Any]:
    return TypeAdapter(judge)


def _consume(value: object) -> None:
    """The SDKs say Iterable where they mean list, and pydantic checks an iterable only as it is consumed."""
    if isinstance(value, dict):
        _consume(value.values())
    elif isinstance(value, Iterable) and not isinstance(value, str | bytes | BaseModel):
        for item in value:
            _consume(item)

"""When two messages say the same to their provider, although they are written in two ways."""

from __future__ import annotations

import base64
import re
from collections.abc import Collection, Iterable
from typing import Any

from handrail.contract.results import (
    CallFault,
    ErrorKind,
    ImagePart,
    JsonPart,
    Part,
    ResourcePart,
    TextPart,
    ToolResult,
)
from handrail.wire import Wire

_OUTPUT_WRAPPERS = ("output", "return_value")
"""Keys under which clients put a Gemini result that is no object; the provider asks for none of them."""

_ELIDED = re.compile(r"(.*)<elided (\d+) chars>", re.DOTALL)


def same_meaning(wire: Wire, messages: Iterable[Any], named: Collection[str]) -> list[Any]:
    """The messages, written in one of the ways that a provider reads alike.

    `named` are the ids of calls that the provider gave; another one was made up by a client for itself.
    """
    match wire:
        case Wire.GEMINI:
            return [_content(_camel_case(message), named) for message in messages]
        case _:
            return [_without_nothings(message) for message in messages]


def recorded_result(wire: Wire, message: Any) -> ToolResult:
    """What a recorded client gave back, as the tool would have returned it."""
    if wire is not Wire.GEMINI:
        return ToolResult.of_text(message["content" if wire is Wire.OPENAI_CHAT else "output"])
    answer = _camel_case(message)
    response = answer["response"]
    if set(response) == {"error"}:
        fault = CallFault(ErrorKind.FAILED, response["error"])
        return ToolResult((TextPart(response["error"]),), fault=fault)
    return ToolResult((JsonPart(_unwrapped(response)), *map(_media, answer.get("parts", []))))


def equal_but_elided(ours: Any, theirs: Any) -> bool:
    """Equality, where text of `theirs` that a recorder shortened stands for any text it may have been."""
    match ours, theirs:
        case dict(), dict():
            return ours.keys() == theirs.keys() and all(equal_but_elided(ours[key], theirs[key]) for key in ours)
        case list(), list():
            return len(ours) == len(theirs) and all(map(equal_but_elided, ours, theirs))
        case str(), str() if ours != theirs and (elided := _ELIDED.fullmatch(theirs)):
            return ours.startswith(elided[1]) and len(ours) == len(elided[1]) + int(elided[2])
        case _:
            return bool(ours == theirs)


def _media(part: Any) -> Part:
    if "inlineData" in part:
        return ImagePart(_bytes(part["inlineData"]["data"]), part["inlineData"]["mimeType"])
    return ResourcePart(part["fileData"]["fileUri"], part["fileData"]["mimeType"])


def _without_nothings(message: Any) -> Any:
    """Null, an absent key, and an empty list or text of content are one; so is the status of what is over."""
    if isinstance(message, dict):
        return {
            key: _without_nothings(value)
            for key, value in message.items()
            if value is not None and not (key == "content" and not value) and key != "status"
        }
    if isinstance(message, list):
        return [_without_nothings(item) for item in message]
    return message


def _content(content: Any, named: Collection[str]) -> Any:
    return {**content, "parts": [_part(part, named) for part in content["parts"]]}


def _part(part: Any, named: Collection[str]) -> Any:
    same = {key: _with_given_id(value, named) for key, value in part.items()}
    if "thoughtSignature" in part:
        same["thoughtSignature"] = _standard(part["thoughtSignature"])
    if "functionResponse" in part:
        answer = same["functionResponse"]
        same["functionResponse"] = {**answer, "response": _unwrapped(answer["response"])}
    return same


def _with_given_id(value: Any, named: Collection[str]) -> Any:
    if isinstance(value, dict) and value.get("id") not in named:
        return {key: inner for key, inner in value.items() if key != "id"}
    return value


def _unwrapped(response: Any) -> Any:
    if isinstance(response, dict) and len(response) == 1:
        ((key, value),) = response.items()
        return value if key in _OUTPUT_WRAPPERS else response
    return response


def _standard(encoded: str) -> str:
    """One base64 alphabet of the two that JSON readers of protocol buffers take."""
    return encoded.replace("-", "+").replace("_", "/")


def _bytes(encoded: str) -> bytes:
    return base64.b64decode(_standard(encoded) + "==")


def _camel_case(value: Any) -> Any:
    """Gemini's servers take `function_call` for `functionCall`. Arguments and results keep their own keys."""
    if isinstance(value, dict):
        return {
            re.sub(r"_([a-z])", lambda found: found.group(1).upper(), key): inner
            if key in ("args", "response")
            else _camel_case(inner)
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [_camel_case(item) for item in value]
    return value

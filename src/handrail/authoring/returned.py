"""What an ordinary function returns, as a tool's result. Pure."""

from __future__ import annotations

import json
from typing import get_args

from pydantic_core import to_json

from handrail.contract.results import Part, ToolResult
from handrail.errors import ToolFailed

DONE = "Done."
"""What a model reads where a function returned nothing: an empty result looks like a lost one."""

_PARTS = get_args(Part)


def as_result(value: object, tool: str) -> ToolResult:
    """Text for a string, and for what JSON writes as one; JSON for anything else. None is `DONE`.

    Raises ToolFailed for bytes, and for what has no JSON.
    """
    match value:
        case ToolResult():
            return value
        case None:
            return ToolResult.of_text(DONE)
        case str() if type(value) is str:  # an enum may be a string too, and its value is meant
            return ToolResult.of_text(value)
        case bytes() | bytearray() | memoryview():
            raise ToolFailed(
                f"{tool} ran and returned {len(value)} bytes, which say nothing of what they are. "
                "It must return text, or an ImagePart, AudioPart or ResourcePart."
            )
    if isinstance(value, _PARTS):
        return ToolResult((value,))
    try:
        plain = json.loads(to_json(value, inf_nan_mode="strings"))
    except (ValueError, RecursionError) as error:
        raise ToolFailed(
            f"{tool} ran and returned a value of type {type(value).__name__} that has no JSON: {error}. "
            "It must return text, a ToolResult, or a value made of dataclasses, models, lists, dicts and numbers."
        ) from error
    return ToolResult.of_text(plain) if isinstance(plain, str) else ToolResult.of_json(plain)

"""What people type as JSON: arguments, and filled forms."""

from __future__ import annotations

import json
from typing import NoReturn

from handrail.contract.basics import JsonObject
from handrail.errors import UsageError


def typed_object(text: str) -> JsonObject:
    """Raises UsageError for what is no JSON object, `NaN` and `Infinity` included: RFC 8259 has none of them."""
    try:
        given = json.loads(text, parse_constant=_refused)
    except (ValueError, RecursionError) as error:  # a thousand brackets
        raise UsageError(f"this is not JSON: {error}; give one JSON object") from error
    if not isinstance(given, dict):
        raise UsageError("arguments and forms are one JSON object; this is none")
    return given


def _refused(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number there")

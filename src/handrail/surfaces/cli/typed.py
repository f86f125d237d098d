"""What people type as JSON: arguments, and filled forms."""

from __future__ import annotations

import json

from handrail.contract.basics import JsonObject
from handrail.errors import UsageError


def typed_object(text: str) -> JsonObject:
    """Raises UsageError for what is no JSON object."""
    try:
        given = json.loads(text)
    except ValueError as error:
        raise UsageError(f"this is not JSON: {error}; give one JSON object") from error
    if not isinstance(given, dict):
        raise UsageError("arguments and forms are one JSON object; this is none")
    return given

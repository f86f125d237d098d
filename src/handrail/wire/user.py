"""What a user says, as each wire has it in a conversation."""

from __future__ import annotations

from handrail.contract.basics import JsonObject
from handrail.wire.response import Wire


def encode_user(text: str, wire: Wire) -> JsonObject:
    """One message in the user's role."""
    if wire is Wire.GEMINI:
        return {"role": "user", "parts": [{"text": text}]}
    return {"role": "user", "content": text}

"""A person's reply to a question, as text for the model. Pure."""

from __future__ import annotations

import json

from handrail.contract.basics import Json


def reply_text(reply: Json) -> str:
    """Text as it is; several options, each once; anything else as JSON."""
    if isinstance(reply, str):
        return reply.strip()
    if isinstance(reply, list):
        return ", ".join(dict.fromkeys(reply_text(each) for each in reply))
    return json.dumps(reply, ensure_ascii=False)

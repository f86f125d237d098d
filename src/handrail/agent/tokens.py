"""How many tokens a conversation takes, where nobody has said: an estimate."""

from __future__ import annotations

import json
from collections.abc import Iterable

from handrail.agent.conversation import CarriedOut, Entry, Noted, Told
from handrail.contract.results import AudioPart, ImagePart, Part, part_text

CHARACTERS = 4
"""Of English text in a token: OpenAI's rule of thumb (help.openai.com, "What are tokens and how to count them")."""
MEDIUM = 1_600
"""Tokens of an image: Anthropic scales larger ones down to about this (Claude docs, "Vision": width times height by
750, at most some 1,600)."""


def estimated(text: str) -> int:
    return len(text) // CHARACTERS + 1


def tokens_of(entries: Iterable[Entry]) -> int:
    return sum(map(_of_entry, entries))


def _of_entry(entry: Entry) -> int:
    match entry:
        case Told(text) | Noted(text):
            return estimated(text)
        case CarriedOut():
            # Thoughts and signatures go back too, so what counts is what was received.
            said = estimated(json.dumps(entry.response.assistant, default=str))
            return said + sum(_of_part(part) for answer in entry.answers for part in answer.result.parts)


def _of_part(part: Part) -> int:
    return MEDIUM if isinstance(part, ImagePart | AudioPart) else estimated(part_text(part))

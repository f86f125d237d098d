"""What may go wrong between a client and a provider, as data: what a server does with one request instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Fault:
    """What becomes of one request; as it stands, nothing unusual."""

    status: int = 200
    """Any but 200: an error with `message`, or with `body`."""
    message: str = "no"
    body: Any = None
    """Sent instead of the answer: a document, or a text as it is."""
    headers: Mapping[str, str] = field(default_factory=dict)
    media_type: str = ""
    cut_after: int | None = None
    """The connection ends behind so many events."""
    silent_after: int | None = None
    """Nothing more comes behind so many events, until the client goes away."""
    instead: tuple[int, str] | None = None
    """In place of the event with this number (from 0) stands this text."""
    dripped: bool = False
    """The stream comes byte by byte."""
    whole: bool = False
    """The answer comes as one document, though a stream was asked for."""
    hangs_up: bool = False
    """The connection ends without a word."""


FINE = Fault()

WRONG_DATA: Sequence[str] = (
    "data: {not json\n\n",
    "data: {}}\n\n",
    'data: ["an", "array"]\n\n',
    "data: 7\n\n",
    'data: {"deep": ' + "[" * 1000 + "]" * 1000 + "}\n\n",
)
"""Events that are none, on every wire."""

IGNORED: Sequence[str] = (
    ": a comment\n\n",
    "event: ping\n\n",
    'event: news\ndata: {"type": "news.of.tomorrow", "news": [1]}\n\n',
    "retry: 1000\n\n",
    "data:\n\n",
    "\n\n\n",
    "unknown field: 7\n\n",
)
"""What may stand between events and changes nothing."""

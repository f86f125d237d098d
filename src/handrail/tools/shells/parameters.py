"""What the shell tools take."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from handrail.tools.parameters import Parameters

DEFAULT_TIMEOUT, LONGEST_TIMEOUT = 120, 600
MOST_CHARACTERS = 30_000
"""Of output in one result: about what 7,500 tokens hold."""
"""Seconds."""


class Params(Parameters):
    command: str = Field(min_length=1, description="What the shell runs, as one script.")
    description: str = Field(default="", description="What it is for, in a few words, for the person who is asked.")
    timeout: int = Field(
        default=DEFAULT_TIMEOUT, ge=1, le=LONGEST_TIMEOUT, description="Seconds that it is waited for."
    )
    on_timeout: Literal["stop", "background"] = Field(
        default="stop", description="What becomes of it after that: it is stopped, or goes on in the background."
    )
    background: bool = Field(
        default=False, description="Starts it in the background, without waiting: for servers and watchers."
    )

"""What the parameters of all built-in tools have in common."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Parameters(BaseModel):
    """Refuses names it does not know. Its check is compiled for the first call: whoever lists the tools needs none."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

"""What all servers of one session share."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from handrail.contract.context import Workspace
from handrail.contract.launching import Launcher
from handrail.contract.sampling import Sampler
from handrail.contract.values import value


@value
class Around:
    """Where servers run, and how they are started."""

    launcher: Launcher
    workspace: Workspace
    environment: Mapping[str, str]
    """Variables of every program; a server's own come on top."""
    sampler: Sampler | None = None
    """Answers what servers ask a model; None refuses it."""
    state: Path | None = None
    """Handrail's own folder, for logins and what servers say on stderr; None keeps neither."""

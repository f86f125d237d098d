"""What all servers of one session share."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from handrail.contract.context import Workspace
from handrail.contract.launching import Launcher
from handrail.contract.values import value


@value
class Around:
    """Where servers run, and how they are started."""

    launcher: Launcher
    workspace: Workspace
    environment: Mapping[str, str]
    """Variables of every program; a server's own come on top."""
    logs: Path | None = None
    """The folder for what servers say on stderr; None keeps no file."""

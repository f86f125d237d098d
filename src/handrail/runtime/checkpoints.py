"""What is kept of files before a call overwrites them: nothing yet."""

from __future__ import annotations

from handrail.contract.calls import Approved


class NoCheckpoints:
    """`contract.ports.Checkpoints` that keeps nothing: there is no undo yet."""

    async def keep(self, call: Approved) -> None:
        return None

"""Plan mode of a session: which file the plan is in, and how the mode is entered and left.

A change makes the policy another one: calls that were decided before are decided anew before they start, and those
that wait for an answer are looked at again. That the mode is on is kept with the session, so that a restart does not
loosen it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from handrail.contract.basics import SessionId
from handrail.contract.plan_mode import PLAN_FOLDER
from handrail.contract.session_values import SessionValues
from handrail.errors import ToolFailed
from handrail.policy import Mode
from handrail.runtime.judge import Judge

KEY = "plan_mode"
"""Of the session's values: the mode before, while plan mode is on."""


class SessionPlanMode:
    """`contract.plan_mode.PlanMode`, shared by all calls of a session."""

    def __init__(
        self, judge: Judge, values: SessionValues, workspace: Path, session: SessionId, tell: Callable[[str], None]
    ) -> None:
        """`tell` gets what a person should know."""
        self._judge = judge
        self._values = values
        self._tell = tell
        self.file = f"{PLAN_FOLDER}/{session}.md"
        # Below the workspace no link is followed: a plan that a link leads elsewhere is no plan file.
        path = os.path.join(os.path.realpath(workspace), self.file)
        judge.change(replace(judge.policy, plan_file=path))

    def go_on(self) -> None:
        """The session is taken up where it was left: in plan mode, if it was in it."""
        if isinstance(self._values.get(KEY), str):
            self._judge.change(replace(self._judge.policy, mode=Mode.PLAN))

    @property
    def mode(self) -> Mode:
        """The session's, whichever it is."""
        return self._judge.policy.mode

    @property
    def is_on(self) -> bool:
        return self.mode is Mode.PLAN

    @property
    def next_modes(self) -> tuple[str, ...]:
        """The mode before comes first; `bypass` only where the session was in it."""
        before = self._values.get(KEY)
        policy = self._judge.policy
        modes = [Mode.DEFAULT, Mode.ACCEPT_EDITS, *([Mode.SANDBOXED] if policy.sandbox_holds else [])]
        if before in list(Mode) and before != Mode.PLAN:
            modes = [Mode(str(before)), *(mode for mode in modes if mode != before)]
        return tuple(mode.value for mode in modes)

    def enter(self) -> None:
        if not self.is_on:
            self._values.put(KEY, self._judge.policy.mode.value)
            self._change(Mode.PLAN)

    def leave(self, mode: str) -> None:
        if mode not in self.next_modes:
            raise ToolFailed(f"The session can't go on in mode {mode!r}: it is one of {', '.join(self.next_modes)}.")
        self._values.put(KEY, None)
        self._change(Mode(mode))

    def go_to(self, mode: Mode) -> None:
        """A person chose a mode: nothing is asked, and none is refused."""
        if mode is Mode.PLAN:
            self.enter()
        elif mode is not self._judge.policy.mode:
            self._values.put(KEY, None)
            self._change(mode)

    def _change(self, mode: Mode) -> None:
        self._judge.change(replace(self._judge.policy, mode=mode))
        self._tell(f"The session is in {mode} mode now.")

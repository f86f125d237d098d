"""The grants that hold in a session: those it found, and those that its person gives. They are part of its policy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from handrail.contract.basics import ApprovalId
from handrail.contract.confirmation import GrantOption
from handrail.errors import JournalError
from handrail.policy.grants import Grant
from handrail.runtime.grant_store import grant_id
from handrail.runtime.judge import Judge


class GrantShelf(Protocol):
    """Where grants are kept beyond the session."""

    async def keep_grant(self, grant: Grant) -> bool:
        """False where it was revoked meanwhile. Raises JournalError."""
        ...


class Grants:
    """The grants in force. Whenever they change, the policy is another one, and calls look again."""

    def __init__(self, judge: Judge, shelf: GrantShelf | None, tell: Callable[[str], None]) -> None:
        """Without a shelf all grants end with the session. `tell` gets what a person should know."""
        self._judge = judge
        self._shelf = shelf
        self._tell = tell
        self._given = judge.policy.grants
        """What the session was opened with."""
        self._kept: dict[str, Grant] = {}
        self._unkept: dict[str, Grant] = {}
        """Given in this session, and known to no file."""

    async def add(self, option: GrantOption, approval: ApprovalId) -> None:
        """Remembers a yes, once for each question. Where it can't be kept it holds for this session, and the person
        is told so."""
        grant = Grant(grant_id(approval), option)
        if self._shelf is None:
            self._unkept[grant.id] = grant
        else:
            try:
                if not await self._shelf.keep_grant(grant):
                    return
                self._kept[grant.id] = grant
            except JournalError as error:
                self._unkept[grant.id] = grant
                self._tell(f"The grant '{option.label}' holds for this session only, for it could not be kept: {error}")
        self._put_in_force()

    def found(self, grants: tuple[Grant, ...]) -> None:
        """What the files hold now: others may have added or revoked some."""
        kept = {grant.id: grant for grant in grants}
        if kept != self._kept:
            self._kept = kept
            self._put_in_force()

    def _put_in_force(self) -> None:
        grants = (*self._given, *self._kept.values(), *self._unkept.values())
        self._judge.change(replace(self._judge.policy, grants=grants))

"""A person changes the mode of a session while it runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from handrail.contract.basics import CallId
from handrail.contract.calls import CallRequest, Completed, ObjectArguments, Rejected
from handrail.errors import UsageError
from handrail.policy import Mode
from handrail.session import Session

WRITE = ObjectArguments({"file_path": "a.txt", "content": "x"})


async def write(session: Session, id: str):
    return await session.submit(CallRequest(CallId(id), "write_file", WRITE)).settled


@pytest.mark.parametrize(
    ("mode", "state"),
    [("accept-edits", Completed), (Mode.BYPASS, Completed), ("default", Rejected), ("plan", Rejected)],
)
async def test_the_next_call_is_decided_in_the_mode_that_was_chosen(mode: str, state: type, tmp_path: Path) -> None:
    async with Session.open(tmp_path) as session:
        session.change_mode(mode)
        assert session.mode == mode
        assert isinstance(await write(session, "c1"), state)


async def test_plan_mode_that_a_person_left_is_not_entered_again_when_the_session_is_taken_up(tmp_path: Path) -> None:
    async with Session.open(tmp_path) as session:
        session.change_mode("plan")
        session.change_mode("accept-edits")
    async with Session.open(tmp_path, session=session.id) as again:
        assert again.mode == "default"


async def test_plan_mode_that_a_person_chose_is_kept_with_the_session(tmp_path: Path) -> None:
    async with Session.open(tmp_path) as session:
        session.change_mode("plan")
    async with Session.open(tmp_path, session=session.id) as again:
        assert again.mode == "plan"


async def test_what_is_no_mode_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    async with Session.open(tmp_path) as session:
        with pytest.raises(UsageError, match="there is no mode 'yolo'"):
            session.change_mode("yolo")
        assert session.mode == "default"

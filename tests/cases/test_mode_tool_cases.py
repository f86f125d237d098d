"""Another product's built-in rules for the tools that ask, plan and list: what ours do with the same calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from accounts import case
from call_harness import Person, opened, settled
from handrail.contract.calls import Completed, Failed
from handrail.contract.confirmation import PlanConfirmation, QuestionConfirmation, Reply
from handrail.runtime.askers import Nobody
from handrail.tools import builtin_tools
from neutral_calls import write

ASK = {"questions": [{"question": "Which port?"}]}
MODES = ["default", "accept-edits", "bypass"]


@case("gm-policy-bundled-128")
@pytest.mark.parametrize("mode", MODES)
async def test_a_question_where_nobody_is_there_is_denied(tmp_path: Path, mode: str) -> None:
    async with opened(tmp_path, *builtin_tools(), mode=mode, asker=Nobody()) as session:
        state = await settled(session, "ask_user", ASK)
    assert isinstance(state, Failed)
    assert "it is denied" in state.fault.message


@case("gm-policy-bundled-129")
@pytest.mark.parametrize("mode", MODES)
async def test_a_question_is_asked_in_every_mode(tmp_path: Path, mode: str) -> None:
    person = Person(Reply("Brest"))
    async with opened(tmp_path, *builtin_tools(), mode=mode, asker=person) as session:
        assert "Brest" in (await settled(session, "ask_user", ASK)).result.text
    assert [type(asked.confirmation) for asked in person.asked] == [QuestionConfirmation]


@case("gm-policy-bundled-132", "gm-policy-bundled-133", "gm-policy-bundled-135")
async def test_plan_mode_is_entered_freely_once_and_left_by_a_yes_alone(tmp_path: Path) -> None:
    """Decided otherwise: to plan is to do less, which nobody need be asked about; to do so already changes nothing."""
    person = Person(Reply("default"))
    async with opened(tmp_path, *builtin_tools(), mode="default", asker=person) as session:
        assert isinstance(await settled(session, "enter_plan_mode"), Completed)
        assert isinstance(await settled(session, "enter_plan_mode", id="c2"), Completed)
        name, plan = write(f".handrail/plans/{session.id}.md", "1. Cut the port.\n")
        assert isinstance(await settled(session, name, plan, "c3"), Completed)
        assert person.asked == []
        assert isinstance(await settled(session, "exit_plan_mode", id="c4"), Completed)
    assert [type(asked.confirmation) for asked in person.asked] == [PlanConfirmation]


@case("gm-policy-bundled-142")
@pytest.mark.parametrize("mode", [*MODES, "plan"])
async def test_a_list_of_things_to_do_is_nothing_to_ask_about(tmp_path: Path, mode: str) -> None:
    """Decided otherwise: it touches nothing but what people see."""
    todos = {"todos": [{"text": "cut the port", "status": "pending"}]}
    async with opened(tmp_path, *builtin_tools(), mode=mode, asker=Nobody()) as session:
        assert isinstance(await settled(session, "todo_write", todos), Completed)

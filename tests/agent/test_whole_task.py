"""Whole tasks, from what the user says to what stands in the files afterwards."""

from __future__ import annotations

import sys
from pathlib import Path

from call_harness import Person
from handrail.agent.agent import open_agent
from handrail.agent.events import AgentEvent, Ended, Finished, TurnEnded
from handrail.agent.scripted import Say, ScriptedModel, Use
from handrail.contract.calls import Completed
from handrail.contract.confirmation import Once, PlanConfirmation, Reply
from handrail.contract.events import TopicSet
from handrail.contract.results import TodoDisplay
from handrail.policy import load_rules
from handrail.session import Parts, Session
from handrail.testing import MemoryJournal
from paired import unpaired

TESTS = "./python -B check.py"
"""Python keeps no bytecode: it tells its age by the second and the size, which an edit may leave as they are."""
RULES = f'[[rule]]\ncommand = "{TESTS}"\ndecision = "allow"\n'


def project(folder: Path) -> None:
    (folder / "python").symlink_to(sys.executable)
    (folder / "tides.py").write_text("def high_water(day):\n    return day * 49\n")
    (folder / "check.py").write_text(
        "import tides\nassert tides.high_water(1) == 50, f'got {tides.high_water(1)}'\nprint('all well')\n"
    )


async def test_find_read_edit_test_repair_confirm(tmp_path: Path) -> None:
    project(tmp_path)
    edit = {"file_path": "tides.py", "old_string": "day * 49", "new_string": "day * 51"}
    repair = {"file_path": "tides.py", "old_string": "day * 51", "new_string": "day * 50"}
    model = ScriptedModel(
        [
            Say("I look for it.", (Use("grep", {"pattern": "high_water"}), Use("glob", {"pattern": "*.py"}))),
            Say(
                "",
                (
                    Use("todo_write", {"todos": [{"text": "Mend it", "status": "in_progress"}]}),
                    Use("update_topic", {"title": "Tides", "intent": "Mend the constant"}),
                    Use("read_file", {"file_path": "tides.py"}),
                ),
            ),
            Say("Fifty-one, I think.", (Use("edit_file", edit),)),
            Say("", (Use("shell", {"command": TESTS}),)),
            lambda messages: Say("Not so.", (Use("edit_file", repair),)) if "got 51" in str(messages[-1]) else Say("?"),
            Say("", (Use("shell", {"command": TESTS}),)),
            lambda messages: Say("It holds." if "all well" in str(messages[-1]) else "It fails."),
        ]
    )
    person, topics = Person(Once(), Once()), []
    async with (
        Session.open(
            tmp_path,
            mode="default",
            rules=load_rules(RULES, "test"),
            parts=Parts(asker=person, journal=MemoryJournal()),
        ) as session,
        open_agent(session, model) as agent,
    ):
        session.subscribe(lambda event: topics.append(event.title) if isinstance(event, TopicSet) else None)
        events = [event async for event in agent.send("The check fails: mend tides.py.")]
    assert events[-1] == Finished(Ended.DONE, "It holds.")
    assert "day * 50" in (tmp_path / "tides.py").read_text()
    assert [asked.invocation.tool.name for asked in person.asked] == ["edit_file", "edit_file"]
    assert topics == ["Tides"]
    todos = [call for call in calls_in(events) if isinstance(call.result.display, TodoDisplay)]
    assert len(todos) == 1
    assert all(unpaired(messages, model.wire) == [] for messages in model.seen)


def calls_in(events: list[AgentEvent]) -> list[Completed]:
    turns = [event.turn for event in events if isinstance(event, TurnEnded)]
    return [call for turn in turns for call in turn.calls if isinstance(call, Completed)]


async def test_a_plan_is_made_shown_approved_and_carried_out(tmp_path: Path) -> None:
    project(tmp_path)
    edit = {"file_path": "tides.py", "old_string": "day * 49", "new_string": "day * 50"}

    def plan(session: Session) -> Use:
        return Use("write_file", {"file_path": session.support.plan_mode.file, "content": "# Plan\nPut 50 there.\n"})

    person = Person(Reply("Not yet: say where."), Reply("accept-edits"))
    async with Session.open(tmp_path, mode="default", parts=Parts(asker=person, journal=MemoryJournal())) as session:
        model = ScriptedModel(
            [
                Say("I plan first.", (Use("enter_plan_mode", {"reason": "it is large"}),)),
                Say("", (Use("edit_file", edit), plan(session))),
                Say("", (Use("exit_plan_mode", {}),)),
                Say("", (Use("shell", {"command": "cat tides.py"}),)),
                Say("", (Use("exit_plan_mode", {}),)),
                Say("", (Use("edit_file", edit),)),
                Say("Done."),
            ]
        )
        async with open_agent(session, model) as agent:
            events = [event async for event in agent.send("Mend the tides.")]
        assert session.mode == "accept-edits"
    assert events[-1] == Finished(Ended.DONE, "Done.")
    assert "day * 50" in (tmp_path / "tides.py").read_text()
    assert all(isinstance(asked.confirmation, PlanConfirmation) for asked in person.asked)
    assert len(person.asked) == 2
    turns = [event.turn for event in events if isinstance(event, TurnEnded)]
    assert [type(call).__name__ for call in turns[1].calls] == ["Rejected", "Completed"]
    told = [str(message) for message in model.seen[-1] if "<note>" in str(message)]
    assert ["default mode" in told[0], "plan mode" in told[1], "accept-edits mode" in told[2]] == [True] * 3
    assert len(told) == 3

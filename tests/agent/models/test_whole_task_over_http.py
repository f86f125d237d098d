"""A whole task with servers of each wire, on which each response goes wrong once before it comes."""

from __future__ import annotations

from pathlib import Path

import pytest
from asked import QUICK, model_at

from call_harness import Person
from handrail.agent.agent import open_agent
from handrail.agent.events import Ended, Finished
from handrail.contract.confirmation import Once
from handrail.policy import load_rules
from handrail.session import Parts, Session
from handrail.testing import MemoryJournal
from handrail.wire import Wire
from servers.faults import Fault
from servers.provider_server import DIALECTS
from servers.script import numbered
from servers.whole_task import (
    FAULTS,
    LAST,
    SCRIPT,
    TASK,
    TESTS,
    WIRES,
    TaskServer,
    is_mended,
    met_everywhere,
    project,
)

RULES = f'[[rule]]\ncommand = "{TESTS}"\ndecision = "allow"\n'


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
@pytest.mark.parametrize("wire", WIRES)
async def test_find_read_edit_test_repair_confirm(tmp_path: Path, wire: Wire, fault: Fault) -> None:
    project(tmp_path)
    person = Person(Once(), Once())
    parts = Parts(asker=person, journal=MemoryJournal())
    with TaskServer(DIALECTS[wire](), met_everywhere(fault)) as server:
        async with (
            Session.open(tmp_path, mode="default", rules=load_rules(RULES, "test"), parts=parts) as session,
            open_agent(session, model_at(server, QUICK)) as agent,
        ):
            events = [event async for event in agent.send(TASK)]
    assert server.wrong == []
    assert events[-1] == Finished(Ended.DONE, LAST)
    assert is_mended(tmp_path)
    assert [asked.invocation.tool.name for asked in person.asked] == ["edit_file", "edit_file"]


@pytest.mark.parametrize("wire", WIRES)
def test_no_fault_comes_behind_the_end_of_a_response(wire: Wire) -> None:
    events = len(list(DIALECTS[wire]().events(numbered(SCRIPT)[0])))
    places = [each.cut_after or (each.instead or (0,))[0] for each in FAULTS.values()]
    assert max(places) < events - 1

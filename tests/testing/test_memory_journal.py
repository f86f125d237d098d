from __future__ import annotations

import pytest

from handrail.contract.basics import CallId, Instant
from handrail.contract.calls import CallRequest, ObjectArguments, Pending
from handrail.errors import JournalError
from handrail.testing.journal import MemoryJournal


def call(number):
    return Pending.receive(CallRequest(CallId(f"call-{number}"), "t", ObjectArguments({})), Instant(1.0))


async def test_it_keeps_every_state_in_order_with_its_number():
    journal = MemoryJournal()
    states = [call(1), call(2)]
    for number, state in enumerate(states, 1):
        assert journal.append(state) == number
        await journal.durable(number)
    await journal.close()
    assert journal.states == [(1, states[0]), (2, states[1])]
    assert journal.closed


async def test_from_the_number_asked_for_on_nothing_is_durable():
    journal = MemoryJournal(fails_at=2)
    numbers = [journal.append(call(number)) for number in range(3)]
    await journal.durable(numbers[0])
    for number in numbers[1:]:
        with pytest.raises(JournalError, match=f"event {number} can't be written"):
            await journal.durable(number)

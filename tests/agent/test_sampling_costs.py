"""What servers have the model answer is part of what the work costs, and is told apart."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from mcp_world import PLAIN_SERVER, ready, tool
from played import USAGE, PlayedModel

from handrail.agent.agent import Agent, open_agent
from handrail.agent.events import Ended, Finished, TurnEnded
from handrail.agent.limits import Limits
from handrail.agent.model import Usage
from handrail.agent.sampling import ModelSampler
from handrail.agent.spent import ForServers, Spent
from handrail.contract.calls import AwaitingApproval
from handrail.contract.confirmation import Answer, Reply
from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.settings.load import Settings, load_settings
from handrail.wire import Wire
from servers.script import Turn, Use, says

ASKS = {"method": "sampling/createMessage", "params": {"maxTokens": 50, "messages": [
    {"role": "user", "content": {"type": "text", "text": "When is it high water?"}},
]}}  # fmt: skip
CALLS = says("I ask.", Use("mcp__s__ask", {}), Use("mcp__s__ask", {}))
"""One after the other: nobody knows what they do."""


class Allows:
    surface = "test"

    async def answer(self, call: AwaitingApproval) -> Answer:
        return Reply("Allow")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A server whose tool asks the model."""
    (tmp_path / "config").mkdir()
    (tmp_path / "work").mkdir()
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"tools": [tool("ask")], "answers": {"ask": [{"ask": ASKS}]}}))
    server = f'[mcp.servers.s]\ncommand = "{sys.executable}"\nargs = ["-S", "{PLAIN_SERVER}", "{script}"]\n'
    (tmp_path / "config" / "config.toml").write_text(server)
    return load_settings(tmp_path / "work", {"HANDRAIL_CONFIG": str(tmp_path / "config"), "HOME": str(tmp_path)})


async def worked(settings: Settings, limits: Limits, *script: Turn) -> tuple[Agent, Finished, list[str]]:
    """The agent, how it ended, and what its calls gave."""
    model, sampler = PlayedModel(Wire.ANTHROPIC, script, name="claude-played"), ModelSampler()
    parts = Parts(asker=Allows(), sampler=sampler)
    async with (
        Session.open(settings.workspace, settings=settings, mode="bypass", parts=parts) as session,
        open_agent(session, model, limits=limits) as agent,
    ):
        agent.pay_for(sampler)
        await ready(session, "s")
        events = [event async for event in agent.send("ask it")]
        assert isinstance(events[-1], Finished)
        gave = [call.result.text for event in events if isinstance(event, TurnEnded) for call in event.turn.calls]
    assert model.wrong == []
    return agent, events[-1], gave


def times(number: int) -> Usage:
    return Usage(USAGE.input * number, output=USAGE.output * number)


async def test_it_counts_as_the_works_own_and_is_told_apart(settings: Settings) -> None:
    agent, finished, _ = await worked(settings, Limits(), CALLS, says("At six."), says("At seven."), says("So."))
    assert finished == Finished(Ended.DONE, "So.")
    spent = agent.spent
    assert (spent.usage, spent.turns, spent.for_servers) == (times(4), 2, ForServers(2, times(2), None))


async def test_a_limit_holds_for_it(settings: Settings) -> None:
    _, finished, gave = await worked(settings, Limits(tokens=105), CALLS, says("At six."), says("Not this."))
    assert finished.ended is Ended.TOKENS
    assert "At six." in gave[0]
    assert "The model is not asked: it used 110 tokens, and may use 105" in gave[1]


@pytest.mark.parametrize(
    ("money", "more", "both", "since"),
    [(None, None, None, None), (1.0, None, 1.0, 1.0), (None, 1.0, 1.0, None), (2.0, 1.0, 3.0, 1.0)],
)
def test_what_is_spent_adds_up(
    money: float | None, more: float | None, both: float | None, since: float | None
) -> None:
    one = Spent(times(3), money, 1, 2.0, ForServers(1, times(3), money))
    other = Spent(times(1), more, 1, 2.0, ForServers(1, times(1), more))
    assert one + other == Spent(times(4), both, 2, 4.0, ForServers(2, times(4), both))
    assert one - other == Spent(times(2), since, 0, 0.0, ForServers(0, times(2), since))

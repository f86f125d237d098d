"""`handrail tools` tells of the tools what a model would be told."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import Ran
from loaded import Loaded

REVIEWER = "---\nname: reviewer\ndescription: Reviews a change.\n---\nReview it.\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """With a kind of agent of the person's own."""
    kinds = tmp_path / "config" / "agents"
    kinds.mkdir(parents=True)
    (kinds / "reviewer.md").write_text(REVIEWER)
    return tmp_path


@pytest.fixture
def tools(loaded: Loaded):
    def tools(place: Path, *arguments: str) -> Ran:
        return loaded.handrail("tools", *arguments, state=place / "state", cwd=place)

    return tools


def test_the_tool_that_gives_tasks_is_listed_with_the_kinds_of_agents(place: Path, tools) -> None:
    lines = [line.strip() for line in tools(place).out.splitlines()]
    (agent,) = [number for number, line in enumerate(lines) if line.startswith("agent ")]
    kinds = [line.split(":")[0] for line in lines[agent + 1 : agent + 5]]
    assert kinds == ["- explore", "- plan", "- general", "- reviewer"]
    assert lines[agent + 5].startswith("send_message ")


def test_a_program_gets_the_kinds_in_the_description(place: Path, tools) -> None:
    report = tools(place, "--json", "--model", "claude-sonnet-5-5").report
    (agent,) = [tool for tool in report["tools"] if tool["tool"] == "agent"]
    assert "- reviewer: Reviews a change." in agent["description"]


def test_without_agents_there_is_no_tool_that_gives_tasks(place: Path, monkeypatch: pytest.MonkeyPatch, tools) -> None:
    (place / "config" / "config.toml").write_text("agent_depth = 0\n")
    report = tools(place, "--json", "--explain").report
    assert not {"agent", "send_message"} & {tool["tool"] for tool in report["tools"]}
    assert {"agent", "send_message"} <= {hidden["tool"] for hidden in report["hidden"]}

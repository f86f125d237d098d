"""The recorded runs of whole agents, as turns that a played model says, and a tool that gives what was seen then.

Nothing of them is executed: the tool `bash` of these tests looks its command's recorded output up.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from corpus_files import corpus_folder
from handrail.authoring.function_tool import tool
from handrail.contract.tool import Tool
from servers.script import Turn, Use


@dataclass(frozen=True)
class Run:
    """One run of an agent."""

    id: str
    task: str
    steps: tuple[Any, ...]
    """Each with the model's `thought`, its `arguments` for the shell if it called it, and the `observation`."""

    @property
    def turns(self) -> list[Turn]:
        return [Turn(step["thought"], tuple(_uses(step))) for step in self.steps]

    @property
    def tasks(self) -> list[str]:
        """What the user said: the task, and behind each step without a call what it got for an answer."""
        return [self.task, *(step["observation"] for step in self.steps[:-1] if not step["arguments"])]

    def bash(self) -> Tool[Any]:
        """A shell that runs nothing."""
        waiting = [step for step in self.steps if step["arguments"]]

        @tool
        async def bash(command: str) -> str:
            """Gives what a command gave when it was recorded.

            Args:
                command: As it was recorded.
            """
            step = waiting.pop(0)
            assert step["arguments"]["command"] == command
            return str(step["observation"])

        return bash


def recorded_runs() -> list[Run]:
    """All of `corpus/trajectories`; fails where there is none."""
    files = sorted((corpus_folder() / "trajectories").glob("*.json"))
    assert files, "the corpus holds no runs"
    return [_run(json.loads(file.read_text("utf-8"))) for file in files]


def _run(document: Any) -> Run:
    return Run(document["id"], document["meta"].get("task_prompt", "Do the task."), tuple(document["steps"]))


def _uses(step: Any) -> Iterator[Use]:
    if step["arguments"]:
        yield Use(step["tool"], step["arguments"])

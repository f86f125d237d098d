"""A context for one run of a tool, and a run of it: what the runtime would hand in, kept for the test to see."""

from __future__ import annotations

from pathlib import Path

from handrail.contract.context import RunContext, Workspace

WORKSPACE = Workspace(Path("/harbour"))


class KeptOutput:
    """Live output as it came."""

    def __init__(self):
        self.texts = []
        self.others = []

    def text(self, text):
        self.texts.append(text)

    def progress(self, fraction, message=""):
        self.others.append((fraction, message))

    def notice(self, message):
        self.others.append(message)

    def topic(self, title, intent, summary):
        self.others.append((title, intent, summary))


def context(workspace=WORKSPACE):
    parts = (
        "calls",
        "questions",
        "jobs",
        "ledger",
        "spill",
        "shell",
        "skills",
        "values",
        "plan_mode",
        "deferred",
        "agents",
        "names",
    )
    return RunContext("call-1", None, workspace, "files", "launcher", KeptOutput(), *parts)


async def run(tool, /, **arguments):
    """The result of one call, checked and run as the runtime would."""
    return await tool.bind(arguments).run(context())

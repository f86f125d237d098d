"""The terminal with a model that plays a script: `talk.py WORKSPACE SCRIPT [plain]`, for tests to type at."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

from handrail.agent.model import ModelEvent, ModelRequest, TextArrived
from handrail.agent.scripted import Line, Say, ScriptedModel, Use
from handrail.contract.basics import JsonObject
from handrail.surfaces.cli.settings_here import settings_here
from handrail.surfaces.terminal.console import Opening
from handrail.surfaces.terminal.run import run_terminal

EDIT = Use("edit_file", {"file_path": "a.txt", "old_string": "two", "new_string": "2"})
REMOVE = Use("shell", {"command": "echo ok && rm -rf build"})
UNTIL_GO = Use("shell", {"command": "echo begun; until [ -e go ]; do sleep 0.02; done"})
"""Changes nothing, and so runs unasked."""
PAUSE = "\N{HORIZONTAL ELLIPSIS}"
WAITS = "touch started; until [ -e go ]; do sleep 0.02; done; echo gone"
"""A command that runs until a file is there, and says when it has begun."""


class Pausing(ScriptedModel):
    """Stops in the middle of a text until a file is there."""

    async def respond(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        async for event in super().respond(request):
            if not isinstance(event, TextArrived):
                yield event
                continue
            before, _, after = event.text.partition(PAUSE)
            yield TextArrived(before)
            while after and not Path("go").exists():  # noqa: ASYNC110 (a file that comes is no event)
                await asyncio.sleep(0.02)
            yield TextArrived(after)


def count_lines(messages: Sequence[JsonObject]) -> Say:
    """What the person said last, measured."""
    text = next(said for message in reversed(messages) if not (said := str(message["content"])).startswith("<note>"))
    lines = text.split("\n")
    return Say(f"You said {len(lines):,} lines, from '{lines[0]}' to '{lines[-1]}'.")


def done_or_count_lines(messages: Sequence[JsonObject]) -> Say:
    """Nothing new, or what the person said while a call ran."""
    last = next(message for message in reversed(messages) if not str(message.get("content", "")).startswith("<note>"))
    return Say("Done.") if "results" in last else count_lines(messages)


def reporter(messages: Sequence[JsonObject]) -> Say:
    """The main model, and its helper in the background."""
    said = str(messages)
    if "find it" not in said:
        return Say("It is in a.txt.") if "begun" in said else Say("", (UNTIL_GO,))
    if "explore-1" not in said:
        task = {"description": "find the two", "prompt": "Where is two?", "agent": "explore", "background": True}
        return Say("", (Use("agent", task),))
    return Say("My helper found it." if "has ended" in said else "I wait for it.")


def asks_behind(messages: Sequence[JsonObject]) -> Say:
    """The main model, and its helper in the background, which wants to edit."""
    said = str(messages)
    if "change it" not in said:
        return Say("", (EDIT,))
    if "general-1" not in said:
        task = {"description": "edit", "prompt": "Two is 2.", "agent": "general", "background": True}
        return Say("", (Use("agent", task),))
    return Say("My helper was stopped." if "has ended" in said else "I wait for it.")


def plan_file(messages: Sequence[JsonObject]) -> str:
    """Where the plan goes, as the tool that entered the mode said."""
    return re.findall(r"\.handrail/plans/[\w.-]+\.md", str(messages))[-1]


MARKDOWN = """# A plan

I will **look** at `a.txt` first, and then change what is wrong in it.

1. read
2. edit

```python
def two() -> int:
    return 2
```"""

LONG = (
    "The first paragraph is finished before the window changes, and so it stays as it was laid out for the width of "
    "that time, however wide the window may be afterwards.\n\nThe second one is still being written when that happens, "
    f"so that it is laid out anew for each width{PAUSE} until it has ended, and stays as it is from then on."
)

SCRIPTS: Mapping[str, Sequence[Line]] = {
    "approvals": (
        Say(MARKDOWN, (Use("read_file", {"file_path": "a.txt"}),)),
        Say("", (EDIT,)),
        Say("", (REMOVE,)),
        Say("Both are **done**."),
    ),
    "two": (Say("", (EDIT, REMOVE)), Say("Over.")),
    "edit": (Say("", (Use("write_file", {"file_path": "b.txt", "content": "x"}),)), Say("Written.")),
    "waits": (
        Say("", (Use("shell", {"command": f"echo begun; {WAITS}"}), Use("read_file", {"file_path": "a.txt"}))),
        Say("Never said."),
        Say("On with it."),
    ),
    "works": (Say("", (UNTIL_GO,)), done_or_count_lines, count_lines, count_lines, count_lines),
    "stream": (Say(LONG, (EDIT,)), Say("Over.")),
    "says_and_asks": (Say(f"I look{PAUSE} and change it.", (EDIT,)), Say("Over.")),
    "asks_late": (
        Say("", (Use("shell", {"command": "until [ -e go ]; do sleep 0.02; done"}),)),
        Say("", (EDIT,)),
        Say("Over."),
    ),
    "questions": (
        Say(
            "",
            (
                Use(
                    "ask_user",
                    {
                        "questions": [
                            {
                                "question": "Which store?",
                                "header": "Store",
                                "options": [{"label": "SQLite", "description": "one file"}, {"label": "Postgres"}],
                            },
                            {
                                "question": "Which parts?",
                                "header": "Parts",
                                "multi_select": True,
                                "options": [{"label": "A"}, {"label": "B"}],
                            },
                            {"question": "Why?", "header": "Why"},
                        ]
                    },
                ),
            ),
        ),
        Say("Thanks."),
    ),
    "talk": (count_lines, count_lines, count_lines),
    "job": (
        Say("", (Use("shell", {"command": "until [ -e go ]; do sleep 0.02; done", "background": True}),)),
        Say("It runs."),
    ),
    "plan": (
        Say("", (Use("enter_plan_mode"),)),
        lambda messages: Say("", (Use("write_file", {"file_path": plan_file(messages), "content": MARKDOWN}),)),
        Say("", (Use("exit_plan_mode"),)),
        Say("On to it."),
    ),
    "helper": (
        Say("", (Use("agent", {"description": "find the two", "prompt": "Where is two?", "agent": "explore"}),)),
        Say("", (UNTIL_GO,)),
        Say("It is in a.txt."),
        Say("My helper found it."),
    ),
    "reporter": (reporter,) * 5,
    "asks_behind": (asks_behind,) * 5,
    "sums_up": (
        *(Say("word " * 2_000 + f"\n\nEnd {n}.") for n in range(3)),
        Say(f"So far{PAUSE} so good."),
        Say("On with it."),
    ),
    "evil": (
        Say(
            "\x1b[2J\x1b]0;pwned\x07Hello\x9b31m.",
            (Use("write_file", {"file_path": "\x1b[8mb.txt", "content": "\x1b[2J\n"}),),
        ),
        Say("Over."),
    ),
}


def main() -> int:
    workspace, name, *more = sys.argv[1:]
    model = Pausing(SCRIPTS[name])
    settings = settings_here(Path(workspace), {})
    return run_terminal(Opening(settings, model, lambda other: ScriptedModel((), name=other)), plain=more == ["plain"])


if __name__ == "__main__":
    sys.exit(main())

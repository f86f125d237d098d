"""The scripted model's part: only what it says and asks for. What comes back is real."""

from __future__ import annotations

import json
from collections.abc import Sequence

from handrail.agent.scripted import Line, Say, Use
from handrail.contract.basics import JsonObject

TASK = "The tests fail. Find out why, and repair it."

PUBLISH = Say("All green. I'll publish it.", (Use("shell", {"command": "git push origin main"}),))
GIVE_UP = Say("The tests still fail, and I may not repair it. Tell me how you would like it done.")


def tests_pass(conversation: Sequence[JsonObject]) -> bool:
    """Whether the last results hold unittest's verdict that all is well."""
    return "\nOK" in json.dumps(conversation[-1]).replace("\\n", "\n")


SCRIPT: tuple[Line, ...] = (
    Say(
        "Let me look around.",
        (Use("list_directory", {"path": "."}), Use("grep", {"pattern": "def ", "glob": "*.py"})),
    ),
    Say("I'll run the tests to see what fails.", (Use("shell", {"command": "python -m unittest"}),)),
    Say("The tide seems to be counted the wrong way.", (Use("read_file", {"file_path": "harbour.py"}),)),
    Say(
        "It is subtracted; it must be added.",
        (
            Use(
                "edit_file",
                {
                    "file_path": "harbour.py",
                    "old_string": "return depth_m - tide_m - draught_m",
                    "new_string": "return depth_m + tide_m - draught_m",
                },
            ),
        ),
    ),
    Say("Now the tests again.", (Use("shell", {"command": "python -m unittest"}),)),
    lambda conversation: PUBLISH if tests_pass(conversation) else GIVE_UP,
    Say("Pushing is not allowed here, so I leave that to you. The repair: the tide adds water, in harbour.py."),
)

"""A task as a whole, for models of local servers: find, read, edit, test, repair, confirm.

The server goes on by what the conversation shows to be done, as a model does: a response that broke off is said again,
unless some of its calls are in the conversation.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from handrail.wire import Wire
from servers.conversation import problems
from servers.dialect import Dialect
from servers.faults import FINE, WRONG_DATA, Fault
from servers.provider_server import ProviderServer
from servers.script import Turn, Use, says

TASK = "The check fails: mend tides.py."
TESTS = "./python -B check.py"
"""Python keeps no bytecode: it tells its age by the second and the size, which an edit may leave as they are."""
LAST = "It holds: high water is right."


def _edit(old: int, new: int) -> Use:
    return Use("edit_file", {"file_path": "tides.py", "old_string": f"day * {old}", "new_string": f"day * {new}"})


SCRIPT = (
    says(
        "I look for it.",
        Use("grep", {"pattern": "high_water"}),
        Use("glob", {"pattern": "*.py"}),
        Use("read_file", {"file_path": "tides.py"}),
        Use("read_file", {"file_path": "check.py"}),
        Use("list_directory", {"path": "."}),
        thinking="Where is it, and what checks it?",
    ),
    says("Fifty-one, I think.", _edit(49, 51)),
    says("", Use("shell", {"command": TESTS})),
    says("Not so: fifty.", _edit(51, 50), thinking="It says that it got 51."),
    says("", Use("shell", {"command": TESTS})),
    says(LAST),
)

FAULTS: Mapping[str, Fault] = {
    "nothing": FINE,
    "429": Fault(status=429, message="slow down", headers={"Retry-After": "0"}),
    "500": Fault(status=500, message="out of order"),
    "hangs up": Fault(hangs_up=True),
    "cut early": Fault(cut_after=1),
    "cut": Fault(cut_after=5),
    "cut late": Fault(cut_after=7),
    "malformed early": Fault(instead=(1, WRONG_DATA[0])),
    "malformed": Fault(instead=(5, WRONG_DATA[0])),
    "slow": Fault(dripped=True),
}
"""What becomes of each response before it comes as it should."""


def project(folder: Path) -> None:
    (folder / "python").symlink_to(sys.executable)
    (folder / "tides.py").write_text("def high_water(day):\n    return day * 49\n")
    (folder / "check.py").write_text(
        "import tides\nassert tides.high_water(1) == 50, f'got {tides.high_water(1)}'\nprint('all well')\n"
    )


def is_mended(folder: Path) -> bool:
    return "day * 50" in (folder / "tides.py").read_text()


class TaskServer(ProviderServer):
    """`wrong` also holds that the tests did not say what they should."""

    def __init__(self, dialect: Dialect, faults: Sequence[Fault] = ()) -> None:
        super().__init__(dialect, SCRIPT, [each for fault in faults for each in (fault, FINE)])

    def turn_for(self, body: Any) -> Turn | str:
        self.requests.append(body)
        steps = self.dialect.steps(self.dialect.messages(body))
        said = [step for step in steps if step.by == "model"]
        found = [*self._wrong_types(body), *problems(steps, said, alternates=self.dialect.alternates)]
        number = sum(bool(step.ids) for step in said)
        seen = json.dumps(body)
        seeing = ((3, "got 51"), (5, "all well"))
        found += [f"{words!r} was not seen" for at, words in seeing if number >= at and words not in seen]
        if found:
            self.wrong += found
            return "; ".join(found)
        self.played.append(number)
        return self.script[number]


def met_everywhere(fault: Fault) -> list[Fault]:
    """The fault before each response of the task."""
    return [fault] * len(SCRIPT)


def all_in_one_task() -> list[Fault]:
    """A different one before each response."""
    return [FAULTS[name] for name in ("429", "500", "cut early", "malformed", "slow", "hangs up")]


WIRES = (Wire.ANTHROPIC, Wire.OPENAI_CHAT, Wire.OPENAI_RESPONSES, Wire.GEMINI)

"""CPU time of starting the `handrail` command, against the interpreter that does nothing.

Each child is the interpreter of this environment itself, no shim, with its bytecode compiled; user and system time of
the whole child are counted. Some are ended when they have come to the point: at a terminal when the prompt stands,
or when the first byte of a request has come to a local server in a provider's place. The commands are run in turns, as
`python -m handrail` and as the installed script.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median

from bench._report import Aim, interpreter, line, milliseconds, note
from bench._starting import Starter

from handrail import __version__

ROUNDS = 15

NOTHING = "python -c pass"
VERSION_AIM, TOOLS_AIM, PROMPT_AIM, REQUEST_AIM = Aim(2), Aim(12), Aim(28), Aim(25)

PROMPT = b">\x1b[0m"
"""How the prompt begins: the last that is drawn before something can be typed."""


def commands(starter: Starter) -> dict[str, tuple[Callable[[], float], Aim | None]]:
    """What to measure, and what its ratio should be."""
    script = str(Path(sys.executable).with_name("handrail"))
    return {
        NOTHING: (lambda: starter.to_its_end(["-c", "pass"]), None),
        "handrail --version": (lambda: starter.to_its_end([script, "--version"]), VERSION_AIM),
        "python -m handrail --version": (lambda: starter.to_its_end(["-m", "handrail", "--version"]), VERSION_AIM),
        "handrail tools": (lambda: starter.to_its_end([script, "tools"]), TOOLS_AIM),
        "python -m handrail tools": (lambda: starter.to_its_end(["-m", "handrail", "tools"]), TOOLS_AIM),
        "handrail, to a usable prompt": (lambda: starter.to_text([script], PROMPT), PROMPT_AIM),
        "handrail run, to the first byte sent": (lambda: starter.to_request([script, "run", "x"]), REQUEST_AIM),
    }


def main() -> None:
    note(f"CPU time of a child process; median of {ROUNDS}, in turns; {interpreter()}; handrail {__version__}")
    with tempfile.TemporaryDirectory(prefix="handrail-bench-") as scratch:
        measured = commands(Starter(Path(scratch)))
        samples: dict[str, list[float]] = {name: [] for name in measured}
        for number in range(ROUNDS + 1):
            for name, (measure, _) in measured.items():
                sample = measure()
                if number > 0:  # the first round compiles what isn't compiled yet
                    samples[name].append(sample)
    nothing = median(samples[NOTHING])
    for name, (_, aim) in measured.items():
        taken = median(samples[name])
        line(name, milliseconds(taken), *([aim.cell(taken / nothing)] if aim else []))


if __name__ == "__main__":
    main()

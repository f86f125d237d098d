"""CPU time of starting the `handrail` command, against the interpreter that does nothing.

Each child is the interpreter of this environment itself, no shim, with its bytecode compiled; user and
system time of the whole child are counted. The commands are run in turns, as `python -m handrail` and as
the installed script.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path
from statistics import median

from bench._report import Aim, interpreter, line, milliseconds, note

from handrail import __version__

ROUNDS = 15

NOTHING = "python -c pass"
VERSION_AIM, TOOLS_AIM = Aim(2), Aim(12)


def commands() -> dict[str, tuple[list[str], Aim | None]]:
    """What to start, and what its ratio should be."""
    script = str(Path(sys.executable).with_name("handrail"))
    return {
        NOTHING: (["-c", "pass"], None),
        "handrail --version": ([script, "--version"], VERSION_AIM),
        "python -m handrail --version": (["-m", "handrail", "--version"], VERSION_AIM),
        "handrail tools": ([script, "tools"], TOOLS_AIM),
        "python -m handrail tools": (["-m", "handrail", "tools"], TOOLS_AIM),
    }


def cpu_seconds(arguments: list[str]) -> float:
    """CPU time of one child. Settings of this shell that change how Python starts don't reach it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], env=environment, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    note(f"CPU time of a child process; median of {ROUNDS}, in turns; {interpreter()}; handrail {__version__}")
    samples: dict[str, list[float]] = {name: [] for name in commands()}
    for number in range(ROUNDS + 1):
        for name, (arguments, _) in commands().items():
            sample = cpu_seconds(arguments)
            if number > 0:  # the first round compiles what isn't compiled yet
                samples[name].append(sample)
    nothing = median(samples[NOTHING])
    for name, (_, aim) in commands().items():
        taken = median(samples[name])
        line(name, milliseconds(taken), *([aim.cell(taken / nothing)] if aim else []))


if __name__ == "__main__":
    main()

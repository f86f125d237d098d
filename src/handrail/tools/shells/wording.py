"""How a command ended, in words for a model. Pure."""

from __future__ import annotations

import signal
import sys

from handrail.contract.launching import Finished

_CAUSES = {
    "SIGXFSZ": "a file would have grown past the limit of `ulimit -f`",
    "SIGXCPU": "it used up the processor time of `ulimit -t`",
    "SIGKILL": "killed from outside, as where memory runs out",
    "SIGSEGV": "it crashed",
    "SIGABRT": "it gave up by itself",
}
"""What most often lies behind a signal that a model can do something about."""
_OF_SHELLS = 128
"""Shells add it to the number of the signal that ended a program: POSIX, 2.8.2."""


def ending_in_words(finished: Finished) -> str:
    """One line, also for good ends: of a job nobody knows when it ended."""
    after = f"after {finished.seconds:.0f} s" if finished.seconds >= 1 else "at once"
    left = f"; {left_behind(finished)}" if finished.left else ""
    match finished.ending:
        case "exited":
            return f"ended {after} with exit code {exit_code_in_words(finished.exit_code or 0)}{left}"
        case "signalled":
            return f"ended {after} by signal {signal_in_words(finished.signal or 0)}{left}"
        case _:
            return f"stopped {after}{left}"


def exit_code_in_words(code: int) -> str:
    name = _signal_name(code - _OF_SHELLS)
    return f"{code} ({name}: {_CAUSES[name]})" if name in _CAUSES else str(code)


def signal_in_words(number: int) -> str:
    name = _signal_name(number) or "unknown"
    return f"{number} ({name}{f': {_CAUSES[name]}' if name in _CAUSES else ''})"


def left_behind(finished: Finished) -> str:
    """Of processes that did not end though they were killed."""
    return f"{_processes(finished.left)} not to be stopped, and may still run"


def stopped_behind(finished: Finished) -> str:
    """Of processes that the command left in the background."""
    return f"{_processes(finished.stopped)} still running in the background at the end, and stopped"


def _signal_name(number: int) -> str:
    known = sys.platform != "win32" and number in {item.value for item in signal.Signals}
    return signal.Signals(number).name if known else ""


def _processes(count: int) -> str:
    return "1 process was" if count == 1 else f"{count} processes were"

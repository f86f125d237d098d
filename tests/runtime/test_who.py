from __future__ import annotations

import os
import subprocess
import sys

import pytest

from handrail.runtime.who import Answerer, ProcessName, answerer_here, governed_by, this_process

BELOW = "import sys; from handrail.runtime.who import {0}; print({1})"


def below(names: str, expression: str, **variables: str) -> str:
    """What a child of this process prints."""
    env = {name: value for name, value in os.environ.items() if name != "HANDRAIL"} | variables
    code = BELOW.format(names, expression)
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout


def test_an_answer_is_said_to_be_somebodys() -> None:
    here = answerer_here("web")
    assert here.surface == "web"
    assert here.user
    assert str(here).startswith(f"{here.user} at web")


@pytest.mark.parametrize(
    ("answerer", "text"),
    [
        (Answerer("cli", "ada", "pts/3"), "ada at cli (pts/3)"),
        (Answerer("cli", "ada"), "ada at cli"),
        (Answerer("expiry"), "expiry"),
    ],
)
def test_who_answered_reads_as_a_person_would_say_it(answerer: Answerer, text: str) -> None:
    assert str(answerer) == text


def test_a_child_that_carries_the_mark_is_governed() -> None:
    assert below("governed_by", "governed_by(None)", HANDRAIL="1") == "it runs inside a governed call\n"


@pytest.mark.skipif(sys.platform != "linux", reason="only /proc shows the processes above")
def test_the_processes_above_are_known_up_to_the_first() -> None:
    pids = [process.pid for process in answerer_here("cli").ancestry]
    assert pids[:2] == [os.getpid(), os.getppid()]
    assert len(set(pids)) == len(pids)


@pytest.mark.skipif(sys.platform != "linux", reason="only /proc shows the processes above")
def test_a_child_of_the_asking_process_is_governed_and_one_of_its_number_alone_is_not() -> None:
    own = this_process()
    asking = f"ProcessName({own.pid}, {own.started})"
    other = f"ProcessName({own.pid}, {own.started + 1})"
    assert "started by the session that asks" in below("governed_by, ProcessName", f"governed_by({asking})")
    assert "session" not in below("governed_by, ProcessName", f"governed_by({other})")


def test_a_process_may_answer_what_it_asks_itself() -> None:
    assert "session that asks" not in governed_by(this_process())
    assert "session that asks" not in governed_by(ProcessName(1 << 30, 0))

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from handrail.contract.transitions import STATES, transitions

ROOT = Path(__file__).parents[2]
ILLEGAL = Path(__file__).parent / "typing" / "illegal.py"
LEGAL = ILLEGAL.with_name("legal.py")

MARK = re.compile(r"# error: ([a-z-]+)$")
REPORTED = re.compile(r"^(?P<file>[^:]+):(?P<line>\d+): error: .*\[(?P<code>[a-z-]+)\]$", re.MULTILINE)


@pytest.fixture(scope="module")
def errors():
    """File name and line of every error that the type checker reports, with its code; a union's members as one.

    In a process of its own: it lets functions call each other far more deeply, for all tests that come after it.
    """
    options = ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(ROOT / ".mypy_cache")]
    command = [sys.executable, "-m", "mypy", *options, "--no-pretty", str(ILLEGAL), str(LEGAL)]
    checked = subprocess.run(command, capture_output=True, text=True)
    report = checked.stdout
    assert checked.returncode in (0, 1), report + checked.stderr
    found = {(Path(e["file"]).name, int(e["line"]), e["code"]) for e in REPORTED.finditer(report)}
    assert len(REPORTED.findall(report)) == report.count(": error: "), report
    return found


def marks(file):
    lines = enumerate(file.read_text().splitlines(), 1)
    return {(file.name, number, mark[1]) for number, line in lines if (mark := MARK.search(line))}


def test_every_marked_line_has_an_error_of_its_code_and_no_other_line_has_one(errors):
    assert {error for error in errors if error[0] == ILLEGAL.name} == marks(ILLEGAL)


def test_no_legal_transition_is_an_error(errors):
    assert {error for error in errors if error[0] == LEGAL.name} == set()


def tried(file):
    """State and method of every method call on a parameter named `call`."""
    for function in ast.parse(file.read_text()).body:
        if isinstance(function, ast.FunctionDef) and function.name.startswith("from_"):
            states = {argument.arg: ast.unparse(argument.annotation) for argument in function.args.args}
            state = states.get("call", "Pending")
            for node in ast.walk(function):
                if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "call":
                    yield state, node.attr


ALLOWED = {(state.__name__, method) for state, methods in transitions().items() for method in methods}
METHODS = {method for _, method in ALLOWED}


def test_every_transition_that_a_state_lacks_is_tried():
    assert set(tried(ILLEGAL)) == {(state.__name__, method) for state in STATES for method in METHODS} - ALLOWED


def test_every_transition_that_there_is_is_used():
    assert set(tried(LEGAL)) == ALLOWED

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PINNED = sorted((ROOT / "requirements").glob("*.txt"))
PIN = re.compile(r"^([a-z0-9._-]+)(?:\[[a-z,-]+\])?==\S+(?: ; .+?)? \\$")
HASH = re.compile(r"^    --hash=sha256:[0-9a-f]{64}(?: \\)?$")


def names(file):
    return {pin[1] for line in file.read_text().splitlines() if (pin := PIN.match(line))}


def test_there_are_pins_for_each_way_of_working():
    assert [file.stem for file in PINNED] == ["bench", "build", "dev", "run", "servers"]


@pytest.mark.parametrize("file", PINNED, ids=lambda file: file.name)
def test_every_requirement_is_pinned_with_hashes_and_names_no_registry(file):
    lines = file.read_text().splitlines()
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        assert PIN.match(line) or HASH.match(line) or line.startswith("    # "), line
        if PIN.match(line):
            assert HASH.match(following), line
        assert "://" not in line


def test_every_dependency_of_the_project_is_pinned():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = {re.match(r"[A-Za-z0-9._-]+", dependency)[0] for dependency in project["dependencies"]}
    for stem in ("run", "dev", "bench"):
        assert wanted <= names(ROOT / "requirements" / f"{stem}.txt")


def test_the_tools_for_development_hold_all_that_a_run_needs_in_the_same_versions():
    run, dev = (
        {line for line in (ROOT / "requirements" / f"{stem}.txt").read_text().splitlines() if "==" in line}
        for stem in ("run", "dev")
    )
    assert {line.split(" ;")[0].rstrip(" \\") for line in run} <= {line.split(" ;")[0].rstrip(" \\") for line in dev}

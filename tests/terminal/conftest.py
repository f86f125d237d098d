"""A project, and the terminal in it with a model that plays a script."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from scenes import Opened
from screen import Screen
from stage import Stage

from e2e.command import environment


@pytest.fixture(scope="session")
def stage() -> Iterator[Stage]:
    stage = Stage()
    yield stage
    stage.close()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "build").mkdir(parents=True)
    (folder / "a.txt").write_text("one\ntwo\n")
    return folder


@pytest.fixture
def opened(tmp_path: Path, project: Path, stage: Stage) -> Opened:
    """Opens a terminal. Variables of its environment that are None are not set."""

    def opened(script: str, *more: str, columns: int = 80, rows: int = 40, **env: str | None) -> Screen:
        wanted: dict[str, str | None] = {**environment(tmp_path / "state"), "TERM": "xterm-256color", **env}
        variables = {name: text for name, text in wanted.items() if text is not None}
        words = (str(project), script, *more)
        return Screen(*words, env=variables, cwd=project, columns=columns, rows=rows, start=stage.start)

    return opened

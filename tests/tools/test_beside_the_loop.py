"""What a change of a file comes to is worked out in a thread: in a large one it takes seconds, and others go on."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from tool_harness import Bench

from handrail.errors import ToolFailed
from handrail.tools.apply_patch import ApplyPatch
from handrail.tools.edit_file import EditFile
from handrail.tools.list_directory import ListDirectory
from handrail.tools.notebook_edit import NotebookEdit
from handrail.tools.read_file import ReadFile
from handrail.tools.read_many_files import ReadManyFiles
from handrail.tools.write_file import WriteFile

NOTEBOOK = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}
CASES: list[tuple[Any, dict[str, object], set[str]]] = [
    (EditFile(), {"file_path": "f", "old_string": "b", "new_string": "B"}, {"editing", "finding", "replacing"}),
    (EditFile(), {"file_path": "f", "old_string": "nope", "new_string": "B"}, {"nearest", "normal_form"}),
    (EditFile(), {"file_path": "new", "old_string": "", "new_string": "B"}, {"omissions"}),
    (WriteFile(), {"file_path": "f", "content": "c"}, {"omissions", "encoding"}),
    (WriteFile(), {"file_path": "new", "content": "c"}, {"omissions"}),
    (ApplyPatch(), {"input": "*** Begin Patch\n*** Update File: f\n@@\n-a\n+A\n*** End Patch"}, {"hunks", "finding"}),
    (ApplyPatch(), {"input": "*** Begin Patch\n*** Update File: f\n*** Move to: g\n*** End Patch"}, {"encoding"}),
    (ApplyPatch(), {"input": "*** Begin Patch\n*** Delete File: f\n*** End Patch"}, {"encoding"}),
    (ApplyPatch(), {"input": "*** Begin Patch\n*** Add File: new\n+a\n*** End Patch"}, {"omissions"}),
    (NotebookEdit(), {"notebook_path": "n.ipynb", "new_source": "x", "edit_mode": "insert"}, {"document", "encoding"}),
    (ReadFile(), {"file_path": "f"}, {"encoding"}),
    (ReadManyFiles(), {"paths": ["f"]}, {"encoding"}),
    (ListDirectory(), {"path": "."}, {"gitignore"}),
]


@contextmanager
def modules_of_the_loop(watched: set[str]) -> Iterator[set[str]]:
    """Those of the watched modules of which this very thread, the loop's, runs a function meanwhile."""
    seen: set[str] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.stem in watched and not {"tools", "pathspec"}.isdisjoint(path.parts):
            seen.add(path.stem)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield seen
    finally:
        sys.setprofile(before)


@pytest.mark.parametrize(("tool", "arguments", "modules"), CASES, ids=lambda value: getattr(value, "name", None))
async def test_the_loop_does_none_of_the_work_that_grows_with_a_file(
    tool: Any, arguments: dict[str, object], modules: set[str], tmp_path: Path
) -> None:
    (tmp_path / "f").write_text("a\nb\n")
    (tmp_path / "n.ipynb").write_text(json.dumps(NOTEBOOK))
    (tmp_path / ".gitignore").write_text("*.log\n")
    worked: set[str] = set()
    threading.setprofile(lambda frame, event, argument: worked.add(Path(frame.f_code.co_filename).stem))
    try:
        with modules_of_the_loop(modules) as seen, suppress(ToolFailed):
            await Bench(tmp_path).run(tool, **arguments)
    finally:
        threading.setprofile(None)
    assert seen == set()
    assert modules <= worked

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from call_harness import opened
from handrail.catalog.shell_forms import in_own_words
from handrail.contract.calls import CallForm, Completed
from handrail.tools import builtin_tools
from handrail.wire import Wire
from neutral_calls import kinds

CREATE = {"type": "create_file", "path": "list.md", "diff": "+# List\n+\n+- Milk\n+\n"}
UPDATE = {"type": "update_file", "path": "app.py", "diff": "@@ def f():\n-    return 1\n+    return 2\n"}
DELETE = {"type": "delete_file", "path": "old.txt"}


def response(*operations: dict[str, Any]) -> dict[str, Any]:
    output = [
        {"type": "apply_patch_call", "id": f"i{n}", "call_id": f"c{n}", "status": "completed", "operation": operation}
        for n, operation in enumerate(operations)
    ]
    return {"object": "response", "status": "completed", "output": output}


async def test_the_apis_own_operations_are_carried_out(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("def f():\n    return 1")
    (tmp_path / "old.txt").write_text("x")
    async with opened(tmp_path, *builtin_tools()) as session:
        turn = await session.run(response(CREATE, UPDATE, DELETE), Wire.OPENAI_RESPONSES)
    assert kinds(turn) == [Completed] * 3
    answers = [item for item in turn.messages if item.get("type") == "apply_patch_call_output"]
    assert [(answer["call_id"], answer["status"]) for answer in answers] == [(f"c{n}", "completed") for n in range(3)]
    assert (tmp_path / "list.md").read_text() == "# List\n\n- Milk\n"
    assert (tmp_path / "app.py").read_text() == "def f():\n    return 2"
    assert not (tmp_path / "old.txt").exists()


@pytest.mark.parametrize(
    ("diff", "text"), [("+a", "a"), ("+a\n+\n", "a\n"), ("+a\n+b\n", "a\nb"), ("+\n", ""), ("", "")]
)
async def test_a_new_files_lines_are_joined(diff: str, text: str, tmp_path: Path) -> None:
    async with opened(tmp_path, *builtin_tools()) as session:
        operation = {"type": "create_file", "path": "f", "diff": diff}
        turn = await session.run(response(operation), Wire.OPENAI_RESPONSES)
    assert kinds(turn) == [Completed]
    assert (tmp_path / "f").read_text() == text


@pytest.mark.parametrize(
    "operation",
    [
        {},
        {"type": "move_file", "path": "f"},
        {"type": "create_file", "path": "f"},
        {"type": "delete_file", "path": "f\n*** Delete File: g"},
        {"type": "delete_file", "path": " f"},
        {"type": "delete_file", "path": ""},
        {"type": "update_file", "path": 5, "diff": ""},
    ],
)
def test_what_has_not_the_apis_shape_is_left_to_be_refused(operation: dict[str, Any]) -> None:
    assert in_own_words(CallForm.APPLY_PATCH, operation) == operation

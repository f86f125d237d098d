from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated, Any

import pytest
from conformance_tools import problems_of
from pydantic import BaseModel, ConfigDict, Field

from handrail.authoring.function_tool import tool
from handrail.catalog.later import itself
from handrail.contract.basics import JsonObject
from handrail.contract.context import Calls, Files, Workspace
from handrail.contract.effects import Claims
from handrail.contract.results import ToolResult
from handrail.contract.tool import Kind, Reads, Tool, Writes
from handrail.errors import UsageError
from handrail.testing import FakeTool, Fault, FaultyTool, NotConforming, assert_conforms
from handrail.testing.conforming import fresh
from handrail.testing.conforming.examples import Example
from handrail.testing.conforming.listing import listing_of
from handrail.tools import builtin_tools
from handrail.tools.list_directory import ListDirectory

EXAMPLES: dict[str, list[JsonObject]] = {
    "read_file": [{"file_path": "tides.txt"}, {"file_path": "docs/notes.md", "limit": 1}],
    "read_many_files": [{"paths": ["tides.txt", "docs/*.md", "missing"]}],
    "notebook_edit": [
        {"notebook_path": "log.ipynb", "cell_id": "1", "new_source": "x"},
        {"notebook_path": "log.ipynb", "edit_mode": "insert", "new_source": "x"},
        {"notebook_path": "log.ipynb", "cell_id": "1", "edit_mode": "delete"},
    ],
    "write_file": [{"file_path": "new/deep/file.txt", "content": "x\n"}, {"file_path": "tides.txt", "content": ""}],
    "apply_patch": [{"input": "*** Begin Patch\n*** Add File: b\n+x\n*** Delete File: tides.txt\n*** End Patch"}],
    "edit_file": [{"file_path": "tides.txt", "old_string": "5.2", "new_string": "5.3"}],
    "list_directory": [{}, {"path": "docs", "show_ignored": True}],
    "glob": [{"pattern": "**/*.md"}],
    "grep": [{"pattern": "Brest"}],
    "shell": [{"command": "cat tides.txt"}, {"command": "echo 4.9 > neap.txt"}],
}
"""Several for a tool. Each built-in tool has at least one, in tests/tools/test_cancelled_at_any_moment.py."""


@pytest.fixture(autouse=True)
def _one_new_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """That what is said may differ between processes has its test in test_conformance_definition.py."""
    monkeypatch.setattr(fresh, "HASH_SEEDS", fresh.HASH_SEEDS[:1])


BUILT_IN: dict[str, Tool[Any]] = {built_in.name: itself(built_in) for built_in in builtin_tools()}


class Copy(BaseModel):
    model_config = ConfigDict(extra="forbid")

    source: Annotated[str, Reads()] = Field(description="What to copy.")
    target: Annotated[str, Writes()] = Field(description="Where to.")


def copy_file() -> Tool[Copy]:
    """Made in a function, it is not looked for in other processes, which takes a second."""

    class CopyFile(Tool[Copy]):
        name = "copy_file"
        description = "Copies a file."
        kind = Kind.EDIT

        async def run(self, params: Copy, files: Files) -> ToolResult:
            content = await files.read(params.source)
            await files.write(params.target, content.data, replacing=None)
            return ToolResult.of_text("Copied.")

    return CopyFile()


async def test_a_tool_that_keeps_to_its_contract_conforms_at_200_moments(harbour: Path) -> None:
    before = listing_of(harbour)
    report = await assert_conforms(copy_file(), {"source": "tides.txt", "target": "copy.txt"}, workspace=harbour)
    assert (report.tool, report.examples, report.cancellations) == ("copy_file", 1, 200)
    assert listing_of(harbour) == before


@pytest.mark.parametrize("name", EXAMPLES)
async def test_a_built_in_tool_conforms_in_each_of_its_ways(name: str, harbour: Path) -> None:
    await assert_conforms(BUILT_IN[name], *EXAMPLES[name], workspace=harbour, cancellations=40)


async def test_arguments_that_name_the_workspace_name_its_copy_instead(harbour: Path) -> None:
    before = listing_of(harbour)
    arguments = {"source": str(harbour / "tides.txt"), "target": str(harbour / "copy.txt")}
    await assert_conforms(copy_file(), arguments, workspace=harbour, cancellations=4)
    assert listing_of(harbour) == before


async def test_a_folder_that_only_begins_like_the_workspace_is_another() -> None:
    example = Example(1, {"paths": ["/a/ws", "/a/ws/b", "/a/ws2", "/a/ws.old"], "command": "cd /a/ws; ls '/a/ws'"})
    assert example.moved(Path("/a/ws"), Path("/b")) == {
        "paths": ["/b", "/b/b", "/a/ws2", "/a/ws.old"],
        "command": "cd /b; ls '/b'",
    }


async def test_without_a_workspace_a_tool_is_tried_in_an_empty_folder() -> None:
    report = await assert_conforms(ListDirectory(), {}, cancellations=4)
    assert (report.tool, report.cancellations) == ("list_directory", 4)


async def test_without_an_example_the_definition_alone_is_checked(harbour: Path) -> None:
    report = await assert_conforms(copy_file(), workspace=harbour)
    assert (report.examples, report.cancellations) == (0, 0)


async def test_a_tool_that_the_client_runs_is_not_run_here(harbour: Path) -> None:
    tool = FaultyTool(Fault.RAISES, client_side=True)
    assert (await assert_conforms(tool, {}, workspace=harbour)).cancellations == 0
    assert tool.calls == []


async def test_a_workspace_that_is_no_folder_is_the_callers_mistake(harbour: Path) -> None:
    with pytest.raises(UsageError, match=r"tides\.txt is not a folder"):
        await assert_conforms(copy_file(), {"source": "a", "target": "b"}, workspace=harbour / "tides.txt")


async def test_a_tool_that_must_be_approved_is_approved(harbour: Path) -> None:
    await assert_conforms(FakeTool(needs_approval="always"), {}, workspace=harbour, cancellations=4)


async def test_what_a_tool_calls_is_run_beside_it_and_answers_for_its_own_effects(harbour: Path) -> None:
    class Nothing(BaseModel):
        model_config = ConfigDict(extra="forbid")

    class Backup(Tool[Nothing]):
        name = "backup"
        description = "Copies the tides."

        def effects(self, params: Nothing) -> Claims:
            return Claims.nothing()

        async def run(self, params: Nothing, calls: Calls) -> ToolResult:
            return await calls.call("copy_file", {"source": "tides.txt", "target": "backup.txt"})

    await assert_conforms(Backup(), {}, workspace=harbour, beside=[copy_file()], cancellations=40)


async def test_a_tool_that_no_other_process_can_import_is_noted(harbour: Path) -> None:
    report = await assert_conforms(FakeTool(), workspace=harbour)
    assert report.notes == (
        "Its schema was built in this process only: it was made in a function, where another process can't find it.",
    )


async def test_child_processes_are_noted_as_out_of_sight(harbour: Path) -> None:
    shell = BUILT_IN["shell"]
    notes = (await assert_conforms(shell, {"command": "echo hi > a"}, workspace=harbour, cancellations=0)).notes
    assert notes[0].startswith("It starts child processes. What those did is seen in the listing of the workspace only")
    assert notes[1].startswith("It declares unknown effects")


async def test_the_message_lists_every_problem_and_what_could_not_be_seen(harbour: Path) -> None:
    with pytest.raises(NotConforming) as raised:
        await assert_conforms(FaultyTool(Fault.FAILS), {}, {}, workspace=harbour)
    assert str(raised.value).splitlines() == [
        "faulty does not conform (2 problems):",
        "- run: example 1 {} ended as failed: There is no such thing. Name another. Give an example that works in the "
        "workspace, or mend the tool: what a call touches is only seen where it succeeds.",
        "- run: example 2 {} ended as failed: There is no such thing. Name another. Give an example that works in the "
        "workspace, or mend the tool: what a call touches is only seen where it succeeds.",
        "Note: Its schema was built in this process only: it was made in a function, where another process can't "
        "find it.",
        "Note: No call was cancelled: the examples have to run well first.",
    ]


async def test_the_loop_is_left_as_it_was(harbour: Path) -> None:
    loop = asyncio.get_running_loop()
    tasks = asyncio.all_tasks()
    await assert_conforms(copy_file(), {"source": "tides.txt", "target": "b"}, workspace=harbour, cancellations=5)
    assert loop.get_task_factory() is None
    assert asyncio.all_tasks() == tasks


async def test_a_file_that_was_there_already_is_told_from_one_that_was_not(harbour: Path) -> None:
    found = await problems_of(copy_file(), {"source": "tides.txt", "target": "docs/notes.md"}, workspace=harbour)
    assert "ended as failed" in found[0]


async def test_a_tool_may_work_with_the_workspace_it_is_given(harbour: Path) -> None:
    class Size(Tool[Copy]):
        name = "size"
        description = "Says how large a file is."
        kind = Kind.READ

        async def run(self, params: Copy, workspace: Workspace) -> ToolResult:
            text = await asyncio.to_thread(workspace.absolute(params.source).read_text)
            return ToolResult.of_text(str(len(text)))

    await assert_conforms(Size(), {"source": "tides.txt", "target": "unused"}, workspace=harbour, cancellations=10)


@tool
async def rename_port(old: str, new: str, tides: Annotated[str, Writes()], files: Files) -> str:
    """Renames a harbour in a table of tides.

    Args:
        old: Its name until now.
        new: Its name from now on.
        tides: The table.
    """
    content = await files.read(tides)
    await files.write(tides, content.data.replace(old.encode(), new.encode()), replacing=content)
    return f"{old} is {new} now."


@tool(kind=Kind.READ)
def highest_tide(tides: Annotated[str, Reads()]) -> float:
    """Says how high the water comes.

    Args:
        tides: The table.
    """
    return max(float(line.split()[-1]) for line in Path(tides).read_text().splitlines())


@tool(kind=Kind.READ)
async def count_down(start: Annotated[int, Field(description="Where to begin.", le=10)]) -> AsyncIterator[str]:
    """Counts down to 1."""
    for number in range(start, 0, -1):
        await asyncio.sleep(0)
        yield f"{number}\n"


@pytest.mark.parametrize(
    ("made", "arguments"),
    [
        pytest.param(rename_port, {"old": "Brest", "new": "Bristol", "tides": "tides.txt"}, id="awaited"),
        pytest.param(highest_tide, {"tides": "tides.txt"}, id="in a thread"),
        pytest.param(count_down, {"start": 3}, id="streaming"),
    ],
)
async def test_a_decorated_function_conforms(made: Tool[Any], arguments: JsonObject, harbour: Path) -> None:
    report = await assert_conforms(made, arguments, workspace=harbour, cancellations=40)
    assert report.notes == ()

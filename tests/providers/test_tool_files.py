"""What a tool file may hold, what its tools are called, and what is told of one that is broken."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import folder_world
from folder_world import FolderWorld, names_of, said, says, status_of
from handrail.contract.provider import Condition
from handrail.providers import folder
from handrail.providers.python import loading

HEAD = "from pydantic import BaseModel\nfrom handrail import Kind, Tool, ToolResult, define_tool, tool\n"
PARAMS = 'class Params(BaseModel):\n    """What it takes."""\n    port: str = "Brest"\n\n'
RUN = "    async def run(self, params: Params) -> ToolResult:\n        return ToolResult.of_text('high')\n"
ONE = '@tool\ndef one() -> str:\n    """One."""\n    return "1"\n'
TWO = '@tool(name="second-one")\ndef two() -> str:\n    """Two."""\n    return "2"\n'
DEFINED = "def go(params: dict) -> str:\n    return 'gone'\nX = define_tool(name='go', parameters={}, run=go)\n"
BARE = "class Tide(Tool):\n    async def run(self, params): ...\n"


@pytest.fixture
def world(tmp_path: Path) -> FolderWorld:
    return folder_world.made(tmp_path)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (HEAD + ONE, ["tide-table"]),
        (HEAD + TWO, ["second-one"]),
        (HEAD + ONE + TWO, ["one", "second-one"]),
        (HEAD + ONE + TWO + "__all__ = ['two']\n", ["second-one"]),
        (HEAD + ONE + TWO.replace("def two", "def _two"), ["tide-table"]),
        (HEAD + ONE + "again = one\n", ["tide-table"]),
        (HEAD + DEFINED, ["go"]),
        (HEAD + PARAMS + "class Tide(Tool[Params]):\n" + RUN, ["tide-table"]),
        (HEAD + PARAMS + 'class Tide(Tool[Params]):\n    name = "tides"\n' + RUN, ["tides"]),
        (HEAD + PARAMS + 'class Tide(Tool[Params]):\n    name = "tides"\n' + RUN + "TIDE = Tide()\n", ["tides"]),
        (
            HEAD + PARAMS + "class Base(Tool[Params]):\n" + RUN
            + 'class A(Base):\n    name = "a"\nclass B(Base):\n    name = "b"\n',
            ["a", "b"],
        ),
        ("\ufeff" + HEAD + ONE, ["tide-table"]),
        ("from __future__ import annotations\n" + HEAD + ONE, ["tide-table"]),
        ("import dataclasses\n" + HEAD + ONE + "@dataclasses.dataclass\nclass A:\n    b: 'str'\n", ["tide-table"]),
    ],
    ids=[
        "a function is named by its file", "a name that it says", "several by their names", "what all lists",
        "private ones are none", "one under two names", "a defined one", "a class", "a class with a name",
        "an instance takes the place of its class", "a base class is none", "a byte order mark", "late annotations",
        "a dataclass",
    ],
)  # fmt: skip
async def test_a_file_gives_the_tools_it_holds(world: FolderWorld, text: str, names: list[str]) -> None:
    world.put(world.mine, {"tide-table.py": text})
    async with world.session() as session:
        assert names_of(session) == names
        assert status_of(session, str(world.mine)).problems == ()
        for name in names:
            assert await said(session, name)


async def test_a_function_that_is_a_tool_elsewhere_may_be_imported_to_be_called(world: FolderWorld, tmp_path) -> None:
    world.put(tmp_path / "installed", {"harbour_tools.py": HEAD + ONE})
    sys.path.insert(0, str(tmp_path / "installed"))
    try:
        used = '@tool\ndef two() -> str:\n    """Two."""\n    return one() + one()\n'
        world.put(world.mine, {"twice.py": f"{HEAD}from harbour_tools import one\n{used}"})
        async with world.session() as session:
            assert names_of(session) == ["twice"]
            assert await said(session, "twice") == "11"
    finally:
        sys.path.remove(str(tmp_path / "installed"))
        sys.modules.pop("harbour_tools", None)


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("a.py", "x = 1\n\ny = x / 0\n", "a.py:3: ZeroDivisionError: division by zero"),
        ("a.py", "x = 1\ndef (:\n", "a.py:2: SyntaxError: "),
        ("a.py", "import no_such_module_anywhere\n", "a.py:1: ModuleNotFoundError: No module named"),
        ("a.py", "def f():\n    raise ValueError('deep')\n\nf()\n", "a.py:2: ValueError: deep"),
        ("a.py", HEAD + "@tool\ndef f(x):\n    return x\n", "a.py:3: "),
        ("a.py", "import sys\nsys.exit(3)\n", "a.py:2: SystemExit: 3"),
        ("a.py", "raise KeyboardInterrupt\n", "a.py:1: KeyboardInterrupt"),
        ("a.py", "import asyncio\nraise asyncio.CancelledError\n", "a.py:2: CancelledError"),
        ("a.py", "x = 1\n", "a.py: it defines no tool. Write @tool above a function, or a subclass of Tool"),
        ("a.py", "", "a.py: it defines no tool."),
        ("a.py", HEAD + "__all__ = ['gone']\n", "a.py: AttributeError: "),
        ("a.py", b"# caf\xe9\n", "a.py is not UTF-8: byte 5 is 0xe9"),
        ("a.py", "x = '\0'\n", "a.py"),
        ("no tool.py", HEAD + ONE, "no tool.py: 'no tool' can't name a tool: use a letter"),
        (
            "a.py",
            HEAD + PARAMS + "class Tide(Tool[Params]):\n    def __init__(self, port: str) -> None: ...\n" + RUN,
            "a.py: Tide can't be made without port. Make one in the file: TIDE = Tide(…)",
        ),
        ("a.py", HEAD + ONE + BARE, "a.py: Tide has no name, and is not alone; give it one"),
        ("a.py", HEAD + BARE, "a.py: a says nowhere what it takes: write class Tide(Tool[Params])"),
    ],
    ids=lambda value: value if isinstance(value, str) and value.startswith("a.py") else "",
)  # fmt: skip
async def test_a_broken_file_is_told_with_its_line_and_hides_no_other(
    world: FolderWorld, name: str, text: str | bytes, problem: str
) -> None:
    world.put(world.mine, {name: text, "fine.py": says("fine"), "zero.py": says("zero")})
    async with world.session() as session:
        assert {"fine", "zero"} <= set(names_of(session))
        status = status_of(session, str(world.mine))
        assert status.condition is Condition.READY
        (told,) = status.problems
        assert told.startswith(f"{world.mine}/{problem}")
        assert "\n" not in told


async def test_one_bad_tool_of_a_file_hides_no_other_of_it(world: FolderWorld) -> None:
    bad = "class Tide(Tool[Params]):\n    def __init__(self, port: str) -> None: ...\n" + RUN
    world.put(world.mine, {"a.py": HEAD + PARAMS + bad + ONE + TWO})
    async with world.session() as session:
        assert names_of(session) == ["one", "second-one"]
        (problem,) = status_of(session, str(world.mine)).problems
        assert "Tide can't be made without port" in problem


async def test_a_name_that_is_taken_is_told_and_the_first_one_keeps_it(world: FolderWorld) -> None:
    world.put(world.mine, {"a.py": says("first", "tide"), "b.py": says("second", "tide"), "c.py": says("third")})
    async with world.session() as session:
        assert names_of(session) == ["tide", "c"]
        assert await said(session, "tide") == "first"
        status = status_of(session, str(world.mine))
        assert status.detail == "2 tools"
        assert "the name 'tide' is taken" in status.problems[0]


async def test_a_file_that_never_ends_loading_is_told_and_holds_up_no_other(world: FolderWorld, monkeypatch) -> None:
    monkeypatch.setattr(folder, "SOON", 1.0)
    monkeypatch.setattr(loading, "LOAD_WITHIN", 2.0)
    stuck = "import threading\nthreading.Event().wait()\n"
    world.put(world.mine, {"a.py": stuck, "b.py": says("b")})
    async with world.session() as session:
        assert names_of(session) == ["b"]
        assert status_of(session, str(world.mine)).condition is Condition.STARTING
        async for _ in session.events():
            status = status_of(session, str(world.mine))
            if status.condition is Condition.READY:
                break
        assert status.problems[0].startswith(f"{world.mine}/a.py: it did not load within")
        assert names_of(session) == ["b"]


async def test_files_with_an_underscore_or_a_dot_in_front_are_no_tool_files(world: FolderWorld) -> None:
    world.put(world.mine, {"_helper.py": "1 / 0", ".hidden.py": "1 / 0", "notes.txt": "", "a.py": says("a")})
    (world.mine / "package").mkdir()
    async with world.session() as session:
        assert names_of(session) == ["a"]
        assert status_of(session, str(world.mine)).problems == ()


async def test_loading_leaves_no_compiled_files_no_search_path_and_no_module_behind(world: FolderWorld) -> None:
    before, path = set(sys.modules), list(sys.path)
    world.put(world.mine, {"json.py": says("not the library")})
    async with world.session() as session:
        assert await said(session, "json") == "not the library"
        assert [name for name in set(sys.modules) - before if name.startswith("_handrail_tool_json_")]
        assert sys.modules["json"].__name__ == "json"
        assert sys.modules["json"].__file__ != str(world.mine / "json.py")
    assert not [name for name in set(sys.modules) - before if name.startswith("_handrail_tool")]
    assert sys.path == path
    assert not list(world.root.rglob("__pycache__"))


async def test_a_module_has_the_same_name_in_every_session(world: FolderWorld) -> None:
    world.put(world.mine, {"a.py": HEAD + '@tool\ndef a() -> str:\n    """A."""\n    return __name__ + __file__\n'})
    names = set()
    for _ in range(2):
        async with world.session() as session:
            names.add(await said(session, "a"))
            async with world.session() as beside:
                assert await said(beside, "a") not in names
    (name,) = names
    assert name.endswith(str(world.mine / "a.py"))

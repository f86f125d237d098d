from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from search_harness import Impatient, Noting, Unprivileged, make
from tool_harness import Bench, CheckFailed

from handrail.contract.results import ErrorKind, ToolResult
from handrail.errors import ToolFailed
from handrail.tools import glob as glob_module
from handrail.tools.glob import Glob

TREE: dict[str, str | bytes] = {
    ".gitignore": "*.log\nnode_modules/\n",
    "a.py": "", "b.log": "", "src/a.py": "", "src/deep/b.py": "", "src/deep/c.ts": "", "src.py/x.ts": "",
    "node_modules/m.py": "", ".hidden/h.py": "", ".git/g.py": "",
    ".env": "", "src/.env.local": "", ".env.example": "", "keys/id_rsa": "", "keys/server.pem": "",
}  # fmt: skip


async def found(root: Path, pattern: str, **arguments: Any) -> ToolResult:
    return await Bench(root).run(Glob(), pattern=pattern, **arguments)


@pytest.mark.parametrize(
    ("pattern", "path", "names"),
    [
        ("*.py", ".", [".hidden/h.py", "a.py", "src/a.py", "src/deep/b.py"]),
        ("**/*.py", ".", [".hidden/h.py", "a.py", "src/a.py", "src/deep/b.py"]),
        ("src/*.py", ".", ["src/a.py"]),
        ("src/**", ".", ["src/a.py", "src/deep/b.py", "src/deep/c.ts"]),
        ("*.{ts,py}", "src/deep", ["src/deep/b.py", "src/deep/c.ts"]),
        ("deep/*", "src", ["src/deep/b.py", "src/deep/c.ts"]),
        ("/a.py", ".", ["a.py"]),
        (".env*", ".", [".env.example"]),
    ],
)
async def test_files_are_found_by_name_in_order(pattern: str, path: str, names: list[str], tmp_path: Path) -> None:
    make(tmp_path, TREE)
    rows = (await found(tmp_path, pattern, path=path)).text.split("\n")
    assert [row for row in rows if not row.startswith("[")] == names


async def test_an_added_folder_is_shown_by_its_absolute_path(tmp_path: Path) -> None:
    make(tmp_path, {"ws/x": "", "other/a.py": ""})
    result = await found(tmp_path / "ws", "*.py", path=str(tmp_path / "other"))
    assert result.text == str(tmp_path / "other/a.py")


async def test_ignored_files_are_found_where_asked_for(tmp_path: Path) -> None:
    make(tmp_path, TREE)
    assert (await found(tmp_path, "*.{log,py}", path=".", include_ignored=True)).text.split("\n") == [
        ".hidden/h.py", "a.py", "b.log", "node_modules/m.py", "src/a.py", "src/deep/b.py",
    ]  # fmt: skip


async def test_secret_files_are_left_out_and_counted(tmp_path: Path) -> None:
    make(tmp_path, TREE)
    result = await found(tmp_path, "*", path="keys")
    assert result.text == "[2 secret files were not listed: keys/id_rsa, keys/server.pem.]"
    assert result.data == {"files": 0, "secret": 2}


async def test_nothing_found_says_where_it_did_not_look(tmp_path: Path) -> None:
    make(tmp_path, TREE)
    result = await found(tmp_path, "*.[l]og")
    assert result.text.split("\n") == [
        "No file in the workspace matches *.[l]og.",
        "[Not looked at: what .gitignore leaves out (include_ignored=true looks there too), .git, and where links "
        "lead.]",
        r"[`[…]` is a choice of characters; write `\[` for a bracket in a name.]",
    ]
    assert result.fault is None


async def test_odd_names_survive(tmp_path: Path) -> None:
    for name in ("-n.x", "two\nlines.x", os.fsdecode(b"bad\xff.x"), "[i]{j}*?.x", " blank.x"):
        (tmp_path / name).touch()
    result = await found(tmp_path, "*.x")
    assert result.text.split("\n") == [
        '" blank.x"', "-n.x", "[i]{j}*?.x", r'"bad\xff.x"', r'"two\nlines.x"',
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("pattern", "name"), [("a:b.x", "a:b.x"), ("*:*", "a:b.x"), ("in/*:?.x", "in/c:d.x"), ("[^q]:*.x", "a:b.x")]
)
async def test_names_with_colons_are_found(pattern: str, name: str, tmp_path: Path) -> None:
    make(tmp_path, {"a:b.x": "", "in/c:d.x": "", "q:e.x": "", ".gitignore": "g:*"})
    (tmp_path / "g:h.x").touch()
    names = (await found(tmp_path, pattern)).text.split("\n")
    assert name in names
    assert "g:h.x" not in names


@pytest.mark.parametrize("pattern", ["/etc/*.conf", "~/notes/*"])
async def test_a_pattern_that_names_a_folder_elsewhere_is_told_where_that_goes(pattern: str, tmp_path: Path) -> None:
    assert "[A pattern is relative to path. Give the folder as path" in (await found(tmp_path, pattern)).text


async def test_many_files_are_cut_with_the_total_and_always_alike(tmp_path: Path) -> None:
    make(tmp_path, {f"{number % 7}/{number}": "" for number in range(1500)})
    first, second = await found(tmp_path, "*"), await found(tmp_path, "*")
    rows = first.text.split("\n")
    assert first.text == second.text
    assert rows[-1] == "[Files 1-1,000 of 1,500; offset=1000 shows the next. Narrow the search to see fewer.]"
    assert rows[:-1] == sorted(rows[:-1], key=lambda row: row.split("/"))


async def test_far_too_many_files_stop_the_search_and_the_first_are_shown_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(glob_module, "MOST_COUNTED", 50)
    make(tmp_path, {f"{number:03}": "" for number in range(200)})
    result = await found(tmp_path, "*", limit=2, offset=60)
    assert result.text == (
        "060\n061\n[Files 61-62 of more than 50; offset=62 shows the next. Narrow the search to see fewer.]"
    )


@pytest.mark.parametrize("size", [1, 7, 40])
async def test_the_pages_together_are_the_whole(size: int, tmp_path: Path) -> None:
    make(tmp_path, {f"{number % 3}/{number}": "" for number in range(40)})
    whole = (await found(tmp_path, "*")).text.split("\n")
    pages = [(await found(tmp_path, "*", limit=size, offset=at)).text for at in range(0, 40, size)]
    assert [row for page in pages for row in page.split("\n") if not row.startswith("[")] == whole


async def test_an_offset_past_the_end_is_said(tmp_path: Path) -> None:
    make(tmp_path, {"a": "", "b": ""})
    assert (await found(tmp_path, "*", offset=5)).text == "[There is nothing at offset 5: it is 2 files in all.]"


async def test_a_glob_may_say_what_not_to_find(tmp_path: Path) -> None:
    make(tmp_path, {"a.py": "", "x/b.py": "", "c.md": ""})
    assert (await found(tmp_path, "!*.py")).text == "c.md"


async def test_links_are_not_followed(tmp_path: Path) -> None:
    make(tmp_path, {"ws/sub/a.py": "", "outside/leak.py": ""})
    os.symlink("../outside", tmp_path / "ws/link")
    os.symlink("..", tmp_path / "ws/sub/loop")
    os.symlink("/nope", tmp_path / "ws/broken")
    assert (await found(tmp_path / "ws", "**/*.py")).text == "sub/a.py"


async def test_running_out_of_time_is_no_empty_result(tmp_path: Path) -> None:
    result = await Bench(tmp_path, launcher=Impatient()).run(Glob(), pattern="*")
    assert result.fault is not None
    assert result.fault.kind is ErrorKind.TIMEOUT
    assert result.text.startswith("found\n[The search took more than 30 s and was stopped. This is what was found")


async def test_what_cannot_be_read_is_told(open_root: Path) -> None:
    make(open_root, {"a.txt": "", "closed/b.txt": ""})
    (open_root / "closed").chmod(0)
    result = await Bench(open_root, launcher=Unprivileged()).run(Glob(), pattern="*.txt")
    (open_root / "closed").chmod(0o755)
    assert result.text == "a.txt\n[Not searched: closed: Permission denied.]"


@pytest.mark.parametrize(
    ("pattern", "path", "says"),
    [
        ("*", "a.py", "a.py is a file, not a folder. Give the folder to search below as path."),
        ("*", "srcs", "There is no srcs. Nearest names in the workspace: src"),
        ("../*", ".", "pattern is not a glob that can be used: it can't go up with '..'"),
        ("*.{a", ".", "pattern is not a glob that can be used: "),
    ],
)
async def test_what_cannot_work_is_refused(pattern: str, path: str, says: str, tmp_path: Path) -> None:
    make(tmp_path, TREE)
    with pytest.raises(ToolFailed) as caught:
        await found(tmp_path, pattern, path=path)
    assert says in str(caught.value)


async def test_a_nul_in_a_pattern_is_found_before_anybody_is_asked(tmp_path: Path) -> None:
    with pytest.raises(CheckFailed, match="NUL character"):
        await found(tmp_path, "a\0b")


async def test_a_program_from_the_workspace_is_never_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, {"bin/rg": "#!/bin/sh\ntouch ran\n"})
    (tmp_path / "bin/rg").chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join([str(tmp_path / "bin"), "bin", ".", os.environ["PATH"]]))
    launcher = Noting()
    await Bench(tmp_path, launcher=launcher).run(Glob(), pattern="*")
    assert not Path(launcher.specs[0].argv[0]).is_relative_to(tmp_path)
    assert not (tmp_path / "ran").exists()


async def test_the_program_that_came_along_serves_where_none_is_on_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    make(tmp_path, {"a.py": ""})
    assert (await found(tmp_path, "*.py")).text == "a.py"

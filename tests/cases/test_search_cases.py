"""Faults that people reported of searching, and what another product's search does: a test for each.

Every case of the areas below has a test here, or is about reading and tested there.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from search_harness import Unprivileged, open_folder

from accounts import accounted, case
from call_harness import opened, settled
from corpus_files import cases
from handrail.contract.calls import Completed, Failed
from handrail.contract.launching import Finished, LaunchSpec, OutputSink
from handrail.contract.results import ErrorKind, ToolResult
from handrail.runtime.parts import Parts
from handrail.sandbox.none import PlainLauncher
from handrail.session import Session
from handrail.tools import builtin_tools
from handrail.tools.grep import Grep

REPORTED = cases("reported_faults", "search_read")
PERMISSION = cases("permission_faults", "glob/grep/read")
GEMINI = cases("gemini_behaviour", "grep-format", "grep-limits")

READING = "tests/cases/test_reading_cases.py"
TESTED_ELSEWHERE = dict.fromkeys(("RD11", "RD12", "RD17", "RD18", "RD19", "cc-109", "cc-110"), READING)


def test_every_case_is_accounted_for_once() -> None:
    assert accounted(globals(), TESTED_ELSEWHERE, {}) == sorted({**REPORTED, **PERMISSION, **GEMINI})


@pytest.mark.parametrize("id", sorted(TESTED_ELSEWHERE))
def test_what_is_tested_elsewhere_is_there(id: str) -> None:
    assert f'"{id}"' in (Path(__file__).parents[2] / TESTED_ELSEWHERE[id]).read_text()


@pytest.fixture
def open_root() -> Iterator[Path]:
    with open_folder() as root:
        yield root


def lay_out(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


async def searched(root: Path, tool: str, **arguments: Any) -> ToolResult:
    """Through a whole session, in default mode: nobody has to be asked."""
    async with opened(root, *builtin_tools(), mode="default") as session:
        state = await settled(session, tool, arguments)
    assert isinstance(state, Completed), state.result.text
    return state.result


def names(result: ToolResult) -> list[str]:
    return [row for row in result.text.split("\n") if not row.startswith(("[", "No "))]


# What is left out, and that it is said


@case("RD02")
@pytest.mark.parametrize("tool", ["grep", "glob"])
async def test_a_search_says_which_secret_and_which_ignored_files_it_passed_by(tool: str, tmp_path: Path) -> None:
    lay_out(tmp_path, {".gitignore": ".env\nb.txt\n", ".env": "MARK\n", "a.txt": "MARK\n", "b.txt": "MARK\n"})
    pattern = {"grep": "MARK", "glob": "*"}[tool]
    mode = {"output_mode": "files"} if tool == "grep" else {}
    result = await searched(tmp_path, tool, pattern=pattern, **mode)
    every = await searched(tmp_path, tool, pattern=pattern, include_ignored=True, **mode)
    if tool == "grep":
        assert "[1 secret file was not searched: .env.]" in result.text
    assert "a.txt" in names(result)
    assert {"a.txt", "b.txt"} <= set(names(every))
    assert "secret file was not" in every.text
    assert ".env" not in names(every)


@case("cc-107")
async def test_an_empty_result_states_the_rules_and_a_folder_that_is_named_is_searched_all_the_same(
    tmp_path: Path,
) -> None:
    lay_out(tmp_path, {".gitignore": "out/\n", "out/log.txt": "TODO\nFIXME\n", "a.py": "x\n"})
    empty = await searched(tmp_path, "grep", pattern="TODO|FIXME")
    named = await searched(tmp_path, "grep", pattern="TODO|FIXME", path="out")
    assert "what .gitignore leaves out (include_ignored=true looks there too)" in empty.text
    assert named.text == "out/log.txt\n1:TODO\n2:FIXME"


RULES = {
    "*.log": ("a.log", "sub/b.log", "keep.txt"),
    "/only": ("only", "sub/only"),
    "out/": ("out/x", "sub/out/y", "outer/z"),
    "**/deep/*.c": ("deep/a.c", "x/deep/b.c", "x/deep/more/c.c"),
    "*.tmp\n!keep.tmp": ("a.tmp", "keep.tmp", "x/keep.tmp"),
    "a?c\n[xy].z": ("abc", "ac", "x.z", "q.z"),
    "\\#hash\n# comment\n\nlast ": ("#hash", "comment", "last"),
}


def listed_by_git(root: Path) -> set[str]:
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    command = ["git", "ls-files", "--others", "--exclude-standard", "-z"]
    listing = subprocess.run(command, cwd=root, check=True, capture_output=True)
    return {name for name in listing.stdout.decode().split("\0") if name and not name.endswith(".gitignore")}


@case("RD05")
@pytest.mark.parametrize("tool", ["grep", "glob"])
async def test_the_files_left_out_are_those_that_git_leaves_out(tool: str, tmp_path: Path) -> None:
    lay_out(tmp_path, {".gitignore": "*.log\n", "sub/.gitignore": "!keep.log\n"})
    lay_out(tmp_path, dict.fromkeys(("sub/keep.log", "sub/x.log", "keep.log"), "hit\n"))
    for number, (rules, files) in enumerate(RULES.items()):
        lay_out(tmp_path, {f"{number}/.gitignore": rules, **{f"{number}/{name}": "hit\n" for name in files}})
    by_git = listed_by_git(tmp_path)
    arguments = {"grep": {"pattern": "hit", "output_mode": "files"}, "glob": {"pattern": "*"}}[tool]
    found = {name for name in names(await searched(tmp_path, tool, **arguments)) if not name.endswith(".gitignore")}
    assert found == by_git


# Trees that are not as they should be


@case("RD06")
@pytest.mark.parametrize(("tool", "arguments"), [("grep", {"pattern": "needle"}), ("glob", {"pattern": "*.txt"})])
async def test_what_cannot_be_read_costs_only_itself(tool: str, arguments: dict[str, Any], open_root: Path) -> None:
    lay_out(open_root, {"a.txt": "needle\n", "d/b.txt": "needle\n"})
    os.symlink("/nope", open_root / "broken")
    (open_root / "d").chmod(0)
    parts = Parts(tools=builtin_tools(), launcher=Unprivileged())
    async with Session.open(open_root, parts=parts) as session:
        state = await settled(session, tool, arguments)
    (open_root / "d").chmod(0o755)
    assert isinstance(state, Completed)
    assert state.result.text.split("\n")[0] == "a.txt"
    assert "[Not searched: d: Permission denied.]" in state.result.text


@case("RD07")
async def test_a_cycle_of_links_ends_and_gives_each_file_once(tmp_path: Path) -> None:
    lay_out(tmp_path, {"sub/a.txt": "needle\n"})
    os.symlink("..", tmp_path / "sub/loop")
    os.symlink("loop", tmp_path / "sub/other")
    assert names(await searched(tmp_path, "grep", pattern="needle", output_mode="files")) == ["sub/a.txt"]
    assert names(await searched(tmp_path, "glob", pattern="**/*")) == ["sub/a.txt"]


@case("RD08")
@pytest.mark.parametrize("target", ["folder", "file"])
async def test_nothing_outside_is_found_by_a_link(target: str, tmp_path: Path) -> None:
    lay_out(tmp_path, {"outside/leak.txt": "SECRET\n", "ws/a.txt": "SECRET\n"})
    os.symlink("../outside" if target == "folder" else "../outside/leak.txt", tmp_path / "ws/link")
    assert (await searched(tmp_path / "ws", "grep", pattern="SECRET")).text == "a.txt\n1:SECRET"
    assert names(await searched(tmp_path / "ws", "glob", pattern="**")) == ["a.txt"]


# What a match is, and how much of it is shown


@case("RD13")
async def test_a_line_of_a_megabyte_is_cut_around_its_first_match(tmp_path: Path) -> None:
    lay_out(tmp_path, {"min.js": ("x" * 2_000 + "needle") * 500 + "\n"})
    result = await searched(tmp_path, "grep", pattern="needle")
    assert len(result.text) < 700
    assert "needle" in result.text
    assert result.data == {"lines": 1, "files": 1, "secret": 0}


@case("RD16")
@pytest.mark.parametrize("pattern", ["^$", "^", ".*"])
async def test_an_empty_file_has_no_line_that_matches(pattern: str, tmp_path: Path) -> None:
    lay_out(tmp_path, {"empty": ""})
    assert (await searched(tmp_path, "grep", pattern=pattern, path="empty")).text.startswith("No match")


@case("RD20")
async def test_a_long_list_is_the_same_each_time_with_its_total(tmp_path: Path) -> None:
    lay_out(tmp_path, {f"d{number % 50}/f{number}.txt": "" for number in range(5_000)})
    first, second = [await searched(tmp_path, "glob", pattern="*.txt", limit=100) for _ in range(2)]
    assert first.text == second.text
    assert len(names(first)) == 100
    assert "[Files 1-100 of 5,000; offset=100 shows the next." in first.text


@case("RD21")
async def test_a_pattern_that_explodes_elsewhere_takes_linear_time(tmp_path: Path) -> None:
    lay_out(tmp_path, {"f": "a" * 40_000 + "b\n"})
    assert (await searched(tmp_path, "grep", pattern="(a+)+$", path="f")).text.startswith("No match")


@pytest.mark.parametrize("pattern", ["[", "(", "a{2,1}", "*", "(?P<n", r"\q"])
async def test_a_pattern_that_is_none_is_an_error_that_says_why(pattern: str, tmp_path: Path) -> None:
    lay_out(tmp_path, {"f": "a\n"})
    async with opened(tmp_path, *builtin_tools()) as session:
        state = await settled(session, "grep", {"pattern": pattern})
        literal = await settled(session, "grep", {"pattern": pattern, "literal": True}, id="c2")
    assert isinstance(state, Failed)
    assert state.result.text.startswith("The search can't be made: ")
    assert state.result.text.endswith("Correct the pattern, or set literal=true to find it as it stands.")
    assert isinstance(literal, Completed)


# Time


@case("cc-104")
@pytest.mark.parametrize(("tool", "arguments"), [("grep", {"pattern": "x"}), ("glob", {"pattern": "*"})])
async def test_a_search_that_runs_out_of_time_fails_and_is_no_empty_result(
    tool: str, arguments: dict[str, Any], tmp_path: Path
) -> None:
    async with Session.open(tmp_path, parts=Parts(tools=builtin_tools(), launcher=Slow())) as session:
        state = await settled(session, tool, arguments)
    assert isinstance(state, Failed)
    assert state.fault.kind is ErrorKind.TIMEOUT
    assert "This is what was found until then" in state.result.text
    assert "No match" not in state.result.text
    assert "No file" not in state.result.text


@case("cc-105")
async def test_what_is_ignored_costs_nothing_and_the_time_is_the_callers_to_give(tmp_path: Path) -> None:
    lay_out(tmp_path, {".gitignore": "node_modules/\n", "app/src/x.js": "", ".git/src/x.js": ""})
    lay_out(tmp_path, {f"node_modules/p{number}/src/x.js": "" for number in range(200)})
    launcher = Slow(seconds=None)
    async with Session.open(tmp_path, parts=Parts(tools=builtin_tools(), launcher=launcher)) as session:
        state = await settled(session, "glob", {"pattern": "*/src/x.js", "timeout": 600})
    assert state.result.text == "app/src/x.js"
    assert "node_modules" not in launcher.printed
    assert ".git/" not in launcher.printed
    assert launcher.timeouts[-1] == pytest.approx(600, abs=30)


class Slow:
    """Cuts the time of every child that searches; with None it only watches."""

    def __init__(self, seconds: float | None = 0.2) -> None:
        self.printed = ""
        self.timeouts: list[float] = []
        self._seconds = seconds
        self._inner = PlainLauncher()

    async def run(self, spec: LaunchSpec, on_output: OutputSink | None = None) -> Finished:
        self.timeouts.append(spec.timeout or 0)
        if self._seconds is not None and "--version" not in spec.argv:
            spec = LaunchSpec(("sleep", "1000"), spec.cwd, spec.env, timeout=self._seconds)

        def see(piece: bytes) -> None:
            self.printed += piece.decode()
            if on_output is not None:
                on_output(piece)

        return await self._inner.run(spec, see)


# Another product's search: the judgement, not its wording


@case("gm-grep-format-254")
async def test_matches_are_grouped_by_file_and_sorted_by_line(tmp_path: Path) -> None:
    """Files come by path: in the order in which they are met, one that searches in parallel is never the same twice."""
    lay_out(tmp_path, {"b": "\n\nhit 3\n" + "\n" * 5 + "hit 9\n", "a": "hit 1\nhit 2\n"})
    found = await searched(tmp_path, "grep", pattern="hit", context=0)
    assert found.text == "a\n1:hit 1\n2:hit 2\n\nb\n3:hit 3\n9:hit 9"
    assert found.data == {"lines": 4, "files": 2, "secret": 0}


@case("gm-grep-format-256")
async def test_names_alone_are_sorted(tmp_path: Path) -> None:
    lay_out(tmp_path, {"b": "hit\nhit\n", "a": "hit\nhit\n"})
    assert (await searched(tmp_path, "grep", pattern="hit", output_mode="files")).text == "a\nb"


@case("gm-grep-format-257")
async def test_no_match_names_the_pattern_the_place_and_the_filter(tmp_path: Path) -> None:
    lay_out(tmp_path, {"a.py": "x\n"})
    result = await searched(tmp_path, "grep", pattern="q", glob="*.py")
    assert result.text.split("\n")[0] == "No match for q in the workspace (glob *.py)."


@case("gm-grep-limits-327")
@pytest.mark.parametrize(("hits", "lines"), [(2, 15), (3, 15), (4, 0)])
async def test_two_or_three_matches_come_with_fifteen_lines_around_them(hits: int, lines: int, tmp_path: Path) -> None:
    lay_out(tmp_path, {"f": "".join("hit\n" if 100 <= n < 100 + hits else f"{n}\n" for n in range(1, 301))})
    text = (await searched(tmp_path, "grep", pattern="hit")).text
    around = [row for row in text.split("\n")[1:] if "-" in row]
    assert len(around) == 2 * lines
    assert (f"{100 - lines}-{100 - lines}" in around) == bool(lines)


@case("gm-grep-limits-329")
async def test_a_hundred_matches_are_shown_unless_more_are_asked_for(tmp_path: Path) -> None:
    lay_out(tmp_path, {"f": "hit\n" * 150})
    assert (await searched(tmp_path, "grep", pattern="hit")).text.count(":hit") == 100
    assert (await searched(tmp_path, "grep", pattern="hit", limit=150)).text.count(":hit") == 150


@case("gm-grep-limits-330")
@pytest.mark.parametrize(("asked", "fits"), [(5, False), (29.9, False), (30, True), (600, True), (601, False)])
def test_a_search_never_has_less_than_thirty_seconds(asked: float, fits: bool) -> None:
    assert Grep().bind({"pattern": "x"}).params.timeout == 30
    assert Grep().parameters.schema["properties"]["timeout"]["minimum"] == 30
    if fits:
        assert Grep().bind({"pattern": "x", "timeout": asked}).params.timeout == asked
    else:
        with pytest.raises(Exception, match="timeout"):
            Grep().bind({"pattern": "x", "timeout": asked})

"""Tool files, packages and commands at the command line: used, listed, told of."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from command import Ran, neutral
from loaded import Loaded

TIDE = """from handrail import tool


@tool
def anything(port: str) -> str:
    '''The next tide.'''
    return f"high at {port}"
"""
SLOW = re.compile(r"^handrail: waiting for .+ to start\n", re.MULTILINE)
"""Said on a machine with much to do, where files take longer to load than a person would want to wait."""
DISCOVERED = [{"name": "moon", "description": "The moon."}, {"name": "odd", "parameters": {"type": "no type"}}]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    for folder in ("work/.handrail/tools", "dir"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "dir/tide-table.py").write_text(TIDE)
    return tmp_path / "work"


@pytest.fixture
def run(tmp_path: Path, work: Path, loaded: Loaded):
    def run(*arguments: str, stdin: str = "") -> Ran:
        done = loaded.handrail(*arguments, state=tmp_path / "state", cwd=work, stdin=stdin)
        return replace(done, err=SLOW.sub("", done.err))

    return run


def tide(name: str = "tide-table") -> str:
    return neutral((name, {"port": "Brest"}))


def commands(work: Path) -> None:
    """A discovery command in the workspace's own settings."""
    list_ = [sys.executable, "-c", f"print({json.dumps(json.dumps(DISCOVERED))})"]
    call = [sys.executable, "-c", "import sys; print(sys.stdin.read(), sys.argv[1])"]
    text = f"discovery_command = {json.dumps(list_)}\ncall_command = {json.dumps(call)}\n"
    (work / ".handrail/config.toml").write_text(text)


def test_a_file_of_a_given_folder_is_a_tool_by_its_stem(run) -> None:
    done = run("exec", "-", "--tools", "../dir", "--approve", "all", "--json", stdin=tide())
    assert (done.code, done.err) == (0, "")
    assert done.call["state"] == "completed"
    assert "high at Brest" in done.out


def test_a_tool_from_a_folder_is_asked_about_like_any(run) -> None:
    done = run("exec", "-", "--tools", "../dir", "--approve", "none", "--json", stdin=tide())
    assert done.call["state"] == "rejected"
    assert "its effects are not declared" in done.call["decision"]["reason"]


def test_a_folder_is_remembered_with_the_session(run) -> None:
    left = run("exec", "-", "--tools", "../dir", "--approve", "wait", "--json", stdin=tide())
    assert left.code == 3
    session = left.err.split("handrail sessions resume ")[1].split()[0].rstrip("'")
    assert run("approvals", "approve", left.call["approval"]).code == 0
    done = run("sessions", "resume", session, "--json")
    assert done.code == 0
    assert "high at Brest" in done.out


def test_a_folder_that_is_none_ends_the_command(run) -> None:
    done = run("exec", "-", "--tools", "gone", stdin=tide())
    assert done.code == 2
    assert done.err == "handrail: --tools gone is not a folder; name one that exists\n"


def test_a_broken_file_is_told_once_with_its_line_and_costs_no_other(run, work: Path) -> None:
    (work.parent / "dir/broken.py").write_text("x = 1\ny = x / 0\n")
    (work.parent / "dir/latin.py").write_bytes(b"# \xe9\n")
    for command in (("exec", "-", "--approve", "all"), ("tools",)):
        done = run(*command, "--tools", "../dir", stdin=tide())
        assert done.code == 0
        assert sorted(done.err.splitlines()) == [
            "handrail: ../dir/broken.py:2: ZeroDivisionError: division by zero",
            "handrail: ../dir/latin.py is not UTF-8: byte 2 is 0xe9",
        ]
        assert "tide-table" in done.out


def test_a_file_that_never_loads_is_told_and_keeps_neither_calls_nor_the_program_from_their_end(
    run, work: Path
) -> None:
    (work.parent / "dir/stuck.py").write_text("import threading\nthreading.Event().wait()\n")
    done = run("exec", "-", "--tools", "../dir", "--approve", "all", "--json", stdin=tide())
    assert (done.code, done.call["state"]) == (0, "completed")
    # Not alone on a machine that has much to do: there, the other file may still load then as well.
    assert "handrail: ../dir/stuck.py: it still loads" in done.err.splitlines()


def test_a_rule_may_name_a_tool_of_a_file(run, work: Path) -> None:
    (work.parent / "config/tools").mkdir(parents=True)
    (work.parent / "config/tools/tide.py").write_text(TIDE)
    (work.parent / "config/policy.toml").write_text('[[rule]]\ntool = "tide"\ndecision = "allow"\n')
    done = run("exec", "-", "--approve", "none", "--json", stdin=tide("tide"))
    assert (done.err, done.call["state"]) == ("", "completed")
    assert run("policy", "explain", "shell", "ls").err == ""


def test_a_decision_about_a_tool_of_a_file_is_explained_once_it_is_trusted(run, work: Path) -> None:
    (work / ".handrail/tools/tide.py").write_text(TIDE)
    unknown = run("policy", "explain", "tide", "Brest")
    assert (unknown.code, unknown.out) == (2, "")
    assert "There is no tool named 'tide'" in unknown.err
    assert run("trust", "add", "--yes").code == 0
    explained = run("policy", "explain", "tide", "Brest")
    assert (explained.code, explained.err) == (0, "")
    assert explained.out.startswith("ask    tide in default mode\n")


MCP_CALLS = [
    ("one that nobody knows", "", "ask    mcp_far_look in default mode"),
    ("one that is trusted", "trust = true\n", "allow  mcp_far_look in default mode"),
    ("one that is off", "enabled = false\n", ""),
]


@pytest.mark.parametrize(("more", "first"), [case[1:] for case in MCP_CALLS], ids=[case[0] for case in MCP_CALLS])
def test_a_decision_about_a_servers_tool_is_explained_without_starting_it(run, work: Path, more, first) -> None:
    (work.parent / "config").mkdir()
    server = f'[mcp.servers.far]\ncommand = "touch"\nargs = ["{work}/started"]\n{more}'
    (work.parent / "config/config.toml").write_text(server)
    explained = run("policy", "explain", "mcp_far_look")
    assert explained.out.partition("\n")[0] == first
    assert explained.code == (0 if first else 2)
    assert ("the server far is not started for this" in explained.err) == bool(first)
    assert not (work / "started").exists()


def test_a_workspaces_files_wait_for_trust_and_a_change_voids_it(run, work: Path) -> None:
    (work / ".handrail/tools/tide.py").write_text(TIDE)
    refused = run("exec", "-", "--approve", "all", "--json", stdin=tide("tide"))
    assert refused.call["error"]["kind"] == "unknown_tool"
    assert (
        "handrail: .handrail/tools came with the workspace and waits for your trust; without effect yet:" in refused.err
    )
    shown = run("trust", "show", ".handrail/tools").out
    assert "--- tide.py\nfrom handrail import tool\n" in shown
    assert "tide.py: runs it in this process, and offers the tools that it defines" in shown
    assert run("trust", "add", "--yes").code == 0
    done = run("exec", "-", "--approve", "all", "--json", stdin=tide("tide"))
    assert (done.err, done.call["state"]) == ("", "completed")
    (work / ".handrail/tools/other.py").write_text(TIDE)
    assert "waits for your trust" in run("tools").err
    (item,) = run("trust", "list", "--json").report["items"]
    assert (item["kind"], item["state"]) == ("tools", "changed")


def test_a_discovered_tool_is_called_at_once_and_its_problems_are_told(run, work: Path) -> None:
    commands(work)
    assert run("trust", "add", "--yes").code == 0
    done = run("exec", "-", "--approve", "all", "--json", stdin=neutral(("discovered_tool_moon", {"full": True})))
    assert done.call["state"] == "completed"
    assert '{\\"full\\": true} moon' in done.out
    assert done.err.startswith("handrail: The schema of odd can't be used: ")


def test_the_list_of_tools_starts_no_command_and_says_so(run, work: Path) -> None:
    commands(work)
    assert run("trust", "add", "--yes").code == 0
    done = run("tools", "--tools", "../dir")
    assert "tide-table" in done.out
    assert "moon" not in done.out
    asking = "discovery command of .handrail/config.toml; --start starts them, and asks"
    assert done.err == f"handrail: not asked for their tools: {asking}\n"


def test_the_list_of_tools_says_where_each_comes_from(run, work: Path) -> None:
    commands(work)
    assert run("trust", "add", "--yes").code == 0
    report = run("tools", "--tools", "../dir", "--all", "--start", "--json").report
    known = {entry["tool"]: entry["provider"] for entry in report["all"]}
    assert known["read_file"] == "built-in"
    assert known["tide-table"] == "../dir"
    assert known["discovered_tool_moon"] == "discovery command of .handrail/config.toml"
    sources = {source["name"]: source for source in report["sources"]}
    assert sources["../dir"] == {"name": "../dir", "condition": "ready", "detail": "1 tool", "problems": []}
    assert len(sources["discovery command of .handrail/config.toml"]["problems"]) == 1
    lines = run("tools", "--tools", "../dir", "--all").out.splitlines()
    assert "../dir: ready, 1 tool" in lines
    assert ["tide-table", "../dir"] in [line.split() for line in lines]


SAYS = {
    "print": "print('said', flush=True)",
    "half a line": "sys.stdout.write('said')",
    "bytes": "sys.stdout.buffer.write(b'said')",
    "a child": "subprocess.run(['echo', 'said'])",
    "a thread": "t = threading.Thread(target=print, args=('said',)); t.start(); t.join()",
    "the descriptor": "os.write(1, b'said')",
    "the first stdout": "sys.__stdout__.write('said')",
}


@pytest.mark.parametrize("says", SAYS.values(), ids=SAYS)
@pytest.mark.parametrize("where", ["loads", "runs"])
def test_what_a_tools_code_prints_is_told_and_never_stands_in_the_output(
    run, tmp_path: Path, says: str, where: str
) -> None:
    first, then = (says, "pass") if where == "loads" else ("pass", says)
    text = TIDE.replace("    return", f"    {then}\n    return")
    (tmp_path / "dir/tide-table.py").write_text(f"import os, subprocess, sys, threading\n{first}\n{text}")
    done = run("exec", "-", "--tools", "../dir", "--approve", "all", "--json", stdin=tide())
    assert (done.code, done.err) == (0, "handrail: a tool printed: said\n")
    assert done.call["state"] == "completed"
    listed = run("tools", "--tools", "../dir", "--json")
    assert "tide-table" in {tool["name"] for tool in listed.report["tools"]}
    assert listed.err == ("handrail: a tool printed: said\n" if where == "loads" else "")


def test_of_much_that_is_printed_the_first_lines_are_told_and_nothing_of_it_moves_a_terminal(
    run, tmp_path: Path
) -> None:
    says = "print('\\x1b[2Jfirst'); print('x' * 1_000_000); [print(n) for n in range(5_000)]"
    (tmp_path / "dir/tide-table.py").write_text(f"{says}\n{TIDE}")
    done = run("exec", "-", "--tools", "../dir", "--approve", "all", "--json", stdin=tide())
    assert done.call["state"] == "completed"
    first, long, *rest, last = done.err.splitlines()
    assert first == "handrail: a tool printed: \\x1b[2Jfirst"
    assert long == f"handrail: a tool printed: {'x' * 500}…"
    assert len(rest) == 98
    assert last == "handrail: 4,902 more lines that tools printed are left out"


def test_a_child_that_keeps_the_output_open_holds_up_no_command(run, tmp_path: Path) -> None:
    waits = ["sh", "-c", f"until [ -e {tmp_path.resolve()}/end ]; do sleep 0.1; done"]
    says = f"from subprocess import *; Popen({waits!r}, stderr=DEVNULL, start_new_session=True)"
    (tmp_path / "dir/tide-table.py").write_text(f"{says}\n{TIDE}")
    try:
        done = run("exec", "-", "--tools", "../dir", "--approve", "all", "--json", stdin=tide())
        assert done.call["state"] == "completed"
    finally:
        (tmp_path / "end").touch()

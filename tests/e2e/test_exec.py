from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from command import Ran, environment, handrail, neutral
from loaded import Loaded


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "work space"
    folder.mkdir()
    (folder / "a.txt").write_text("one\ntwo\n")
    return folder


@pytest.fixture
def run(tmp_path: Path, workspace: Path, loaded: Loaded):
    def run(source: str, *options: str) -> Ran:
        words = ("exec", "-", "--json", "-C", str(workspace), *options)
        return loaded.handrail(*words, state=tmp_path / "state", stdin=source)

    return run


def test_a_call_goes_in_and_a_governed_result_comes_out(run) -> None:
    done = run(neutral(("read_file", {"file_path": "a.txt"})))
    assert done.code == 0
    assert done.err == ""
    call = done.call
    assert list(call) == [
        "id", "name", "tool", "arguments", "state", "decision", "error", "result", "duration_ms",
    ]  # fmt: skip
    assert (call["id"], call["name"], call["tool"], call["state"]) == ("c0", "read_file", "read_file", "completed")
    assert call["decision"]["outcome"] == "allow"
    assert call["decision"]["source"] == "mode:default"
    assert call["error"] is None
    assert "one" in call["result"]
    assert done.report["version"] == 1
    assert done.report["wire"] == "neutral"
    assert done.report["done"] is False
    assert len(done.report["messages"]) == 2


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        (neutral(("no_such_tool", {})), "unknown_tool"),
        (neutral(("read_file", {})), "invalid_arguments"),
        (neutral(("read_file", {"file_path": 7})), "invalid_arguments"),
        (json.dumps({"calls": [{"id": "x", "name": "read_file", "arguments": "not json"}]}), "invalid_arguments"),
        (neutral(("read_file", {"file_path": "missing.txt"})), "failed"),
        (neutral(("shell", {"command": "rm -rf /"})), "denied"),
        (neutral(("write_file", {"file_path": "b.txt", "content": "x"})), "denied"),
        (neutral(("shell", {"command": "sleep 30", "timeout": 1})), "timeout"),
    ],
)
def test_each_way_to_fail_has_its_kind_and_is_still_a_result(run, source: str, kind: str) -> None:
    done = run(source, "--policy", str(_allow_sleep(run)))
    assert done.code == 0
    assert done.call["error"]["kind"] == kind
    assert done.call["result"] == done.call["error"]["message"] or done.call["error"]["message"] in done.call["result"]
    assert done.report["messages"]


def _allow_sleep(run) -> Path:
    return Path(__file__).with_name("allow_sleep.toml")


def test_an_unknown_tool_is_answered_with_the_three_closest_names(run) -> None:
    result = run(neutral(("red_file", {}))).call["result"]
    assert "read_file" in result
    assert result.count(",") >= 2


def test_nobody_to_ask_is_a_denial_by_what_asked(run) -> None:
    call = run(neutral(("write_file", {"file_path": "b.txt", "content": "x"})), "--approve", "none").call
    assert call["state"] == "rejected"
    assert call["error"]["kind"] == "denied"
    assert call["decision"]["outcome"] == "deny"
    assert call["decision"]["source"] == "mode:default"
    assert "obody could be asked" in call["decision"]["reason"]


def test_what_to_do_is_told_where_nobody_could_be_asked_and_not_to_who_chose_that(run) -> None:
    calls = neutral(("write_file", {"file_path": "b.txt", "content": "x"}))
    done = run(calls)
    assert done.call["error"]["kind"] == "denied"
    assert "1 call was denied, since nobody could be asked: allow what you want by a rule" in done.err
    assert run(calls, "--approve", "none").err == ""


def test_approve_all_says_yes_to_what_is_asked(run, workspace: Path) -> None:
    call = run(neutral(("write_file", {"file_path": "b.txt", "content": "x"})), "--approve", "all").call
    assert (call["state"], call["decision"]["source"]) == ("completed", "person:approve-all")
    assert (workspace / "b.txt").read_text() == "x"


def test_approve_all_never_says_yes_to_a_protected_path_or_a_denial(run, workspace: Path) -> None:
    calls = run(
        neutral(
            ("write_file", {"file_path": ".git/hooks/pre-commit", "content": "x"}),
            ("shell", {"command": "rm -rf ~"}),
        ),
        "--approve",
        "all",
    ).report["calls"]
    assert [call["error"]["kind"] for call in calls] == ["denied", "denied"]
    assert [call["decision"]["source"] for call in calls] == ["check:protected-path", "check:removal"]
    assert not (workspace / ".git").exists()


def test_a_waiting_call_prints_its_approval_and_no_half_answered_turn(run, workspace: Path) -> None:
    done = run(
        neutral(
            ("write_file", {"file_path": "b.txt", "content": "x"}),
            ("read_file", {"file_path": "a.txt"}),
            ("read_file", {"file_path": "b.txt"}),
        ),
        "--approve",
        "wait",
    )
    assert done.code == 3
    waiting, beside, behind = done.report["calls"]
    assert waiting["state"] == "awaiting_approval"
    assert waiting["approval"] in done.err
    assert waiting["result"] is None
    assert beside["state"] == "completed"
    assert behind["state"] == "awaiting_approval"
    assert done.report["messages"] == []
    assert done.report["done"] is False
    assert not (workspace / "b.txt").exists()


def test_results_come_in_the_order_of_the_requests(run) -> None:
    done = run(
        neutral(
            ("shell", {"command": "sleep 0.2; echo slow"}),
            ("read_file", {"file_path": "a.txt"}),
            ("nope", {}),
        ),
        "--approve",
        "all",
    )
    assert [call["id"] for call in done.report["calls"]] == ["c0", "c1", "c2"]


def test_many_responses_run_in_order_in_one_session(run, workspace: Path) -> None:
    lines = "\n".join(
        [
            neutral(("write_file", {"file_path": "b.txt", "content": "x"})),
            neutral(("read_file", {"file_path": "b.txt"})),
        ]
    )
    first, second = run(lines, "--mode", "accept-edits").reports
    assert first["calls"][0]["state"] == "completed"
    assert "x" in second["calls"][0]["result"]


def test_a_sandboxed_session_says_that_there_is_no_sandbox(run) -> None:
    done = run(neutral(("read_file", {"file_path": "a.txt"})), "--mode", "sandboxed")
    assert "sandbox" in done.err
    assert done.call["decision"]["source"] == "mode:sandboxed"
    assert "sandbox" in done.call["decision"]["reason"]


@pytest.mark.parametrize(
    ("source", "said"),
    [("", "empty"), ("not json", "line 1"), ('{"calls": [', "line 1"), ('{"what": 1}', "")],
)
def test_input_that_cannot_be_read_is_one_line_and_exit_2(run, source: str, said: str) -> None:
    done = run(source)
    assert done.code == 2
    assert done.out == ""
    assert len(done.err.splitlines()) == 1
    assert said in done.err


def test_nothing_runs_when_a_later_line_cannot_be_read(run, workspace: Path) -> None:
    done = run(neutral(("write_file", {"file_path": "b.txt", "content": "x"})) + "\n{oops", "--mode", "accept-edits")
    assert done.code == 2
    assert not (workspace / "b.txt").exists()


@pytest.mark.parametrize(
    "options",
    [("-C", "/no/such/folder"), ("--policy", "/no/such/file"), ("--mode", "yolo"), ("--wire", "morse")],
)
def test_options_that_cannot_be_used_exit_2_with_a_clear_line(tmp_path: Path, options: tuple[str, str]) -> None:
    done = handrail("exec", "-", *options, state=tmp_path, stdin=neutral())
    assert done.code == 2
    assert options[1] in done.err


def test_a_broken_policy_file_stops_everything(run, tmp_path: Path, workspace: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text('[[rule]]\ntool = "shell"\ndecisoin = "deny"\n')
    done = run(neutral(("read_file", {"file_path": "a.txt"})), "--policy", str(policy))
    assert done.code == 2
    assert f"{policy}:" in done.err
    assert "decision" in done.err


def test_a_rule_decides_and_is_named_with_its_line(run, tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text('# rules\n[[rule]]\ntool = "read_file"\npath = "a.txt"\ndecision = "deny"\nreason = "No."\n')
    call = run(neutral(("read_file", {"file_path": "a.txt"})), "--policy", str(policy)).call
    assert call["decision"]["outcome"] == "deny"
    assert call["decision"]["source"].startswith(f"rule:{policy}:")
    assert call["decision"]["rule"]["source"] == str(policy)
    assert "No." in call["result"]


def test_an_interrupt_gives_every_call_its_result_and_exits_130(tmp_path: Path, workspace: Path) -> None:
    calls = neutral(
        ("shell", {"command": "echo started; touch running; exec sleep 600", "timeout": 600}),
        ("shell", {"command": "touch never"}),
    )
    child = subprocess.Popen(
        [sys.executable, "-m", "handrail", "exec", "-", "--json", "--mode", "bypass", "-C", str(workspace)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment(tmp_path / "state"),
        start_new_session=True,
    )
    child.stdin.write(calls + "\n" + neutral(("read_file", {"file_path": "a.txt"})))
    child.stdin.close()
    while not (workspace / "running").exists():
        assert child.poll() is None
    os.kill(child.pid, signal.SIGINT)
    out = child.stdout.read()
    child.stdout.close()
    assert child.wait(timeout=30) == 130
    first, second = [json.loads(line) for line in out.splitlines()]
    assert [call["state"] for call in first["calls"]] == ["cancelled", "cancelled"]
    assert "started" in first["calls"][0]["result"]
    assert second["calls"][0]["state"] == "cancelled"
    assert first["messages"]
    assert second["messages"]
    assert not (workspace / "never").exists()


def test_a_job_that_still_runs_at_the_end_is_told_and_stopped(run, workspace: Path) -> None:
    done = run(neutral(("shell", {"command": "echo $$ >pid; exec sleep 1000", "background": True})), "--mode", "bypass")
    assert done.code == 0
    assert done.err == ("handrail: job-1 (echo $$ >pid; exec sleep 1000) still ran in the background, and is stopped\n")
    with pytest.raises(ProcessLookupError):
        os.kill(int((workspace / "pid").read_text()), 0)


@pytest.mark.parametrize(("where", "passed"), [("user", True), ("project", False)])
def test_a_variable_reaches_commands_where_the_person_names_it_and_no_untrusted_project_does(
    run, tmp_path: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch, where: str, passed: bool
) -> None:
    config = tmp_path / "config" if where == "user" else workspace / ".handrail"
    config.mkdir()
    (config / "config.toml").write_text('pass_env = ["MY_VALUE"]\n')
    monkeypatch.setenv("MY_VALUE", "seen")
    done = run(neutral(("shell", {"command": "echo ${MY_VALUE-unset}"})), "--mode", "bypass")
    assert done.call["result"] == ("seen" if passed else "unset")


def test_a_rule_that_names_no_tool_is_told(run, tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text('[[rule]]\ntool = ["shel", "Read", "mcp_maps_route"]\ndecision = "deny"\n')
    done = run(neutral(("list_directory", {})), "--policy", str(policy))
    assert "'shel'" in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize("approve", ["all", "ask"])
def test_inside_a_governed_call_nothing_is_approved(tmp_path: Path, workspace: Path, approve: str) -> None:
    response = tmp_path / "inner.json"
    response.write_text(neutral(("write_file", {"file_path": "b.txt", "content": "x"})))
    inner = f"{shlex.quote(sys.executable)} -m handrail exec {response} --json --approve {approve}"
    outer = neutral(("shell", {"command": inner}))
    done = handrail("exec", "-", "--json", "--mode", "bypass", "-C", str(workspace), state=tmp_path / "s", stdin=outer)
    assert json.loads(done.call["result"])["calls"][0]["error"]["kind"] == "denied"
    assert not (workspace / "b.txt").exists()


@pytest.mark.parametrize("arguments", [(), ("exec", "--nope"), ("frobnicate",)])
def test_a_command_line_that_makes_no_sense_is_one_line_and_exit_2(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = handrail(*arguments, state=tmp_path)
    assert done.code == 2
    assert len(done.err.splitlines()) == 1
    assert done.err.startswith("handrail: ")


@pytest.mark.parametrize(
    "source",
    [
        '{"calls":[{"id":"1","name":"x","arguments":{"a":NaN}}]}',
        '{"calls":[{"id":"1","name":"x\\ud800","arguments":{"b":"\\ud800"}}]}',
        '{"type":"message","role":"assistant","content":[{"type":"text","text":"\\ud83d"}],"stop_reason":"end_turn"}',
    ],
)
def test_the_output_is_json_whatever_came_in(run, source: str) -> None:
    done = run(source)
    assert done.code == 0
    json.loads(done.out, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


def test_the_responses_apis_own_shell_calls_run_and_are_answered_in_their_own_items(run) -> None:
    local = {
        "type": "local_shell_call",
        "id": "lsh_1",
        "call_id": "call_1",
        "status": "completed",
        "action": {"type": "exec", "command": ["echo", "a b"], "env": {}},
    }
    hosted = {"type": "shell_call", "id": "sh_1", "call_id": "call_2", "status": "completed"}
    hosted["action"] = {"commands": ["echo one", "echo two"], "timeout_ms": 2000, "max_output_length": 100}
    done = run(json.dumps({"object": "response", "status": "completed", "output": [local, hosted]}))
    assert [(call["name"], call["tool"], call["state"]) for call in done.report["calls"]] == [
        ("local_shell", "shell", "completed"),
        ("shell", "shell", "completed"),
    ]
    first, second = done.report["messages"][2:]
    assert (first["type"], first["output"]) == ("local_shell_call_output", "a b")
    assert second["type"] == "shell_call_output"
    assert second["output"][0]["stdout"] == "one\ntwo\n"
    assert second["output"][0]["outcome"] == {"type": "exit", "exit_code": 0}


def test_what_is_no_response_is_told_with_the_name_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "half.json").write_text('{"calls": [')
    done = handrail("exec", "half.json", state=tmp_path / "state", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("handrail: half.json: line 1, column ")
    piped = handrail("exec", "-", state=tmp_path / "state", cwd=tmp_path, stdin="[")
    assert piped.err.startswith("handrail: the input: line 1, column ")

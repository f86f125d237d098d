"""`handrail run` against local servers that speak a provider's wire: the whole way, from the task to the report."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from command import Ran, environment, handrail
from loaded import Loaded

from handrail.wire import Wire
from servers.provider_server import DIALECTS, ProviderServer
from servers.script import Turn, Use, says

MODELS = {
    Wire.ANTHROPIC: ("anthropic", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", ""),
    Wire.OPENAI_CHAT: ("openai-chat", "OPENAI_API_KEY", "OPENAI_BASE_URL", "/v1"),
    Wire.OPENAI_RESPONSES: ("openai", "OPENAI_API_KEY", "OPENAI_BASE_URL", "/v1"),
    Wire.GEMINI: ("google", "GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL", ""),
}
READ = Use("read_file", {"file_path": "tide.txt"})
EDIT = Use("edit_file", {"file_path": "tide.txt", "old_string": "06:12", "new_string": "06:13"})
SCRIPT = (says("I look.", READ), says("It is late.", EDIT), says("High water is at 06:13.\nDone."))


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "tide.txt").write_text("Brest 06:12\n")
    return folder


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch):
    """A server that plays a script, for whatever is started within it."""

    @contextmanager
    def played(script: Sequence[Turn], wire: Wire = Wire.ANTHROPIC) -> Iterator[ProviderServer]:
        name, key, address, path = MODELS[wire]
        with ProviderServer(DIALECTS[wire](), script) as server:
            monkeypatch.setenv(key, "none")
            monkeypatch.setenv(address, server.url + path)
            monkeypatch.setenv("HANDRAIL_MODEL", name)
            yield server
        assert server.wrong == []

    return played


@pytest.fixture
def run(loaded: Loaded):
    def run(work: Path, *arguments: str, stdin: str = "") -> Ran:
        given = {name: value for name, value in os.environ.items() if name == "HANDRAIL_MODEL"}
        model = [f"--model={given['HANDRAIL_MODEL']}"] if given else []
        return loaded.handrail("run", *arguments, *model, state=work.parent / "state", cwd=work, stdin=stdin)

    return run


@pytest.mark.parametrize("wire", MODELS)
def test_a_task_is_done_and_what_the_model_says_stands_on_stdout(work: Path, played, wire: Wire, run) -> None:
    with played(SCRIPT, wire):
        done = run(work, "When is high water?", "--mode", "accept-edits")
    assert done.code == 0, done.err
    assert done.out == "I look.\nIt is late.\nHigh water is at 06:13.\nDone.\n"
    assert "✓ read_file  Read tide.txt  completed" in done.err
    assert "✓ edit_file  Edit tide.txt  completed" in done.err
    assert "done after 3 responses" in done.err
    assert (work / "tide.txt").read_text() == "Brest 06:13\n"


def test_no_line_of_a_private_key_that_the_model_writes_is_printed(work: Path, played, run) -> None:
    key = "\n".join(["-----BEGIN PRIVATE KEY-----", *["MIIEvQIBADAN"] * 9, "-----END PRIVATE KEY-----"])
    with played((says(f"It is:\n{key}\nKeep it safe."),)):
        done = run(work, "Show it.")
    assert done.out == "It is:\n[redacted:private-key]\nKeep it safe.\n"


@pytest.mark.parametrize("option", ["--json", "--stream-json", ""])
def test_a_job_that_still_runs_is_told_once_and_the_report_is_the_last_line(
    work: Path, played, option: str, run
) -> None:
    job = Use("shell", {"command": "sleep 1000", "background": True})
    with played((says("I start it.", job), says("It runs."))):
        done = run(work, "--mode", "bypass", *filter(None, [option]), "Start it.")
    assert done.code == 0
    assert done.err.count("job-1 (sleep 1000) still ran") == 1
    assert done.out.splitlines()[-1] == "It runs." if not option else done.reports[-1]["type"] == "finished"


def test_tools_are_named_as_rules_name_them_whatever_the_model_calls_them(work: Path, played, run) -> None:
    called = says("", Use("Bash", {"command": "echo late"}), Use("Nothing", {}))
    with played((called, says("Done.")), Wire.ANTHROPIC):
        done = run(work, "Is it late?", "--mode", "bypass")
    assert "✓ shell  echo late  completed" in done.err
    assert "✗ Nothing  failed" in done.err
    assert "Bash" not in done.err


@pytest.mark.parametrize("arguments", [("-",), ()])
def test_the_task_may_come_on_stdin(work: Path, played, arguments: tuple[str, ...], run) -> None:
    with played([says("06:12.")]) as server:
        done = run(work, *arguments, stdin="When is high water?\n")
    assert (done.code, done.out) == (0, "06:12.\n")
    assert "done after 1 response, " in done.err
    assert "When is high water?" in json.dumps(server.requests[0])


def test_the_report_is_one_object(work: Path, played, run) -> None:
    with played(SCRIPT):
        done = run(work, "When is high water?", "--json", "--approve", "all")
    report = done.report
    assert (done.code, report["ended"], report["why"], report["turns"]) == (0, "done", "", 3)
    assert report["text"] == "High water is at 06:13.\nDone."
    assert [(call["tool"], call["state"], call["summary"]) for call in report["calls"]] == [
        ("read_file", "completed", "Read tide.txt"),
        ("edit_file", "completed", "Edit tide.txt"),
    ]
    assert report["calls"][1]["decision"]["source"] == "person:approve-all"
    assert report["usage"]["output"] > 0
    assert report["session"] in done.err


def test_of_a_call_that_went_wrong_its_line_says_what_and_of_a_command_its_exit_code(work: Path, played, run) -> None:
    wrong, fails = Use("read_file", {"path": "tide.txt"}), Use("shell", {"command": "exit 3"})
    with played([says("", wrong, fails), says("Done.")]):
        done = run(work, "When is high water?", "--approve", "all")
    lines = done.err.splitlines()
    [read] = [number for number, line in enumerate(lines) if line.startswith("✗ read_file")]
    [shell] = [number for number, line in enumerate(lines) if line.startswith("✓ shell")]
    assert "are not valid: file_path: " in lines[read + 1]
    assert lines[shell + 1] == "  exit code 3"


def test_of_a_command_that_failed_what_it_printed_last_is_shown_without_secrets(work: Path, played, run) -> None:
    key = "".join(f"{n:064d}\n" for n in range(9))
    printed = "a line\n" * 9 + f"-----BEGIN PRIVATE KEY-----\n{key}-----END PRIVATE KEY-----\n\n1 failed\n"
    (work / "out").write_text(printed)
    fails, works = (Use("shell", {"command": f"cat out; exit {code}"}) for code in (1, 0))
    with played([says("", fails), says("", works), says("Done.")]):
        done = run(work, "Test it.", "--approve", "all")
    lines = done.err.splitlines()
    first, second = (number for number, line in enumerate(lines) if line.startswith("✓ shell"))
    shown = ["exit code 1", "a line", "a line", "a line", "[redacted:private-key]", "1 failed"]
    assert lines[first + 1 : second] == [f"  {line}" for line in shown]
    assert "a line" not in "".join(lines[second:])


def test_a_run_has_the_tools_of_a_folder_and_goes_on_with_them(work: Path, played, run) -> None:
    (work.parent / "dir").mkdir()
    (work.parent / "dir" / "tide-table.py").write_text(
        "from handrail import tool\n\n\n@tool\ndef any(port: str) -> str:\n    'The tide.'\n    return port\n"
    )
    looks = says("", Use("tide-table", {"port": "Brest"}))
    with played([looks, says("Done."), looks, says("Done again.")]):
        done = run(work, "When?", "--tools", "../dir", "--approve", "all")
        again = run(work, "And now?", "--continue", "--approve", "all")
        gone = run(work, "When?", "--tools", "gone")
    for ran in (done, again):
        assert (ran.code, "✓ tide-table" in ran.err) == (0, True), ran.err
    assert (gone.code, gone.err) == (2, "handrail: --tools gone is not a folder; name one that exists\n")


LOUD = """from handrail import tool
print("loads")

@tool
def loud() -> str:
    "Is loud."
    print("runs")
    return "ok"
"""


def test_what_a_tools_code_prints_stands_in_no_events(work: Path, played, run) -> None:
    own = work.parent / "config" / "tools"
    own.mkdir(parents=True)
    (own / "loud.py").write_text(LOUD)
    with played((says("I call.", Use("loud", {})), says("Done."))):
        done = run(work, "Call it.", "--stream-json", "--approve", "all")
    assert done.code == 0, done.err
    assert done.reports[-1]["ended"] == "done"
    assert [line for line in done.err.splitlines() if "printed" in line] == [
        "handrail: a tool printed: loads",
        "handrail: a tool printed: runs",
    ]


def test_events_come_as_they_happen_and_the_report_comes_last(work: Path, played, run) -> None:
    with played(SCRIPT):
        done = run(work, "When is high water?", "--stream-json")
    kinds = [event["type"] for event in done.reports]
    assert kinds[0] == "began"
    assert kinds[-1] == "finished"
    assert {"text", "call_begun", "call_changed", "response_done", "turn_ended"} <= set(kinds)
    assert kinds.index("call_begun") < kinds.index("call_changed") < kinds.index("turn_ended")
    said = "".join(event["text"] for event in done.reports if event["type"] == "text")
    assert said == "".join(turn.text for turn in SCRIPT)


def test_with_nobody_to_ask_a_call_is_denied_and_the_model_goes_on(work: Path, played, run) -> None:
    with played(SCRIPT):
        done = run(work, "When is high water?")
    assert done.code == 0
    assert "⊘ edit_file  Edit tide.txt  rejected" in done.err
    assert "1 call was denied, since nobody could be asked: allow what you want by a rule" in done.err
    assert (work / "tide.txt").read_text() == "Brest 06:12\n"


def test_a_server_that_does_not_start_is_told_of_and_the_task_is_done(work: Path, played, run) -> None:
    (work / ".handrail").mkdir()
    (work.parent / "config").mkdir()
    config = work.parent / "config" / "config.toml"
    config.write_text('[mcp.servers.gone]\nurl = "https://tides.example/${NOT_SET}"\n')
    config.chmod(0o600)
    with pytest.MonkeyPatch.context() as patch, played([says("At six.")]):
        patch.setenv("HANDRAIL_CONFIG", str(config.parent))
        done = run(work, "When is high water?")
    assert done.code == 0
    assert "At six." in done.out
    assert done.err.count("gone gives no tools") == 1


def test_a_call_waits_is_approved_elsewhere_and_the_run_goes_on(work: Path, played, run) -> None:
    with played(SCRIPT):
        first = run(work, "When is high water?", "--approve", "wait", "--json")
        assert (first.code, first.report["ended"]) == (3, "parked")
        waiting = first.report["calls"][-1]
        assert waiting["state"] == "awaiting_approval"
        assert "handrail approvals approve" in first.err
        assert first.out.count("\n") == 1
        approved = handrail("approvals", "approve", waiting["approval"], state=work.parent / "state", cwd=work)
        assert approved.code == 0, approved.err
        assert f"go on with 'handrail run --resume {first.report['session']}'" in approved.err
        second = run(work, "--resume", first.report["session"])
    assert (second.code, second.out) == (0, "High water is at 06:13.\nDone.\n"), second.err
    assert (work / "tide.txt").read_text() == "Brest 06:13\n"


def test_a_conversation_goes_on_with_what_was_said_before(work: Path, played, run) -> None:
    with played([*SCRIPT, says("At Brest.")]) as server:
        run(work, "When is high water?")
        done = run(work, "--continue", "Where?")
    assert (done.code, done.out) == (0, "At Brest.\n")
    told = json.dumps(server.requests[-1])
    assert told.index("When is high water?") < told.index("Done.") < told.index("Where?")


def test_a_conversation_goes_on_with_the_model_that_it_had(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.delenv("HANDRAIL_MODEL", raising=False)
    state = work.parent / "state"
    with ProviderServer(DIALECTS[Wire.OPENAI_CHAT](), [says("06:12."), says("At Brest.")]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        began = handrail("run", "When?", "--json", "--model", "openai-chat:qwen3-coder", state=state, cwd=work)
        assert began.report["model"] == "openai-chat:qwen3-coder", began.err
        done = handrail("run", "Where?", "--continue", state=state, cwd=work)
    assert (done.code, done.out) == (0, "At Brest.\n"), done.err
    assert [request["model"] for request in server.requests] == ["qwen3-coder", "qwen3-coder"]


def test_without_a_conversation_there_is_none_to_go_on_with(work: Path, played, run) -> None:
    with played([says("x")]):
        handrail("exec", "-", state=work.parent / "state", cwd=work, stdin='{"calls": []}')
        done = run(work, "--continue", "Where?")
    assert done.code == 2
    assert "no conversation to go on with" in done.err


LIMITS = {
    ("--max-turns", "2"): "turns",
    ("--max-tokens", "15"): "tokens",
    ("--max-money", "0.000001"): "money",
}


@pytest.mark.parametrize(("option", "ended"), LIMITS.items())
def test_a_limit_ends_the_work_with_its_own_exit_code(work: Path, played, option, ended: str, run) -> None:
    with played(SCRIPT):
        done = run(work, "When is high water?", "--json", *option)
    assert (done.code, done.report["ended"]) == (4, ended)
    assert done.report["why"]
    assert f"handrail run --resume {done.report['session']}" in done.err


def test_a_limit_of_time_stops_a_command_that_runs(work: Path, played, run) -> None:
    policy = Path(__file__).with_name("allow_sleep.toml")
    with played([says("", Use("shell", {"command": "sleep 60"}))]):
        done = run(work, "Sleep", "--json", "--max-seconds", "2", "--policy", str(policy))
    assert (done.code, done.report["ended"]) == (4, "time")
    assert {call["state"] for call in done.report["calls"]} <= {"cancelled"}


def test_a_model_that_can_not_be_reached_is_told_with_what_to_do(work: Path, monkeypatch, run) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    with ProviderServer(DIALECTS[Wire.ANTHROPIC](), []) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("HANDRAIL_MODEL", "anthropic")
        done = run(work, "x", "--json")
    assert (done.code, done.report["ended"]) == (5, "failed")
    assert done.report["why"]
    assert "handrail: failed; go on with " in done.err, "nothing was answered"
    assert "Traceback" not in done.err


def test_without_a_model_there_is_a_page_with_three_ways_to_one(
    work: Path, monkeypatch: pytest.MonkeyPatch, run
) -> None:
    for name in [name for name in os.environ if name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    done = run(work, "x")
    assert done.code == 2
    assert all(way in done.err for way in ("No model is configured", "ollama pull", "handrail demo"))
    assert all(len(line) <= 80 for line in done.err.splitlines()), "no line is broken by a terminal of 80 columns"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("x", "--json", "--stream-json"), "give one of them"),
        (("x", "--resume", "a", "--continue"), "give one of them"),
        (("x", "--resume", "20260101-000000-abcdef"), "no session"),
        (("x", "--model", "nobody:nothing"), "nobody"),
        (("x", "--max-turns", "0"), "0"),
        (("-",), "the task is empty"),
        ((), "the task is empty"),
    ],
)
def test_what_can_not_be_used_is_one_line_and_exit_code_2(work: Path, monkeypatch, arguments, said: str, run) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    monkeypatch.delenv("HANDRAIL_MODEL", raising=False)
    done = run(work, *arguments)
    assert done.code == 2, done.err
    assert said in done.err
    assert done.out == ""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_answers_every_call_and_leaves_a_conversation_that_goes_on(
    work: Path, played, number, run
) -> None:
    policy = Path(__file__).with_name("allow_sleep.toml")
    script = [says("I wait.", Use("shell", {"command": "sleep 60"}), READ), says("Where were we?")]
    with played(script):
        model = os.environ["HANDRAIL_MODEL"]
        child = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "handrail",
                "run",
                "Wait",
                "--stream-json",
                "--model",
                model,
                "--policy",
                str(policy),
            ],
            cwd=work,
            env=environment(work.parent / "state"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert child.stdout is not None
        lines = []
        for line in child.stdout:
            lines.append(json.loads(line))
            call = lines[-1].get("call")
            if lines[-1]["type"] == "call_changed" and call["name"] == "shell" and call["state"] == "executing":
                child.send_signal(number)
                break
        rest, err = child.communicate(timeout=60)
        report = json.loads(rest.splitlines()[-1])
        assert (child.returncode, report["ended"]) == (130, "interrupted"), err
        assert {call["tool"]: call["state"] for call in report["calls"]}["shell"] == "cancelled"
        done = run(work, "--continue", "Go on")
    assert (done.code, done.out) == (0, "Where were we?\n"), done.err


def test_where_nobody_reads_the_events_any_more_the_work_ends_without_a_traceback(work: Path, played) -> None:
    wait = Use("shell", {"command": "until [ -e go ]; do sleep 0.02; done"})
    with played([says("I wait.", wait), says("On with it.", READ), says("Done.")]):
        command = ["run", "Wait", "--stream-json", "--model", os.environ["HANDRAIL_MODEL"]]
        child = subprocess.Popen(
            [sys.executable, "-m", "handrail", *command],
            cwd=work,
            env=environment(work.parent / "state"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert child.stdout is not None
        assert child.stderr is not None
        for line in child.stdout:
            if '"executing"' in line:
                break
        child.stdout.close()
        (work / "go").touch()
        err = child.stderr.read()
        child.stderr.close()
        assert (child.wait(60), err) == (141, "")
    done = handrail("sessions", "list", state=work.parent / "state", cwd=work)
    assert "interrupted" in done.out
    assert "unfinished" not in done.out


def test_where_nobody_takes_what_is_said_beside_the_results_the_work_goes_on(work: Path, played) -> None:
    with played(SCRIPT), open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "handrail", "run", "When?", "--model", os.environ["HANDRAIL_MODEL"]],
            cwd=work,
            env=environment(work.parent / "state"),
            stdout=subprocess.PIPE,
            stderr=full,
            text=True,
            start_new_session=True,
            check=False,
        )
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "Done.")


def test_nothing_that_a_terminal_obeys_is_printed_of_what_the_model_says(work: Path, played, run) -> None:
    with played([says("a\x1b[2Jb\u202ec")]):
        done = run(work, "x")
    assert done.out == "a\\x1b[2Jb\\x202ec\n"


def test_a_secret_is_left_out_of_what_people_see_though_it_comes_in_pieces(
    work: Path, played, monkeypatch, run
) -> None:
    monkeypatch.setenv("DEPLOY_TOKEN", "tok-4f9a8b7c6d5e4f3a2b1c")
    with played([says("It is tok-4f9a8b7c6d5e4f3a2b1c, I think.")]):
        done = run(work, "x")
    assert "4f9a8b7c" not in done.out + done.err
    assert done.out.endswith(", I think.\n")

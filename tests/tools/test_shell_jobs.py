"""Commands in the background: started there or moved there, looked at, typed to, waited for, stopped."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

import pytest

from call_harness import Person, opened, request, settled, started, until
from handrail.contract.basics import CallId
from handrail.contract.calls import AwaitingApproval, Cancelled, Failed, Rejected
from handrail.contract.confirmation import Answer, ExecConfirmation, Once, Reject
from handrail.contract.events import NoticeGiven, OutputArrived
from handrail.contract.results import ErrorKind, ToolResult
from handrail.policy import rules_from
from handrail.runtime.parts import Parts
from handrail.sandbox import none
from handrail.session import Session
from handrail.settings.places import STATE_VARIABLE
from handrail.tools import builtin_tools
from handrail.tools.shells import running
from handrail.wire import Wire
from neutral_calls import calls

HANG = 60
"""Seconds after which a test that would wait for ever fails."""


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(none, "TERM_GRACE", 0.2)
    monkeypatch.setattr(running, "SETTLING", 0.2)


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "ws").mkdir()
    return tmp_path / "ws"


class Shells:
    """Calls of the shell tools in one session, each with the next id."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._calls = 0

    async def call(self, name: str, **arguments: object) -> ToolResult:
        self._calls += 1
        async with asyncio.timeout(HANG):
            state = await settled(self.session, name, arguments, f"c{self._calls}")
        return state.result

    async def start(self, command: str, **arguments: object) -> ToolResult:
        return await self.call("shell", command=command, background=True, **arguments)

    async def output(self, job: str = "job-1", **arguments: object) -> str:
        return (await self.call("shell_output", job=job, **arguments)).text


@asynccontextmanager
async def shells(root: Path, **options: object) -> AsyncIterator[Shells]:
    async with opened(root, *builtin_tools(), **options) as session:
        yield Shells(session)


@asynccontextmanager
async def kept_shells(root: Path) -> AsyncIterator[Shells]:
    """In a session that keeps long results in files."""
    async with Session.open(root, mode="bypass", parts=Parts(tools=builtin_tools())) as session:
        yield Shells(session)


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


async def test_a_command_goes_on_in_the_background_and_its_result_says_how_to_follow_it(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "SETTLING", 2.0)  # a busy machine takes a while to start bash
    async with shells(root) as sh:
        result = await sh.start("echo early; exec sleep 1000")
        assert result.data is not None
        pid = result.data["pid"]
        assert result.text == (
            f"early\n[It runs as job-1 (process {pid}): shell_output gives what it prints or waits for a line, "
            "shell_input types to it, shell_stop ends it.]"
        )
        assert isinstance(pid, int)
        assert is_alive(pid)
        assert [job.name for job in sh.session.jobs()] == ["echo early; exec sleep 1000"]
    assert not is_alive(pid)


async def test_a_command_that_fails_at_once_is_no_job(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "SETTLING", HANG)  # it ends, whenever that is
    async with shells(root) as sh:
        result = await sh.start("echo no such port >&2; exit 3")
        assert result.text == "no such port\nExit code: 3"
        assert sh.session.jobs() == ()


async def test_a_command_out_of_time_is_moved_where_that_was_asked_for(root: Path) -> None:
    async with shells(root) as sh:
        result = await sh.call("shell", command="echo a; sleep 1000", timeout=1, on_timeout="background")
        assert result.text.startswith("a\n[After 1 s the command went on in the background. It runs as job-1 (process ")
        assert re.fullmatch(r"a\n\[job-1 \(echo a; sleep 1000\): running for \d+ s, process \d+\]", await sh.output())


async def test_what_is_new_is_given_once(root: Path) -> None:
    async with shells(root) as sh:
        await sh.start("echo one; until [ -e go ]; do sleep 0.01; done; echo two; sleep 1000")
        first = await sh.output()
        nothing = await sh.output()
        (root / "go").touch()
        second = await sh.output(wait_for="^two$")
    assert first.startswith("one\n[job-1 (")
    assert nothing.startswith("(nothing new)\n[job-1 (")
    assert second.startswith("two\n[The line came: two. job-1 (")


@dataclass(frozen=True)
class Wait:
    id: str
    script: str
    wait_for: str
    says: str
    reason: str


WAITS = [
    Wait("coming", "{go}; echo 'Listening on :8080'; sleep 9e3", r":(\d+)", "The line came: Listening on :8080.", ""),
    Wait("there already", "echo ready; sleep 1000", "ready", "The line came: ready.", "before anybody waited"),
    Wait("a prompt", "{go}; printf 'Name: '; sleep 1000", "Name: $", "The line came: Name:.", "no line feed comes"),
    Wait("in pieces", "{go}; printf re; sleep 0.05; printf 'ady\\n'; sleep 1000", "ready", "The line came: ready.", ""),
    Wait("coloured", "{go}; printf '\\033[32mre\\033[0mady\\n'; sleep 1000", "ready", "The line came: ready.", ""),
    Wait("progress", "{go}; printf '10%%\\r100%%\\rdone'; sleep 1000", "100%", "The line came: 100%.", "redrawn since"),
    Wait("CRLF", "{go}; printf 'ready\\r\\n'; sleep 1000", "^ready$", "The line came: ready.", "the end is no part"),
    Wait("ended", "{go}; echo other", "ready", "It ended without a line with 'ready'.", "nobody waits for ever"),
    Wait("ended before", "echo other; sleep 0.3", "ready", "It ended without a line with 'ready'.", "nor for the dead"),
]


@pytest.mark.parametrize("case", WAITS, ids=attrgetter("id"))
async def test_a_wait_ends_with_its_line_or_with_the_job(case: Wait, root: Path) -> None:
    async with shells(root) as sh:
        await sh.start(case.script.replace("{go}", "until [ -e go ]; do sleep 0.01; done"))
        if case.id == "ended before":
            await sh.output(wait_for="nothing like it")
        waiting = asyncio.ensure_future(sh.output(wait_for=case.wait_for))
        await asyncio.sleep(0)
        (root / "go").touch()
        assert case.says in await waiting


async def test_a_wait_has_an_end_of_its_own(root: Path) -> None:
    async with shells(root) as sh:
        await sh.start("echo other; sleep 1000")
        text = await sh.output(wait_for="ready", timeout=1)
    assert text.startswith("other\n[No line with 'ready' came within 1 s. job-1 (")


async def test_a_job_is_waited_for_to_its_end_whatever_it_prints(root: Path) -> None:
    async with shells(root) as sh:
        await sh.start("until [ -e go ]; do sleep 0.01; done; echo one; echo two")
        waiting = asyncio.ensure_future(sh.output(until_end=True))
        await asyncio.sleep(0)
        (root / "go").touch()
        assert (await waiting).startswith("one\ntwo\n[job-1 (")
        assert (await sh.output(until_end=True)).startswith("(nothing new)\n[job-1 (")


async def test_a_wait_for_the_end_has_an_end_of_its_own_and_shows_what_came(root: Path) -> None:
    async with shells(root) as sh:
        await sh.start("echo other; sleep 1000")
        text = await sh.output(until_end=True, timeout=1)
    assert text.startswith("other\n[It did not end within 1 s. job-1 (")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"job": "", "until_end": True}, "name the job"),
        ({"job": "", "wait_for": "x"}, "name the job"),
        ({"wait_for": "x", "until_end": True}, "Give one of them"),
    ],
)
async def test_a_wait_says_what_for(root: Path, arguments: dict[str, object], said: str) -> None:
    async with shells(root) as sh:
        await sh.start("sleep 1000")
        assert said in await sh.output(**{"job": "job-1", **arguments})


async def test_a_wait_can_be_cancelled_and_takes_nothing_with_it(root: Path) -> None:
    async with shells(root) as sh:
        await sh.start("echo other; sleep 1000")
        live = await started(sh.session, request("shell_output", {"job": "job-1", "wait_for": "ready"}, "w1"))
        assert await sh.session.cancel(CallId("w1"))
        assert isinstance(live.settled.result(), Cancelled)
        assert (await sh.output()).startswith("other\n[job-1 (")
        assert len(sh.session.jobs()) == 1


async def test_a_job_is_typed_to_and_its_input_closed(root: Path) -> None:
    async with shells(root) as sh:
        await sh.start('while read -r line; do echo "got $line"; done; echo over')
        typed = await sh.call("shell_input", job="job-1", text="hello")
        assert typed.text == "Typed to job-1. See what it answers with shell_output."
        assert (await sh.output(wait_for="^got")).startswith("got hello\n")
        await sh.call("shell_input", job="job-1", text="a", enter=False)
        await sh.call("shell_input", job="job-1", text="b", end=True)
        text = await sh.output(wait_for="over")
        assert text.startswith("got ab\nover\n")


async def test_typing_and_looking_asked_for_together_go_in_that_order(root: Path) -> None:
    async with shells(root) as sh:
        await sh.start("cat")
        batch = calls(
            ("shell_input", {"job": "job-1", "text": "hello"}),
            ("shell_output", {"job": "job-1", "wait_for": "hello"}),
            ("shell_stop", {"job": "job-1"}),
        )
        turn = await sh.session.run(batch, Wire.NEUTRAL)
    texts = [one["result"] for one in turn.messages[-1]["results"]]
    assert texts[1].startswith("hello\n[The line came: hello.")
    assert "stopped" in texts[2]


async def test_a_job_that_cannot_be_typed_to_says_why(root: Path) -> None:
    async with shells(root) as sh:
        await sh.call("shell", command="sleep 1000", timeout=1, on_timeout="background")
        closed = await sh.call("shell_input", job="job-1", text="x")
        assert closed.text.startswith("Nothing was typed: the input of job-1 is closed")
        await sh.call("shell_stop", job="job-1")
        ended = await sh.call("shell_input", job="job-1", text="x")
        assert ended.text.startswith("Nothing was typed: job-1 stopped after ")


async def test_a_stopped_job_is_gone_with_all_that_came_from_it(root: Path) -> None:
    async with shells(root) as sh:
        await sh.start("trap '' TERM; (setsid sleep 1000 & echo $! $$ >pids); echo ready; wait; sleep 1000")
        await sh.output(wait_for="ready")
        stopped = await sh.call("shell_stop", job="job-1")
        assert [pid for pid in map(int, (root / "pids").read_text().split()) if is_alive(pid)] == []
        assert "job-1 (trap '' TERM" in stopped.text
        assert sh.session.jobs() == ()
        again = await sh.call("shell_stop", job="job-1")
    assert "[It had ended before. job-1 (" in again.text


async def test_all_jobs_are_listed_with_how_they_stand(root: Path) -> None:
    async with shells(root) as sh:
        assert await sh.output("") == "No job was started in the background."
        await sh.start("until [ -e go ]; do sleep 0.01; done; exit 4")
        await sh.start("sleep 1000")
        (root / "go").touch()
        await sh.output("job-1", wait_for="nothing like it")
        lines = (await sh.output("")).split("\n")
    assert lines[0] == "Jobs:"
    assert lines[1].startswith("job-1  ended")
    assert "exit code 4" in lines[1]
    assert re.fullmatch(r"job-2  running for \d+ s, process \d+  sleep 1000", lines[2])


@pytest.mark.parametrize("tool", ["shell_output", "shell_input", "shell_stop"])
async def test_a_job_that_is_not_there_is_answered_with_those_that_are(tool: str, root: Path) -> None:
    async with shells(root) as sh:
        await sh.start("sleep 1000")
        result = await sh.call(tool, job="job-7", **({"text": "x"} if tool == "shell_input" else {}))
    assert result.text.startswith("There is no job 'job-7'. Jobs:\njob-1  running")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"wait_for": "x"}, "name the job to wait for"),
        ({"job": "job-1", "wait_for": "("}, "wait_for is not a regular expression of RE2: missing"),
    ],
)
async def test_a_wait_that_cannot_be_is_refused(arguments: dict[str, str], says: str, root: Path) -> None:
    async with opened(root, *builtin_tools()) as session:
        state = await settled(session, "shell_output", arguments)
    assert isinstance(state, Failed)
    assert state.fault.kind is ErrorKind.INVALID_ARGUMENTS
    assert says in state.result.text


async def test_survivors_are_told_of_and_stopped_at_the_end_of_the_session(root: Path) -> None:
    notices: list[str] = []
    async with shells(root) as sh:
        sh.session.subscribe(lambda event: notices.append(event.message) if isinstance(event, NoticeGiven) else None)
        result = await sh.start("sleep 1000")
    assert result.data is not None
    assert not is_alive(int(str(result.data["pid"])))
    assert notices == ["job-1 (sleep 1000) still ran at the session's end, and is stopped"]


async def test_a_call_cancelled_before_it_was_moved_leaves_nothing(root: Path) -> None:
    async with shells(root) as sh:
        arguments = {
            "command": "echo $$ >pid; until [ -e go ]; do sleep 0.01; done; echo ready; sleep 1000",
            "on_timeout": "background",
        }
        live = await started(sh.session, request("shell", arguments, "s1"))
        printed = asyncio.ensure_future(until(sh.session, lambda event: isinstance(event, OutputArrived)))
        await asyncio.sleep(0)
        (root / "go").touch()
        await printed
        await sh.session.cancel(CallId("s1"))
        assert isinstance(live.settled.result(), Cancelled)
        assert sh.session.jobs() == ()
    assert not is_alive(int((root / "pid").read_text()))


async def test_a_job_does_not_move_the_shell(root: Path) -> None:
    (root / "sub").mkdir()
    async with shells(root) as sh:
        await sh.start("cd sub; until [ -e ../go ]; do sleep 0.01; done")
        (root / "go").touch()
        await sh.output(wait_for="nothing like it")
        assert (await sh.call("shell", command="pwd -P")).text == os.path.realpath(root)


# Files


async def test_the_output_of_a_job_lies_in_a_file_that_may_be_read(root: Path, state: Path) -> None:
    async with kept_shells(root) as sh:
        started_as = await sh.start("seq 3; until [ -e go ]; do sleep 0.01; done; seq 100000; echo over; sleep 1000")
        path = started_as.text.rpartition("All output goes to ")[2].rstrip(".]")
        assert Path(path).is_relative_to(state)
        (root / "go").touch()
        text = await sh.output(wait_for="over")
        assert f"left out: the whole is in {path}, for the tools that read and search files …]" in text
        found = await sh.call("grep", pattern="^77777$", path=path)
        assert "77777" in found.text
        assert "[It" not in found.text


async def test_long_output_of_a_command_lies_whole_in_a_file(root: Path, state: Path) -> None:
    async with kept_shells(root) as sh:
        result = await sh.call("shell", command="seq 1000000; exit 5")
        path = result.text.partition("the whole is in ")[2].partition(", for the tools that read and search files")[0]
        assert Path(path).read_text() == "".join(f"{number}\n" for number in range(1, 1_000_001))
        assert result.text.endswith("\n1000000\nExit code: 5")
        assert "500123" in (await sh.call("grep", pattern="^500123$", path=path)).text


async def test_short_output_makes_no_file(root: Path, state: Path) -> None:
    async with kept_shells(root) as sh:
        await sh.call("shell", command="seq 100")
    assert list(state.glob("results/*/*")) == []


# What policy knows of it


async def test_typing_is_asked_about_with_its_text_and_never_taken_for_reading(root: Path) -> None:
    def start_only(call: AwaitingApproval) -> Answer:
        return Once() if call.invocation.tool.name == "shell" else Reject("no")

    person = Person(start_only, start_only)
    async with opened(root, *builtin_tools(), mode="default", asker=person) as session:
        sh = Shells(session)
        await sh.start("bash")
        state = await settled(session, "shell_input", {"job": "job-1", "text": "ls"}, "t1")
    assert isinstance(state, Rejected)
    assert person.asked[1].confirmation == ExecConfirmation(
        "Type to job-1", "ls", person.asked[1].confirmation.commands
    )


@pytest.mark.parametrize(("text", "asked"), [("rm -rf /", False), ("curl x", False), ("y", True)])
async def test_what_no_command_may_do_cannot_be_typed_either(text: str, asked: bool, root: Path) -> None:
    """And what a rule on commands might forbid, for all that is known, is asked about though all is allowed."""
    rules = rules_from([{"command": "curl *", "decision": "deny"}, {"tool": "shell_input", "decision": "allow"}])
    person = Person(Reject("no"))
    async with opened(root, *builtin_tools(), rules=rules, asker=person) as session:
        await Shells(session).start("cat")
        state = await settled(session, "shell_input", {"job": "job-1", "text": text}, "t1")
    assert isinstance(state, Rejected)
    assert bool(person.asked) is asked


async def test_looking_and_stopping_need_no_question(root: Path) -> None:
    async with opened(root, *builtin_tools(), mode="plan") as session:
        sh = Shells(session)
        assert await sh.output("") == "No job was started in the background."
        assert "There is no job" in (await sh.call("shell_stop", job="job-1")).text

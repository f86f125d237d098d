from __future__ import annotations

import asyncio
import os
import shlex
import sys
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

import pytest
from tool_harness import Bench, CheckFailed

from handrail.contract.confirmation import ExecConfirmation
from handrail.contract.context import Environment
from handrail.contract.effects import Claims
from handrail.contract.launching import Finished, LaunchSpec, OutputSink
from handrail.contract.results import ErrorKind, TerminalDisplay
from handrail.errors import InvalidArguments, LauncherError, ToolFailed
from handrail.sandbox import none
from handrail.tools.shell import Shell
from handrail.tools.shells.parameters import MOST_CHARACTERS

HANG = 60
"""Seconds after which a test that would wait for ever fails."""


@pytest.fixture(autouse=True)
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(none, "TERM_GRACE", 0.2)


@dataclass(frozen=True)
class Command:
    id: str
    command: str
    text: str
    reason: str


HEREDOC = "cat > out <<'EOF'\nit's \"quoted\" $HOME `x`\nEOF\ncat out"
NO_INPUT = f"{shlex.quote(sys.executable)} -c 'input()' 2>&1 | tail -1"
UNKNOWN = "bash: line 1: no-such-x: command not found\nExit code: 127"
STOPPED = (
    "[1 process was still running in the background at the end, and stopped. "
    "Use background: true for what should go on.]"
)
KILLED = "(no output)\nSignal: 9 (SIGKILL: killed from outside, as where memory runs out)"
LEFT_BEHIND = f"hi\n{STOPPED}"
NOT_UTF8 = "\ufffd\ufffd ok\n[Bytes that are not UTF-8 are shown as \ufffd.]"
COMMANDS = [
    Command("output", "echo hi", "hi", "no exit code where all is well"),
    Command("no output", "true", "(no output)", "nothing is said to be nothing"),
    Command("exit code", "echo hi; exit 3", "hi\nExit code: 3", "an outcome, not a fault"),
    Command("no match", "echo a | grep b", "(no output)\nExit code: 1", "the same for benign codes"),
    Command("signal", "kill -9 $$", KILLED, "by number and name"),
    Command("unknown program", "no-such-x", UNKNOWN, "as the shell says it"),
    Command("both streams", "echo a; echo b >&2; echo c", "a\nb\nc", "in the order they came"),
    Command("closed stdin", "cat; read x || echo none", "none", "nothing waits for input"),
    Command("python input", NO_INPUT, "EOFError: EOF when reading a line", "nor does a program"),
    Command("here-document", HEREDOC, 'it\'s "quoted" $HOME `x`', "the script reaches bash as it is"),
    Command("dash first", "-x; echo $?", "bash: line 1: -x: command not found\n127", "a command, not an option"),
    Command("bash syntax", "[[ a == a* ]] && echo <(:) | tr -d 0-9", "/dev/fd/", "bash, not sh"),
    Command("several lines", "a=1\nif true; then\n  echo $a\nfi", "1", "one script"),
    Command("producer cut off", "yes | head -1", "y", "no pipefail: a cut-off producer is no failure"),
    Command("carriage returns", "for i in $(seq 50); do printf '\\r%d%%' $i; done", "50%", "the last state of a line"),
    Command("colours", "printf '\\033[31mred\\033[0m\\033]0;t\\007\\n'", "red", "no escapes"),
    Command("CRLF", "printf 'a\\r\\nb\\r\\n'", "a\r\nb", "line ends within stay"),
    Command("not UTF-8", "printf '\\xf0\\xff ok\\n'", NOT_UTF8, "never a crash"),
    Command("pager", "echo $PAGER $GIT_PAGER $TERM; tty -s", "cat cat dumb\nExit code: 1", "no terminal, no pager"),
    Command("background", "sleep 1000 >/dev/null & echo hi", LEFT_BEHIND, "none outlives the call"),
]


@pytest.mark.parametrize("case", COMMANDS, ids=attrgetter("id"))
async def test_a_command_gives_what_it_printed_and_how_it_ended(case: Command, tmp_path: Path) -> None:
    async with asyncio.timeout(HANG):
        result = await Bench(tmp_path).run(Shell(), command=case.command)
    assert result.text == case.text
    assert result.fault is None


async def test_a_command_runs_in_the_workspace(tmp_path: Path) -> None:
    result = await Bench(tmp_path).run(Shell(), command="pwd -P")
    assert result.text == os.path.realpath(tmp_path)


async def test_the_facts_are_there_for_programs(tmp_path: Path) -> None:
    result = await Bench(tmp_path).run(Shell(), command="echo $$; exit 4")
    assert result.data is not None
    assert (result.data["exit_code"], result.data["signal"]) == (4, None)
    assert str(result.data["pid"]) == result.text.split("\n")[0]
    assert isinstance(result.display, TerminalDisplay)
    assert (result.display.command, result.display.exit_code) == ("echo $$; exit 4", 4)


async def test_what_was_printed_stands_apart_from_how_it_ended(tmp_path: Path) -> None:
    result = await Bench(tmp_path).run(Shell(), command="sleep 1000 >/dev/null & echo hi; exit 4")
    assert result.text == f"hi\nExit code: 4\n{STOPPED}"
    assert result.data is not None
    assert (result.data["output"], result.data["notes"]) == ("hi\n", STOPPED)


async def test_secrets_of_the_environment_stay_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MY_TOKEN", "AWS_SECRET_ACCESS_KEY", "BASH_ENV", "ENV"):
        monkeypatch.setenv(name, "secret-value")
    result = await Bench(tmp_path).run(Shell(), command="env; echo $HANDRAIL")
    assert "secret-value" not in result.text
    assert result.text.endswith("\n1")


async def test_running_out_of_time_keeps_what_was_printed(tmp_path: Path) -> None:
    async with asyncio.timeout(HANG):
        result = await Bench(tmp_path).run(Shell(), command="echo early; trap '' TERM; sleep 1000", timeout=1)
    assert result.fault is not None
    assert result.fault.kind is ErrorKind.TIMEOUT
    assert result.text.startswith("early\nThe command was stopped after 1 s, its time limit. Give it a longer timeout")


async def test_huge_output_keeps_its_ends_and_its_exit_code(tmp_path: Path) -> None:
    result = await Bench(tmp_path).run(Shell(), command="seq 1 3000000; exit 5")
    assert len(result.text) < MOST_CHARACTERS + 100
    assert result.text.startswith("1\n2\n")
    assert result.text.endswith("\n2999999\n3000000\nExit code: 5")
    total = sum(len(f"{number}\n") for number in (*range(1, 3000001),))
    start, _, rest = result.text.partition("[… ")
    left_out, _, end = rest.partition(" bytes left out: ask for a smaller part …]\n")
    shown = len(start) + len(end.removesuffix("Exit code: 5"))
    assert int(left_out.replace(",", "")) == total - shown


async def test_output_is_passed_on_as_it_comes_in_whole_characters(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    command = "printf '\\xe4\\xb8'; until [ -e seen ]; do sleep 0.01; done; printf '\\xad\\n'"
    task = asyncio.create_task(bench.run(Shell(), command=f"echo first; {command}"))
    async with asyncio.timeout(HANG):
        await bench.output.arrived.wait()
        (tmp_path / "seen").touch()
        await task
    assert "".join(bench.output.texts) == "first\n\u4e2d\n"


async def test_a_cancelled_command_is_gone(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    command = "setsid sleep 1000 & echo $! $$ >pids; echo ready; wait"
    task = asyncio.create_task(bench.run(Shell(), command=command))
    async with asyncio.timeout(HANG):
        await bench.output.arrived.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    for pid in (tmp_path / "pids").read_text().split():
        state = Path(f"/proc/{pid}/stat")
        assert not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z"


async def test_a_command_with_a_nul_is_refused_before_anybody_is_asked(tmp_path: Path) -> None:
    with pytest.raises(CheckFailed, match="NUL character"):
        await Bench(tmp_path).run(Shell(), command="echo a\0b")


@pytest.mark.parametrize(
    "arguments", [{"command": ""}, {"command": "x", "timeout": 601}, {"command": "x", "timeout": 0}, {}]
)
async def test_arguments_out_of_bounds_are_not_valid(arguments: dict[str, object], tmp_path: Path) -> None:
    with pytest.raises(InvalidArguments):
        await Bench(tmp_path).run(Shell(), **arguments)


async def test_a_command_that_cannot_start_says_why(tmp_path: Path) -> None:
    class Broken:
        async def run(self, spec: LaunchSpec, on_output: OutputSink | None = None) -> Finished:
            raise LauncherError("bash was not started: out of processes.")

    with pytest.raises(ToolFailed, match=r"The command was not run\. bash was not started: out of processes"):
        await Bench(tmp_path, launcher=Broken()).run(Shell(), command="true")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"command": "ls -l"}, "ls -l"),
        ({"command": "\nls\nrm x\n"}, "ls …"),
        ({"command": "ls", "description": "See what is there"}, "See what is there"),
    ],
)
async def test_a_person_is_shown_the_command(arguments: dict[str, str], line: str, tmp_path: Path) -> None:
    shown = await Bench(tmp_path).confirm(Shell(), **arguments)
    assert shown == ExecConfirmation(line, arguments["command"], ())


def test_a_command_claims_itself() -> None:
    assert Shell().bind({"command": "ls"}).claims() == Claims(shell="ls")


@pytest.mark.parametrize(("programs", "enabled"), [({"bash"}, True), ({"sh"}, True), (set(), False)])
def test_the_tool_is_offered_where_there_is_a_shell(programs: set[str], enabled: bool) -> None:
    environment = Environment("linux", lambda name: Path("/bin", name) if name in programs else None)
    assert Shell().enabled(environment) is enabled

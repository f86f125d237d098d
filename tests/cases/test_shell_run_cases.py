"""Faults that people reported of running commands, and how one product runs them: a test for each.

Every case of the areas below has a test here, is tested elsewhere, or waits for a capability that is not there yet.
A case that is in none of the lists fails, and so does one that is in two. Where a case of the product says otherwise
than the design, its test says why.
"""

from __future__ import annotations

import asyncio
import json
import shlex
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from accounts import accounted, case
from call_harness import opened, request, settled, started, until
from corpus_files import cases
from handrail.contract.basics import CallId
from handrail.contract.calls import Cancelled, Completed, Failed, SettledState
from handrail.contract.events import OutputArrived
from handrail.contract.results import ErrorKind
from handrail.runtime.environment import child_environment
from handrail.sandbox import none
from handrail.session import Session
from handrail.tools import builtin_tools

REPORTED = cases("reported_faults", "shell_run")
PERMISSION = cases("permission_faults", "bash/background")
PRODUCT = cases("gemini_behaviour", "shell-exec", "env-sanitise")

TESTED_ELSEWHERE = {
    "cc-092": "tests/sandbox/test_watchdog.py",
    "cc-101": "tests/tools/test_shell_output_flow.py",
    "gm-shell-exec-335": "tests/tools/test_shell_jobs.py",
}
WAITING = {
    "cc-089": "a cap on memory, which the sandbox will set: that a command out of time is killed is SX03 and SX04",
    "cc-093": "a test on Windows: that a stop is told only when all is gone is in tests/tools/test_shell_jobs.py",
}

HANG = 60
"""Seconds after which a test that would wait for ever fails."""
PYTHON = shlex.quote(sys.executable)


def test_every_case_is_accounted_for_once() -> None:
    assert accounted(globals(), TESTED_ELSEWHERE, WAITING) == sorted({**REPORTED, **PERMISSION, **PRODUCT})


@pytest.mark.parametrize("path", sorted(set(TESTED_ELSEWHERE.values())))
def test_what_is_tested_elsewhere_is_there(path: str) -> None:
    assert (Path(__file__).parents[2] / path).is_file()


@pytest.fixture(autouse=True)
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(none, "TERM_GRACE", 0.2)


@asynccontextmanager
async def shell_in(folder: Path) -> AsyncIterator[Session]:
    async with opened(folder, *builtin_tools()) as session:
        yield session


async def ran(folder: Path, command: str, seconds: int = 120) -> SettledState:
    async with shell_in(folder) as session, asyncio.timeout(HANG):
        return await settled(session, "shell", {"command": command, "timeout": seconds})


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def noted(folder: Path) -> list[int]:
    return [int(word) for word in (folder / "pids").read_text().split()]


# Time, and what is left behind


@case("SX02", "gm-shell-exec-334")
async def test_a_server_in_the_foreground_ends_with_its_time_and_nothing_of_it_is_left(tmp_path: Path) -> None:
    """The product counts silence; here all time counts, so that a command that prints for ever ends too."""
    server = f"echo serving; echo $$ >pids; exec {PYTHON} -m http.server 0 --bind 127.0.0.1"
    state = await ran(tmp_path, server, 2)
    assert isinstance(state, Failed)
    assert state.fault.kind is ErrorKind.TIMEOUT
    assert state.result.text.startswith("serving\n")
    assert "The command was stopped after 2 s, its time limit." in state.result.text
    assert not any(map(is_alive, noted(tmp_path)))


@case("SX03", "cc-088")
@pytest.mark.parametrize(
    "command",
    [
        'bash -c "sleep 600 & echo \\$! >>pids; wait"',
        'sh -c "(sleep 600 & echo \\$! >>pids; wait)" | cat',
        "sleep 600 & echo $! >>pids; (sleep 600 & echo $! >>pids) | cat; wait",
        "while :; do echo x; sleep 0.1; done | { sleep 600 & echo $! >>pids; wait; }",
    ],
)
async def test_a_grandchild_that_holds_the_pipe_hangs_nobody_and_is_ended(command: str, tmp_path: Path) -> None:
    state = await ran(tmp_path, command, 1)
    assert isinstance(state, Failed)
    assert state.fault.kind is ErrorKind.TIMEOUT
    assert not any(map(is_alive, noted(tmp_path)))


@case("SX04")
async def test_a_child_that_ignores_being_asked_is_killed_out_of_time_and_when_cancelled(tmp_path: Path) -> None:
    command = "trap '' TERM; echo $$ >>pids; touch ready; sleep 600; sleep 600"
    assert isinstance(await ran(tmp_path, command, 1), Failed)
    async with shell_in(tmp_path) as session, asyncio.timeout(HANG):
        live = await started(session, request("shell", {"command": command}))
        await session.cancel(CallId("c1"))
        assert isinstance(live.settled.result(), Cancelled)
    assert not any(map(is_alive, noted(tmp_path)))


@case("SX05")
@pytest.mark.parametrize("how", ["in time", "out of time", "cancelled", "session closed"])
async def test_what_leaves_its_session_and_its_parent_is_ended_all_the_same(how: str, tmp_path: Path) -> None:
    escape = "(setsid bash -c 'echo $$ >>pids; exec sleep 600' >/dev/null 2>&1 </dev/null &)"
    noting = "until [ -s pids ]; do sleep 0.01; done; echo ready"
    command = f"{escape}; {noting}" + ("" if how == "in time" else "; sleep 600")
    async with shell_in(tmp_path) as session, asyncio.timeout(HANG):
        if how in ("in time", "out of time"):
            await settled(session, "shell", {"command": command, "timeout": 1 if how == "out of time" else 60})
        else:
            printed = asyncio.ensure_future(until(session, lambda event: isinstance(event, OutputArrived)))
            await started(session, request("shell", {"command": command}))
            await printed
            if how == "cancelled":
                await session.cancel(CallId("c1"))
    assert not any(map(is_alive, noted(tmp_path)))


@case("cc-097")
async def test_a_command_ends_when_its_child_does_though_a_grandchild_holds_the_pipe(tmp_path: Path) -> None:
    state = await ran(tmp_path, "echo x | { sleep 600 & echo $! >>pids; cat; }")
    assert isinstance(state, Completed)
    assert state.result.text.startswith("x\n[1 process was still running in the background at the end, and stopped")
    assert not any(map(is_alive, noted(tmp_path)))


@case("cc-099")
async def test_a_command_that_finished_has_its_result_whoever_listens(tmp_path: Path) -> None:
    def broken(event: object) -> None:
        raise RuntimeError("the surface fell over")

    async with shell_in(tmp_path) as session:
        session.subscribe(broken)
        state = await settled(session, "shell", {"command": "echo hi"})
    assert (type(state), state.result.text) == (Completed, "hi")


# Input


@case("SX09")
@pytest.mark.parametrize(
    "command",
    [
        "cat",
        f"{PYTHON} -c 'input()'",
        "read -r line </dev/tty",
        "read -rs -p Password: word",
        f"{PYTHON} -c \"import getpass, warnings; warnings.simplefilter('error'); getpass.getpass()\"",
        "ssh -o BatchMode=no -o ConnectTimeout=1 nosuch.invalid",
        "sudo -S -k true",
    ],
)
async def test_a_prompt_finds_no_terminal_and_the_end_of_its_input(command: str, tmp_path: Path) -> None:
    """Programs that are not here end as quickly: with 127."""
    state = await ran(tmp_path, command)
    assert isinstance(state, Completed)
    assert state.result.data is not None
    assert state.result.data["exit_code"] != (0 if command != "cat" else 1)


@case("cc-103")
@pytest.mark.parametrize(
    "command",
    [
        "cat > f <<'EOF'\nit's \"here\" `and` $there\nEOF\ncat f",
        "bash <<'EOF'\ncat > f <<'IN'\nit's \"here\" `and` $there\nIN\ncat f\nEOF",
        'eval "$(printf \'%s\' "cat > f <<\'EOF\'\nit\'s \\"here\\" \\`and\\` \\$there\nEOF\ncat f")"',
    ],
)
async def test_a_script_reaches_bash_as_it_is(command: str, tmp_path: Path) -> None:
    state = await ran(tmp_path, command)
    assert state.result.text == 'it\'s "here" `and` $there'


# Output


@case("SX12", "gm-shell-exec-337")
@pytest.mark.parametrize("megabytes", [11, 20])
async def test_output_over_any_bound_is_cut_and_no_failure(megabytes: int, tmp_path: Path) -> None:
    """The product keeps the last 16 MiB; here the result has both ends, and the file of the call the whole."""
    state = await ran(tmp_path, f"echo begin; head -c {megabytes}000000 /dev/zero | tr '\\0' x; echo; echo end")
    assert isinstance(state, Completed)
    text = state.result.text
    assert text.startswith("begin\n")
    assert text.endswith("\nend")
    assert "bytes left out" in text
    assert len(text) < 31_000


@case("SX13")
@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("printf '\\xf0\\xff ok\\n'", "\ufffd\ufffd ok\n[Bytes that are not UTF-8 are shown as \ufffd.]"),
        ("printf '\\xe4\\xb8'", "\ufffd\n[Bytes that are not UTF-8 are shown as \ufffd.]"),
        ("head -c 4096 /dev/urandom; exit 3", None),
        ("head -c 40960 /dev/urandom; exit 3", None),
    ],
)
async def test_output_of_any_bytes_gives_text_and_the_exit_code(command: str, text: str | None, tmp_path: Path) -> None:
    state = await ran(tmp_path, command)
    assert isinstance(state, Completed)
    assert json.loads(json.dumps(state.result.text).encode()) == state.result.text
    assert state.result.text.endswith("\nExit code: 3") if text is None else state.result.text == text


@case("SX15")
@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("for i in $(seq 1000); do printf '\\r%d%%' $i; done", "1000%"),
        (
            "printf 'one\\n'; for i in 1 2 3; do printf 'try %d\\n\\033[1A\\033[2K' $i; done; printf 'done\\n'",
            "one\ndone",
        ),
        ("printf '\\033]0;title\\007\\033[1;31mred\\033[0m\\n'", "red"),
        ("printf 'a\\r\\nb\\r\\n'", "a\r\nb"),
    ],
)
async def test_only_the_last_state_of_a_line_is_kept(command: str, text: str, tmp_path: Path) -> None:
    assert (await ran(tmp_path, command)).result.text == text


@case("SX19")
async def test_a_producer_that_is_cut_off_is_no_failure(tmp_path: Path) -> None:
    assert (await ran(tmp_path, "yes | head -1")).result.text == "y"


@case("SX22")
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
async def test_a_stream_that_fills_up_does_not_block_the_other(stream: str, tmp_path: Path) -> None:
    script = f"import sys; sys.{stream}.write('e'*10**6); sys.{stream}.flush(); print('done', file=sys.stderr)"
    state = await ran(tmp_path, f'{PYTHON} -c "{script}"')
    assert isinstance(state, Completed)
    assert state.result.text.endswith("done")


@case("SX23")
async def test_text_of_another_code_page_is_marked_as_such(tmp_path: Path) -> None:
    """It is not guessed at: of four bytes, any guess would be as good."""
    state = await ran(tmp_path, "printf '\\xd6\\xd0\\xce\\xc4\\n'")
    assert state.result.text.endswith("[Bytes that are not UTF-8 are shown as \ufffd.]")


@case("gm-shell-exec-332")
async def test_an_exit_code_is_data_and_no_fault(tmp_path: Path) -> None:
    state = await ran(tmp_path, "exit 2")
    assert isinstance(state, Completed)
    assert state.result.text == "(no output)\nExit code: 2"


async def test_a_file_that_grows_past_its_limit_is_explained(tmp_path: Path) -> None:
    state = await ran(tmp_path, "ulimit -f 8; head -c 1000000 /dev/zero >big; exit $?")
    assert "Exit code: 153 (SIGXFSZ: a file would have grown past the limit of `ulimit -f`)" in state.result.text
    assert (tmp_path / "big").stat().st_size <= 8 * 1024


# The environment


@case("gm-env-sanitise-241", "gm-env-sanitise-245", "gm-env-sanitise-246")
@pytest.mark.parametrize("id", ["gm-env-sanitise-241", "gm-env-sanitise-245", "gm-env-sanitise-246"])
def test_what_nobody_listed_is_left_out(id: str) -> None:
    """The product passes what looks like no secret, and is strict on request; here only what is listed passes."""
    given = PRODUCT[id]["given"]["env"]
    assert set(child_environment(given)) & set(given) == {"PATH"} & set(given)


@case("gm-env-sanitise-243", "gm-env-sanitise-244")
@pytest.mark.parametrize("id", ["gm-env-sanitise-243", "gm-env-sanitise-244"])
def test_a_name_is_listed_in_any_case_and_a_secret_in_its_value_counts_more(id: str) -> None:
    given, expected = PRODUCT[id]["given"], PRODUCT[id]["expect"]
    allowed = {name.upper() for name in given["config"]["allowedEnvironmentVariables"]}
    assert sorted(set(child_environment(given["env"], allowed)) & set(given["env"])) == expected

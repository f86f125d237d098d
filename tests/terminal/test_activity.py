"""The picture of what an agent does: events in, lines out, with real sessions behind them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import pytest
from pydantic import BaseModel

from handrail.agent.events import AgentEvent, Compacted, Ended, Finished, Reported, ResponseDone
from handrail.agent.model import CallBegun, TextArrived, ThinkingArrived, Usage, Waiting
from handrail.contract.basics import CallId, Instant
from handrail.contract.calls import CallRequest, Completed, Executing, ObjectArguments
from handrail.contract.context import Output
from handrail.contract.events import CallChanged, Event, NoticeGiven, OutputArrived, ProgressMade, TopicSet
from handrail.contract.results import TerminalDisplay, ToolResult
from handrail.contract.secret import Secret
from handrail.contract.tool import Tool
from handrail.session import Session
from handrail.settings.redaction import Redactor
from handrail.surfaces.terminal.activity import Activity

MOST = 30


def picture(root: Path = Path("/ws"), *, words: bool = False) -> Activity:
    return Activity(
        root, Redactor({"API_TOKEN": "s3cr3t-t0ken-value"}), str.splitlines, lambda: 80, colour=False, words=words
    )


HEARD: list[tuple[list[AgentEvent], list[str], list[str]]] = [
    ([TextArrived("Hel"), TextArrived("lo.")], [], ["", "Hello."]),
    ([TextArrived("One.\n\nTwo.\nThree")], ["", "One."], ["", "Two.", "Three"]),
    ([TextArrived("One."), CallBegun("shell")], ["", "One."], ["… writing a call of shell"]),
    ([TextArrived("One."), ResponseDone(Usage())], ["", "One."], []),
    ([ThinkingArrived("Hmm\nso")], [], ["(thinking: Hmm so)"]),
    ([ThinkingArrived("Hmm\nso"), TextArrived("Ah.")], ["(thought: Hmm so)"], ["", "Ah."]),
    ([ThinkingArrived("x" * 100)], [], [f"(thinking: …{'x' * 72})"]),
    ([Waiting(4.0, "overloaded\x1b[2J")], [], ["… trying again in 4 s: overloaded\\x1b[2J"]),
    ([Compacted(120_000, 20_000)], ["! The conversation was made shorter: 120,000 tokens are 20,000 now."], []),
    ([Reported("explore-1", "found it")], ["! explore-1 reports: found it"], []),
    ([TextArrived("x"), Finished(Ended.DONE, "x")], ["", "x"], []),
    ([Finished(Ended.TURNS, why="100 turns are over.")], ["! Stopped (turns). 100 turns are over."], []),
    ([Finished(Ended.INTERRUPTED, why="because")], ["! Interrupted."], []),
    (
        [TextArrived("the token is s3cr3t-t0ken-value"), ResponseDone(Usage())],
        ["", "the token is [redacted:$API_TOKEN]"],
        [],
    ),
]


@pytest.mark.parametrize(("events", "printed", "live"), HEARD)
def test_what_the_model_does_is_shown(events: list[AgentEvent], printed: list[str], live: list[str]) -> None:
    shown = picture()
    assert [line for event in events for line in shown.hear(event)] == printed
    assert shown.live(0.0, MOST) == live


def test_a_call_that_is_being_written_has_the_name_that_people_know() -> None:
    shown = picture()
    shown.own_name = {"Bash": "shell"}.__getitem__
    shown.hear(CallBegun("Bash"))
    assert shown.live(0.0, MOST) == ["… writing a call of shell"]


async def carried_out(root: Path, name: str, arguments: dict, see: Callable[[Event], None]) -> None:
    async with Session.open(root, mode="bypass") as session:
        session.subscribe(see)
        await session.submit(CallRequest(CallId("c1"), name, ObjectArguments(arguments))).settled


CALLS = [
    ("shell", {"command": "echo a; echo b"}, ["✓ shell  echo a; echo b  # s", "    │ a", "    │ b"]),
    ("shell", {"command": "exit 3"}, ["✓ shell  exit 3  # s", "  exit code 3"]),
    (
        "write_file",
        {"file_path": "n.txt", "content": "x\ny\n"},
        ["✓ write_file  Write n.txt (2 lines)  # s, +2 -0", "  @@ -0,0 +1,2 @@", "  +x", "  +y"],
    ),
    ("nothing", {}, ["✗ nothing  # s", "  There is no tool named 'nothing'."]),
    ("read_file", {"file_path": "gone.txt"}, ["✗ read_file  Read gone.txt  # s"]),
    (
        "todo_write",
        {"todos": [{"text": "cut", "status": "in_progress"}]},
        ["✓ todo_write  1 todo, now: cut  # s", "  ▸ cut"],
    ),
]


@pytest.mark.parametrize(("name", "arguments", "lines"), CALLS, ids=[f"{name} {lines[0]}" for name, _, lines in CALLS])
async def test_a_call_that_ended_is_a_line_and_what_matters_of_its_result(name, arguments, lines, tmp_path) -> None:
    shown, printed = picture(tmp_path), list[str]()
    await carried_out(tmp_path, name, arguments, lambda event: printed.extend(shown.see(event)))
    beginnings = [without_times(got)[: len(line)] for got, line in zip(printed, lines, strict=False)]
    assert beginnings == lines
    assert shown.live(0.0, MOST) == []
    assert [call.request.id for call in shown.settled] == ["c1"]


def without_times(line: str) -> str:
    return re.sub(r"\d+\.\d s\b", "# s", line)


async def states(root: Path, name: str, arguments: dict) -> list[CallChanged]:
    events: list[Event] = []
    await carried_out(root, name, arguments, events.append)
    return [event for event in events if isinstance(event, CallChanged)]


async def test_a_call_that_runs_shows_how_long_how_far_and_the_end_of_its_output(tmp_path: Path) -> None:
    shown = picture(tmp_path)
    for event in await states(tmp_path, "shell", {"command": "echo x"}):
        if isinstance(event.state, Completed):
            break
        shown.see(event)
        started = event.state.started_at if isinstance(event.state, Executing) else Instant(0.0)
    shown.see(OutputArrived(CallId("c1"), "".join(f"line {number}\n" for number in range(9))))
    shown.see(OutputArrived(CallId("c1"), "10%\r50%\r90%"))
    shown.see(ProgressMade(CallId("c1"), 0.25, "copying"))
    lines = shown.live(started + 12.0, MOST)
    assert lines == ["● 12 s  shell  echo x  25% copying", *(f"  │ line {n}" for n in (5, 6, 7, 8)), "  │ 90%"]
    shown.unfolded = True
    assert len(shown.live(started, MOST)) == 11
    assert shown.live(started, 3) == ["  │ line 7", "  │ line 8", "  │ 90%"]


async def test_a_private_key_is_not_shown_though_it_begins_above_the_window(tmp_path: Path) -> None:
    shown = picture(tmp_path)
    for event in await states(tmp_path, "shell", {"command": "echo x"}):
        if not isinstance(event.state, Completed):
            shown.see(event)
    body = "".join(f"{'QUJD' * 16}\n" for _ in range(12))
    key = f"-----BEGIN RSA PRIVATE KEY-----\n{body}-----END RSA PRIVATE KEY-----\n"
    shown.see(OutputArrived(CallId("c1"), key))
    assert "QUJD" not in "\n".join(shown.live(0.0, MOST))


class LoginParams(BaseModel):
    code: Annotated[str, Secret()]


class Login(Tool[LoginParams]):
    name, description = "login", "Logs in."

    def describe(self, params: LoginParams) -> str:
        return f"Log in with {params.code}"

    async def run(self, params: LoginParams, output: Output) -> ToolResult:
        output.text(f"sending {params.code}\n")
        return ToolResult.of_text("in", display=TerminalDisplay("login", f"sent {params.code}", 0))


@pytest.mark.parametrize("words", [False, True])
async def test_what_a_tool_marks_as_secret_is_on_no_line_of_its_call(words: bool, tmp_path: Path) -> None:
    shown, lines = picture(tmp_path, words=words), list[str]()

    def see(event: Event) -> None:
        lines.extend([*shown.see(event), *shown.live(0.0, MOST)])

    async with Session.open(tmp_path, mode="bypass") as session:
        session.add(Login())
        session.subscribe(see)
        await session.submit(CallRequest(CallId("c1"), "login", ObjectArguments({"code": "12-34"}))).settled
    said = "\n".join(lines)
    assert "12-34" not in said, said
    for word in ("Log in with", "sending", "sent"):
        assert f"{word} [redacted:marked]" in said


@pytest.mark.parametrize(
    ("beginning", "piece"),
    [("", "word "), ("", "- a point\n"), ("| a | b |\n|:--|---|\n", "| one | two |\n"), ("", "one line\n")],
)
def test_what_is_laid_out_anew_does_not_grow_with_what_a_model_writes(beginning: str, piece: str) -> None:
    laid_out: list[str] = []

    def layout(block: str) -> list[str]:
        laid_out.append(block)
        return block.splitlines()

    shown = Activity(Path("/ws"), Redactor({}), layout, lambda: 80, colour=False, words=False)
    text = beginning + piece * 30_000
    assert shown.hear(TextArrived(text)) == []
    assert shown.live(0.0, MOST)[-1].rstrip().endswith(piece.rstrip())
    (drawn,) = laid_out
    assert len(drawn) < 4_000
    assert drawn.startswith(beginning)
    assert text.rstrip().endswith(drawn.removeprefix(beginning).rstrip())
    assert shown.hear(ResponseDone(Usage()))[1:] == text.splitlines()


def test_a_private_key_that_a_model_writes_is_not_shown_though_its_block_is_finished_in_parts() -> None:
    shown, seen = picture(), list[str]()
    body = [f"{'QUJD' * 16}\n"] * 52
    key = ["-----BEGIN RSA PRIVATE KEY-----\n", *body, "-----END RSA PRIVATE KEY-----\n"]
    for line in ("```\n", *key, "```\n", "\nEnd.\n\n"):
        seen += [*shown.hear(TextArrived(line)), *shown.live(0.0, MOST)]
    seen += shown.hear(ResponseDone(Usage()))
    assert "QUJD" not in "\n".join(seen)
    assert "[redacted:private-key]" in seen
    assert seen[-1] == "End."


async def test_the_calls_of_a_call_are_counted_and_shown_below_it_but_not_printed(tmp_path: Path) -> None:
    mother = [event.state for event in await states(tmp_path, "shell", {"command": "echo mother"})]
    child = [event.state for event in await states(tmp_path, "shell", {"command": "echo child"})]
    parent = replace(child[0].request, id=CallId("c2"), parent=CallId("c1"))
    shown = picture(tmp_path)
    printed = [line for state in mother[:-1] for line in shown.see(CallChanged(state))]
    printed += [line for state in child[:-1] for line in shown.see(CallChanged(replace(state, request=parent)))]
    assert [line.strip()[:1] for line in shown.live(0.0, MOST)] == ["●", "●"]
    assert shown.live(0.0, MOST)[1].startswith("    ● 0.0 s  shell  echo child")
    printed += shown.see(CallChanged(replace(child[-1], request=parent)))
    assert printed == []
    assert "1 call" in shown.live(0.0, MOST)[0]
    assert "1 call" in shown.see(CallChanged(mother[-1]))[0]


@pytest.mark.parametrize(
    ("event", "lines"),
    [
        (NoticeGiven(None, "mind \x1b[2Jthis"), ["! mind \\x1b[2Jthis"]),
        (TopicSet(CallId("c"), "Repair", "make it green", ""), ["", "# Repair  make it green"]),
        (OutputArrived(CallId("unknown"), "x"), []),
    ],
)
def test_what_the_session_tells_a_person_is_printed(event: Event, lines: list[str]) -> None:
    assert picture().see(event) == lines


async def test_with_words_nothing_depends_on_a_mark(tmp_path: Path) -> None:
    shown = picture(tmp_path, words=True)
    told = [line for event in await states(tmp_path, "shell", {"command": "echo a"}) for line in shown.see(event)]
    assert [without_times(line) for line in told[:2]] == ["running: shell  echo a", "done: shell  echo a  # s"]

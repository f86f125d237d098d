"""`handrail exec`: reads all input, then carries the responses out in order in one session."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import click

from handrail.contract.calls import AwaitingApproval, Canceller
from handrail.errors import UsageError
from handrail.policy import Rule
from handrail.runtime.turns import Turn
from handrail.session import Parts, Session
from handrail.surfaces.cli import exits
from handrail.surfaces.cli.asking import Approve, asker_of_option
from handrail.surfaces.cli.exec_report import turn_json
from handrail.surfaces.cli.policies import SANDBOX_NOTE, UNKNOWN_TOOL, rules_of, unknown_tools
from handrail.surfaces.cli.text import wants_colour
from handrail.surfaces.cli.turn_text import turn_lines
from handrail.wire import Response, Wire, read

INTERRUPTS = [signal.Signals[name] for name in ("SIGINT", "SIGTERM", "SIGHUP") if name in signal.Signals.__members__]


@dataclass(frozen=True, slots=True)
class ExecOptions:
    """The options of one `handrail exec`, as typed."""

    workspace: Path
    added: tuple[Path, ...]
    mode: str
    policies: tuple[Path, ...]
    approve: Approve
    wire: Wire | None
    model: str

    @classmethod
    def of(cls, options: Mapping[str, object]) -> ExecOptions:
        wire = options["wire"]
        return cls(
            workspace=cast(Path, options["workspace"]),
            added=cast("tuple[Path, ...]", options["added"]),
            mode=str(options["mode"]),
            policies=cast("tuple[Path, ...]", options["policies"]),
            approve=Approve(str(options["approve"])),
            wire=Wire(str(wire)) if wire else None,
            model=str(options["model"]),
        )


def run_exec(file: str, options: ExecOptions, *, as_json: bool) -> int:
    """The exit code. Nothing runs before all input and every policy file was read."""
    responses = read(_source(file), options.wire)
    rules = rules_of(options.policies)
    if options.mode == "sandboxed":
        exits.told(SANDBOX_NOTE)
    return asyncio.run(_exec(responses, rules, options, as_json=as_json))


def _source(file: str) -> str:
    """The whole input as text. At a terminal the person who is to type it is told so. Raises UsageError for
    bytes that are no UTF-8, with where.
    """
    if file == "-" and sys.stdin.isatty():
        exits.told("reading the response from this terminal; end it with Ctrl-D, or name a file")
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise UsageError(f"{file} can't be read: {error.strerror}") from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        name = "the input" if file == "-" else file
        raise UsageError(f"{name} is not UTF-8: byte {error.start} is {data[error.start]:#04x}") from error


async def _exec(responses: Sequence[Response], rules: Sequence[Rule], options: ExecOptions, *, as_json: bool) -> int:
    parts = Parts(asker=asker_of_option(options.approve, options.workspace))
    waiting = False
    async with Session.open(
        options.workspace, mode=options.mode, rules=rules, model=options.model, added=options.added, parts=parts
    ) as session:
        for name in unknown_tools(rules, session.knows):
            exits.told(UNKNOWN_TOOL.format(name))
        async with _interruptible(session) as interrupted:
            for response in responses:
                turn = await session.run(response)
                _show(turn, options.workspace.absolute(), as_json=as_json)
                waiting = waiting or bool(turn.waiting)
    if interrupted.is_set():
        return exits.INTERRUPTED
    return exits.WAITING if waiting else exits.DONE


@asynccontextmanager
async def _interruptible(session: Session) -> AsyncIterator[asyncio.Event]:
    """Ctrl-C, SIGTERM and a terminal that goes away cancel every call: each has its result, no later one starts."""
    loop = asyncio.get_running_loop()
    interrupted = asyncio.Event()
    ending: list[asyncio.Task[None]] = []

    def interrupt(name: str) -> None:
        interrupted.set()
        ending.append(loop.create_task(session.end(Canceller("the person", f"interrupted with {name}"))))

    with suppress(NotImplementedError):  # Windows, untested here: Ctrl-C ends the program at once
        for number in INTERRUPTS:
            loop.add_signal_handler(number, interrupt, number.name)
    try:
        yield interrupted
    finally:
        with suppress(NotImplementedError):
            for number in INTERRUPTS:
                loop.remove_signal_handler(number)
        await asyncio.gather(*ending)


def _show(turn: Turn, root: Path, *, as_json: bool) -> None:
    if as_json:
        # All ASCII: valid wherever it goes, half characters from a model included.
        click.echo(json.dumps(turn_json(turn)))
    else:
        for line in turn_lines(turn, root, colour=wants_colour()):
            click.echo(line)
    if as_json and not turn.response.assistant and turn.response.text:
        exits.told(f"the provider answered with an error: {turn.response.text}")
    for call in turn.calls:
        if isinstance(call, AwaitingApproval):
            exits.told(f"{call.request.name} waits for approval {call.approval}")

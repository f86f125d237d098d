"""`handrail exec`: reads all input, then carries the responses out in order in one session."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from handrail.contract.calls import AwaitingApproval
from handrail.errors import UsageError, WireError
from handrail.runtime.parts import Parts
from handrail.runtime.turns import Turn
from handrail.session import Session
from handrail.settings.keys import APPROVE
from handrail.settings.load import Settings
from handrail.surfaces.cli import exits
from handrail.surfaces.cli.asking import Approve, asker_of_option
from handrail.surfaces.cli.exec_report import turn_json
from handrail.surfaces.cli.hints import in_that
from handrail.surfaces.cli.interrupting import ends, interruptible
from handrail.surfaces.cli.journals import shown_time
from handrail.surfaces.cli.own_output import OwnOutput, own_output
from handrail.surfaces.cli.policies import notes_on
from handrail.surfaces.cli.settings_here import settings_here, tell_of
from handrail.surfaces.cli.sources import SourceNotes
from handrail.surfaces.cli.text import printable
from handrail.surfaces.cli.turn_text import shown_name, turn_lines
from handrail.surfaces.cli.unasked import Unasked
from handrail.wire import Response, Wire, read


def run_exec(file: str, workspace: Path, wire: str | None, flags: Mapping[str, object], *, as_json: bool) -> int:
    """The exit code. `flags` gives settings as typed. Nothing runs before all input and every policy file was read."""
    responses = _responses(file, Wire(wire) if wire else None)
    settings = settings_here(workspace, flags)
    tell_of(settings)
    with own_output() as output:
        return asyncio.run(_exec(responses, settings, output, as_json=as_json))


def _responses(file: str, wire: Wire | None) -> Sequence[Response]:
    """Raises UsageError, which names the file."""
    text = _source(file)
    try:
        return read(text, wire)
    except WireError as error:
        raise UsageError(f"{'the input' if file == '-' else file}: {error}") from error


def _source(file: str) -> str:
    """The whole input as text. At a terminal the person who is to type it is told so. Raises UsageError for
    bytes that are no UTF-8, with where.
    """
    if file == "-" and sys.stdin.isatty():
        exits.told("reading the response from this terminal; end it with Ctrl-D, or name a file")
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        is_task = isinstance(error, FileNotFoundError) and " " in file
        more = "; a task in words is for 'handrail run'" if is_task else ""
        raise UsageError(f"{file} can't be read: {error.strerror}{more}") from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        name = "the input" if file == "-" else file
        raise UsageError(f"{name} is not UTF-8: byte {error.start} is {data[error.start]:#04x}") from error


async def _exec(responses: Sequence[Response], settings: Settings, output: OwnOutput, *, as_json: bool) -> int:
    unasked = Unasked(asker_of_option(Approve(settings[APPROVE]), settings.workspace))
    parts = Parts(asker=unasked.asker)
    turns: list[Turn] = []
    async with Session.open(settings.workspace, settings=settings, parts=parts) as session:
        for note in notes_on(settings.rules.rules, session.knows):
            exits.told(printable(note))
        SourceNotes(settings.problems).follow(session)
        async with interruptible(ends(session)) as interrupted:
            for response in responses:
                turns.append(await session.run(response))
                show_turn(turns[-1], settings.workspace, output, as_json=as_json)
        tell_survivors(session)
    if interrupted.is_set():
        return exits.INTERRUPTED
    if line := unasked.line():
        exits.told(line)
    return tell_how_to_go_on(session.id, turns, settings.workspace)


def tell_survivors(session: Session) -> None:
    """The jobs that end with the session."""
    for job in session.jobs():
        exits.told(f"{job.id} ({printable(job.name)}) still ran in the background, and is stopped")


def tell_how_to_go_on(session: str, turns: Sequence[Turn], workspace: Path) -> int:
    """The exit code of a session whose turns were printed; where any waits, what a person does next."""
    if not any(turn.waiting for turn in turns):
        return exits.DONE
    here = in_that(workspace)
    if any(turn.pending for turn in turns):
        exits.told(f"answer with 'handrail approvals approve ID{here}' or 'reject'; 'approvals show' tells more")
    exits.told(f"then go on with 'handrail sessions resume {session}{here}'")
    return exits.WAITING


def show_turn(turn: Turn, root: Path, output: OwnOutput, *, as_json: bool) -> None:
    if as_json:
        # All ASCII: valid wherever it goes, half characters from a model included.
        output.line(json.dumps(turn_json(turn)))
    else:
        for line in turn_lines(turn, root, colour=output.colour, columns=output.columns):
            output.line(line)
    if as_json and not turn.response.assistant and turn.response.text:
        exits.told(f"the provider answered with an error: {turn.response.text}")
    for call in turn.calls:
        if isinstance(call, AwaitingApproval):
            until = "" if call.expires_at is None else f", until {shown_time(call.expires_at)}"
            exits.told(f"{shown_name(call)} waits for approval {call.approval}{until}")

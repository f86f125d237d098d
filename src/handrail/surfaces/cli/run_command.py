"""`handrail run`: a model does one task with the tools here, and the command ends."""

from __future__ import annotations

import asyncio
import math
import sys
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path

import click

from handrail.agent.kept import check_keepable, last_conversation
from handrail.agent.limits import Limits
from handrail.contract.basics import SessionId
from handrail.errors import UsageError
from handrail.runtime.openings import how_opened
from handrail.settings.load import Settings
from handrail.surfaces.cli.journals import journal_of
from handrail.surfaces.cli.options import (
    CHOSEN,
    answered_by,
    in_mode,
    in_workspace,
    with_folders,
    with_policies,
    with_tools,
)
from handrail.surfaces.cli.run.task import Output, Task, carry_out
from handrail.surfaces.cli.settings_here import settings_here, tell_of
from handrail.surfaces.cli.taking_up import settings_as_left

_RESUME = "Go on with the conversation of that session; without an ID, of one that you choose."
_count = click.IntRange(min=1)
_MOST_BYTES = 20_000_000
"""Of a task on stdin: what it may be is found out once it is read."""


class _Amount(click.FloatRange):
    """More than nothing, and a number: no other number is less than nan, so as a limit it would be none."""

    def convert(self, value: float, parameter: click.Parameter | None, context: click.Context | None) -> float:
        amount = float(super().convert(value, parameter, context))
        if not math.isfinite(amount):
            self.fail(f"{value!r} is no amount; leave the option out for no limit.", parameter, context)
        return amount


_amount = _Amount(min=0, min_open=True)


def _with_limits(command: Callable[..., int]) -> Callable[..., int]:
    """Four options, which the command gets as `Limits`."""

    @click.option("--max-turns", "turns", type=_count, metavar="N", help="Responses of the model, at most.")
    @click.option("--max-tokens", "tokens", type=_count, metavar="N", help="Tokens read and written, at most.")
    @click.option("--max-money", "money", type=_amount, metavar="USD", help="US dollars, at most.")
    @click.option("--max-seconds", "seconds", type=_amount, metavar="S", help="Wall-clock time, at most.")
    @wraps(command)
    def limited(
        turns: int | None, tokens: int | None, money: float | None, seconds: float | None, **others: object
    ) -> int:
        return command(limits=Limits(turns or Limits().turns, tokens or 0, money or 0.0, seconds or 0.0), **others)

    return limited


@click.command("run")
@click.argument("task", default="", metavar="[TASK|-]")
@in_workspace
@with_folders
@click.option("--model", metavar="PROVIDER:NAME", help="The model that works.")
@in_mode
@with_policies
@with_tools
@answered_by
@_with_limits
@click.option("--resume", "session", is_flag=False, flag_value=CHOSEN, default="", metavar="[ID]", help=_RESUME)
@click.option("--continue", "last", is_flag=True, help="Go on with the last conversation in this workspace.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object at the end.")
@click.option("--stream-json", is_flag=True, help="One JSON object a line, as things happen.")
def run(
    task: str,
    workspace: Path,
    limits: Limits,
    session: str,
    last: bool,
    as_json: bool,
    stream_json: bool,
    **flags: object,
) -> int:
    """Have a model do one task with the tools here.

    What it says goes to stdout, its calls to stderr. '-' reads the task from stdin, and so does no TASK at all. With
    --resume or --continue and without a task, it goes on where it was left: once approvals were given, say.

    Exit codes: 0 done; 1 a fault of the runtime; 2 the command line or a file can't be used; 3 a call waits for an
    approval; 4 a limit or a hook ended it; 5 the model could not be reached, or its answer not be read; 130
    interrupted, after every call got its result.
    """
    named = _named(session, last, workspace)
    wanted = Task(_text(task, goes_on=bool(named)), limits, named)
    settings = _settings(workspace, named, flags)
    tell_of(settings)
    return asyncio.run(carry_out(wanted, settings, _output(as_json=as_json, stream_json=stream_json)))


def _text(task: str, *, goes_on: bool) -> str:
    """The task; empty where there is none and need be none. Raises UsageError."""
    if task not in ("", "-"):
        return _checked(task)
    if not task and (goes_on or sys.stdin.isatty()):
        if goes_on:
            return ""
        raise UsageError("there is no task: handrail run \"fix the failing test\", or '-' to read it from stdin")
    try:
        text = _from_stdin().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"the task is not UTF-8: byte {error.start}") from error
    return _checked(text.strip())


def _from_stdin() -> bytes:
    """No more than could ever be a task, however much comes. Raises UsageError."""
    read = sys.stdin.buffer.read(_MOST_BYTES + 1)
    if len(read) > _MOST_BYTES:
        raise UsageError("the task is too long: put it into a file, and say which file to read")
    return read


def _checked(task: str) -> str:
    """Raises UsageError."""
    if not task.strip():
        raise UsageError("the task is empty; say what is to be done")
    check_keepable(task)
    return task


def _named(session: str, last: bool, workspace: Path) -> SessionId | None:
    """The session to go on with. Raises UsageError."""
    if session and last:
        raise UsageError("--resume names a session, and --continue takes the last one: give one of them")
    if last:
        return last_conversation(journal_of(workspace))
    if session == CHOSEN:
        from handrail.surfaces.cli.choosing_session import chosen_session  # a person's choice is read by few runs

        return chosen_session(workspace)
    return SessionId(session) if session else None


def _settings(workspace: Path, named: SessionId | None, flags: Mapping[str, object]) -> Settings:
    if named is None:
        return settings_here(workspace, flags)
    return settings_as_left(workspace, how_opened(journal_of(workspace), named), flags)


def _output(*, as_json: bool, stream_json: bool) -> Output:
    """Raises UsageError."""
    if as_json and stream_json:
        raise UsageError("--json prints one object at the end, and --stream-json one for each event: give one of them")
    return Output.EVENTS if stream_json else Output.REPORT if as_json else Output.TEXT

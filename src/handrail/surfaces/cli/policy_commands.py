"""`handrail policy`: what would be decided about calls, and why. Nothing is run."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO

import click

from handrail.contract.basics import Json, JsonObject
from handrail.errors import UsageError
from handrail.policy import Grant, Mode
from handrail.settings.load import Settings
from handrail.surfaces.cli import exits
from handrail.surfaces.cli.explaining import explained
from handrail.surfaces.cli.grants_commands import grants_here
from handrail.surfaces.cli.judged import AskedCall, CallJudge, Judged
from handrail.surfaces.cli.options import in_workspace
from handrail.surfaces.cli.own_output import own_output
from handrail.surfaces.cli.policies import notes_on
from handrail.surfaces.cli.policy_lines import judged_json, judged_text, read_line
from handrail.surfaces.cli.settings_here import settings_here, tell_of
from handrail.surfaces.cli.text import printable
from handrail.surfaces.cli.typed import typed_object

_DIALECTS = {
    "gemini_policies": "policies in Gemini CLI's dialect are not read yet",
    "claude_settings": "permissions in Claude Code's settings are not read yet",
}

_file = click.Path(path_type=Path)
_in_mode = click.option("--mode", type=click.Choice([mode.value for mode in Mode]), help="How much runs unasked.")
_with_rules = click.option(
    "--policy", "policies", type=_file, multiple=True, metavar="FILE", help="Rules, in TOML; repeatable."
)
_headless = click.option("--headless", is_flag=True, help="With nobody to ask: what would be asked about is denied.")


@click.group("policy", no_args_is_help=False)
def policy() -> None:
    """Ask what would be decided about a call, and why. Nothing is run."""


@policy.command("check")
@click.argument("file", default="-", metavar="[FILE|-]")
@in_workspace
@_in_mode
@_with_rules
@_headless
@click.option("--gemini-policy", "gemini_policies", type=_file, multiple=True, metavar="FILE", help="Not read yet.")
@click.option("--claude-settings", "claude_settings", type=_file, multiple=True, metavar="FILE", help="Not read yet.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object for each call.")
def check(
    file: str,
    workspace: Path,
    mode: str | None,
    policies: Sequence[Path],
    headless: bool,
    as_json: bool,
    **dialects: Sequence[Path],
) -> int:
    """Decide about calls, one JSON object a line.

    Each is {"id", "tool", "arguments"}, and may have "mode", "server", "annotations" and "subagent". The decisions come
    in the same order; a line that is no call is denied. What people said yes to for good does not count here.

    Exit codes: 0 there is a decision for each line; 2 no line is a JSON object, or it can't be read.
    """
    for name, files in dialects.items():
        for given in files:
            exits.told(f"{given}: {_DIALECTS[name]}: no rule of it is in force")
    judge = _judge(_settings(workspace, mode, policies), headless=headless)
    others: set[bool] = set()
    with _opened(file) as lines, asyncio.Runner() as runner:
        for text in _texts(lines, file):
            line = read_line(text)
            others.add(line.is_other)
            judged = runner.run(judge.judge(line.call)) if line.call is not None else line.denied
            if as_json:
                click.echo(json.dumps(judged_json(line.id, judged)))
            else:
                click.echo(judged_text(line.id, line.call.tool if line.call is not None else "?", judged))
    if others == {True}:
        raise UsageError(f"{_named(file)} holds no calls: each is one JSON object, on a line of its own")
    return exits.DONE


@policy.command("explain", context_settings={"ignore_unknown_options": True})
@in_workspace
@_in_mode
@_with_rules
@_headless
@click.argument("tool")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[ARGUMENT]…")
def explain(
    workspace: Path, mode: str | None, policies: Sequence[Path], headless: bool, tool: str, arguments: Sequence[str]
) -> int:
    """Show why a call would be allowed, asked about or denied.

    Each part of a command, and the whole. What you said yes to for this project, or for good, counts. A tool of your
    own is loaded if it is trusted; no server is started.

    \b
    handrail policy explain shell 'cd src && git push'
    handrail policy explain write_file file_path=notes.txt content=hello
    handrail policy explain write_file '{"file_path": "notes.txt", "content": "hello"}'

    Exit codes: 0 it is explained; 2 there is no such tool, or it takes no such arguments.
    """
    settings = _settings(workspace, mode, policies)
    judge = _judge(settings, headless=headless, grants=grants_here(workspace))
    with own_output() as output:
        judged = asyncio.run(_judged(judge, settings, tool, arguments))
        for line in explained(tool, judged, colour=output.colour, columns=output.columns):
            output.line(line)
    return exits.DONE


def _settings(workspace: Path, mode: str | None, policies: Sequence[Path]) -> Settings:
    settings = settings_here(workspace, {"mode": mode, "policies": tuple(policies)})
    tell_of(settings)
    return settings


def _judge(settings: Settings, *, headless: bool, grants: tuple[Grant, ...] = ()) -> CallJudge:
    judge = CallJudge(settings, headless=headless, grants=grants)
    for note in notes_on(judge.policy().rules, judge.knows):
        exits.told(printable(note))
    return judge


async def _judged(judge: CallJudge, settings: Settings, tool: str, arguments: Sequence[str]) -> Judged:
    """A tool that is not built in is looked for where a session would find it."""
    if judge.registry.knows(tool):
        return await judge.judge(AskedCall(tool, _arguments(judge, tool, arguments)))
    from handrail.surfaces.cli.sources import (
        SourceNotes,
    )  # most calls are of built-in tools, and need no session's code
    from handrail.surfaces.cli.tools_elsewhere import files_loaded

    async with files_loaded(judge.registry, settings) as sources:
        notes = SourceNotes(settings.problems)
        for status in sources:
            notes.tell(status)
        call = judge.of_its_server(AskedCall(tool, _arguments(judge, tool, arguments)))
        if call.server:
            exits.told(
                printable(f"the server {call.server} is not started for this: whether it has {tool} is not known")
            )
        return await judge.judge(call)


def _opened(file: str) -> AbstractContextManager[IO[str]]:
    """The input, to be read line by line as UTF-8. Raises UsageError for a file that can't be opened."""
    try:
        return click.open_file(file, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{file} can't be read: {error.strerror}") from error


def _texts(lines: IO[str], file: str) -> Iterator[str]:
    """The lines that are not empty. Raises UsageError for what is no text."""
    try:
        yield from (text for text in lines if text.strip())
    except UnicodeDecodeError as error:
        raise UsageError(f"{_named(file)} is not UTF-8: {error.reason}") from error
    except OSError as error:
        raise UsageError(f"{file} can't be read: {error.strerror}") from error


def _named(file: str) -> str:
    return "the input" if file == "-" else file


def _arguments(judge: CallJudge, tool: str, given: Sequence[str]) -> JsonObject:
    """One JSON object, or NAME=VALUE for each parameter, or words for the only one that must be given."""
    only = judge.only_required(tool)
    if len(given) == 1 and given[0].lstrip().startswith("{"):
        try:
            return typed_object(given[0])
        except UsageError:
            if not only:
                raise
            return {only: given[0]}  # a group of commands, say
    names = judge.parameters(tool)
    pairs = [argument.partition("=") for argument in given]
    if given and all(equals and name in names for name, equals, _ in pairs):
        return {name: _value(value) for name, _, value in pairs}
    if given and only:
        return {only: " ".join(given)}
    if given and names:
        raise UsageError(f"{tool} takes {', '.join(names)}: give each as NAME=VALUE, or all as one JSON object")
    return {}


def _value(text: str) -> Json:
    """JSON where it is that and no text (`3`, `true`, `[…]`), else the text itself."""
    try:
        value: Json = json.loads(text)
    except ValueError:
        return text
    return text if isinstance(value, str) else value

"""Puts the subcommands together, and is the one place of this surface that ends with an exit code."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
from click.core import ParameterSource

from handrail import __version__
from handrail.errors import HandrailError, UsageError
from handrail.settings.places import NO_HOME
from handrail.surfaces.cli import exits
from handrail.surfaces.cli.debugging import Debugging, ask_to_see
from handrail.surfaces.cli.later import LazyGroup
from handrail.surfaces.cli.options import (
    CHOSEN,
    LAST,
    answered_by,
    in_mode,
    in_workspace,
    of_model,
    with_folders,
    with_policies,
    with_tools,
)


def run(arguments: Sequence[str]) -> int:
    """The exit code of one command line. Errors are lines on stderr that begin with `handrail: `."""
    _open_streams()
    debugging = Debugging()
    _tell_of_names()
    try:
        _check_folder()
        with debugging:
            code = handrail.main(list(arguments), prog_name="handrail", standalone_mode=False, obj=debugging)
    except click.ClickException as error:
        exits.told(_what_to_do(error))
        return exits.USAGE
    except click.Abort:
        return exits.INTERRUPTED
    except UsageError as error:
        exits.told(str(error))
        return exits.USAGE
    except _OutputGone:
        _discard_output()
        return exits.BROKEN_PIPE
    except OSError as error:
        _discard_output()
        what = "the output can't be written" if error.filename is None else f"{error.filename} can't be used"
        exits.told(f"{what}: {error.strerror}")
        return exits.FAULT
    except HandrailError as error:
        exits.told(str(error))
        return exits.FAULT
    except Exception as error:
        exits.told(f"a fault in Handrail itself: {type(error).__name__}: {error}; `handrail --debug …` shows where")
        return exits.FAULT
    return code if isinstance(code, int) else exits.DONE


def _what_to_do(error: click.ClickException) -> str:
    """What is wrong with the command line, and the help of the very command that it was for."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    command = context.command_path if context else "handrail"
    from handrail.surfaces.cli.called_elsewhere import with_name_here  # only where something is wrong

    return f"{with_name_here(error.format_message(), command)} Try '{command} --help'."


class _OutputGone(Exception):
    """Nobody reads the output any more. Of an OSError that says so click would make an exit code of its own."""


class _Root(LazyGroup):
    """All commands."""

    def invoke(self, ctx: click.Context) -> object:
        """Raises UsageError where nobody knows the home folder, in which what is the person's own is looked for."""
        if not os.path.isabs(os.path.expanduser("~")):
            raise UsageError(NO_HOME)
        try:
            done: object = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError as error:
            raise _OutputGone from error
        return done


def _check_folder() -> None:
    """Raises UsageError where the current folder was deleted: everything here is relative to it."""
    try:
        os.getcwd()
    except OSError as error:
        raise UsageError(
            f"the folder that you are in can't be used: {error.strerror}; go to one that exists"
        ) from error


def _tell_of_names() -> None:
    """Where names of files are not UTF-8 to Python, most of those that are not ASCII can't be looked at."""
    encoding = sys.getfilesystemencoding()
    if encoding != "utf-8":
        exits.told(
            f"file names are {encoding} in this environment: one with another character can't be used, and counts as "
            "outside the workspace; set LC_ALL=C.UTF-8, or take PYTHONUTF8=0 away"
        )


def _open_streams() -> None:
    """A stream that was closed by whoever started us reads as empty, and swallows what is written."""
    sys.stdin = sys.stdin or os.fdopen(os.open(os.devnull, os.O_RDONLY))
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A character that the terminal's encoding lacks must not cost the results.
            stream.reconfigure(errors="backslashreplace")


def _discard_output() -> None:
    """Nobody reads our output any more; the interpreter must not complain about it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


LATER: Mapping[str, str] = {
    "approvals": "handrail.surfaces.cli.approvals_commands:approvals",
    "audit": "handrail.surfaces.cli.audit_commands:audit",
    "completion": "handrail.surfaces.cli.completion_command:completion",
    "config": "handrail.surfaces.cli.config_commands:config",
    "doctor": "handrail.surfaces.cli.doctor_command:doctor",
    "grants": "handrail.surfaces.cli.grants_commands:grants",
    "init": "handrail.surfaces.cli.init_command:init",
    "mcp": "handrail.surfaces.cli.mcp_commands:mcp",
    "policy": "handrail.surfaces.cli.policy_commands:policy",
    "run": "handrail.surfaces.cli.run_command:run",
    "sessions": "handrail.surfaces.cli.sessions_commands:sessions",
    "trust": "handrail.surfaces.cli.trust_commands:trust",
}
"""Commands that are imported when they are called: name → `module:attribute`."""

_RESUME = "Go on with the conversation of that session; without an ID, of one that you choose."


@click.group(
    cls=_Root,
    later=LATER,
    invoke_without_command=True,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, message="handrail %(version)s")
@in_workspace
@click.option("--model", metavar="PROVIDER:NAME", help="The model that works.")
@in_mode
@with_tools
@click.option("--plain", is_flag=True, help="Nothing is coloured or drawn anew: for screen readers and dumb terminals.")
@click.option("--resume", "session", is_flag=False, flag_value=CHOSEN, default="", metavar="[ID]", help=_RESUME)
@click.option("--continue", "last", is_flag=True, help="Go on with the last conversation here.")
@click.option("--debug", is_flag=True, expose_value=False, is_eager=True, callback=ask_to_see, help="Show tracebacks.")
@click.pass_context
def handrail(context: click.Context, /, workspace: Path, plain: bool, session: str, last: bool, **flags: object) -> int:
    """A coding agent in this folder: every call of its model is governed. The commands below do the rest.

    Without a command, a model works with you in the terminal; /help there lists what can be typed.
    """
    if context.invoked_subcommand is not None:
        _check_no_options(context)
        return exits.DONE
    if session and last:
        raise UsageError("--resume names a session, and --continue takes the last one: give one of them")
    if session == CHOSEN:
        from handrail.surfaces.cli.choosing_session import chosen_session

        session = chosen_session(workspace)
    from handrail.surfaces.terminal.start import start

    return start(workspace, flags, LAST if last else session, plain=plain)


def _check_no_options(context: click.Context) -> None:
    """The options before a command are the terminal's; a command has its own, behind its name."""
    given = [name for name in context.params if context.get_parameter_source(name) is not ParameterSource.DEFAULT]
    if given:
        raise UsageError(f"options of '{context.invoked_subcommand}' stand behind its name, not before it")


_WIRES = ("anthropic", "openai-chat", "openai-responses", "gemini", "neutral")


@handrail.command("exec")
@click.argument("file", default="-", metavar="[FILE|-]")
@click.option("--wire", type=click.Choice(_WIRES), help="The input's wire format; found out when not given.")
@in_workspace
@with_folders
@in_mode
@with_policies
@with_tools
@of_model
@answered_by
@click.option("--json", "as_json", is_flag=True, help="One JSON object for each response.")
def exec_(file: str, workspace: Path, wire: str | None, as_json: bool, **flags: object) -> int:
    """Carry out the tool calls in a model's response. With --json, print what to append to the conversation.

    FILE holds a response of any of four providers, its stream events, or {"calls": […]}; '-' is stdin.
    What no option says, the settings say: see 'handrail config show'.

    Exit codes: 0 every call has its result; 1 the journal can't be opened, or the output not written;
    2 the input can't be read; 3 a call waits for an approval or for the client; 130 interrupted, after
    every call got its result.
    """
    from handrail.surfaces.cli.exec_command import run_exec

    return run_exec(file, workspace, wire, flags, as_json=as_json)


@handrail.command("tools")
@in_workspace
@click.option("--model", metavar="NAME", help="Show the names that this model's family knows.")
@in_mode
@with_policies
@with_tools
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.option("--explain", is_flag=True, help="Also each hidden tool, with the reason.")
@click.option("--all", "all_", is_flag=True, help="All known tools, with provider and server.")
@click.option("--start", is_flag=True, help="Start servers and commands, and ask them for their tools.")
def tools(workspace: Path, as_json: bool, explain: bool, all_: bool, start: bool, **flags: object) -> int:
    """Show the tools that a model would see. What no option says, the settings say.

    Tool files and packages that are trusted are loaded. Servers and commands are named, and not started without
    --start.
    """
    from handrail.surfaces.cli.tools_command import Wanted, run_tools

    return run_tools(workspace, flags, Wanted(as_json, explain, all_), start=start)


@handrail.command("demo")
@click.option("--plain", is_flag=True, help="No pauses, no colours, no questions.")
def demo(plain: bool) -> int:
    """Watch a scripted model repair a failing test. Every step but the model is real."""
    from handrail.surfaces.cli.demo_command import run_demo

    return run_demo(plain=plain)

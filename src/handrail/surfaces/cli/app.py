"""Puts the subcommands together, and is the one place of this surface that ends with an exit code."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from handrail import __version__
from handrail.errors import HandrailError, UsageError
from handrail.surfaces.cli import exits


def run(arguments: Sequence[str]) -> int:
    """The exit code of one command line. Errors are lines on stderr that begin with `handrail: `."""
    _open_streams()
    try:
        code = handrail.main(list(arguments), prog_name="handrail", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        exits.told(f"{error.format_message()} Try 'handrail --help'.")
        return exits.USAGE
    except click.Abort:
        return exits.INTERRUPTED
    except UsageError as error:
        exits.told(str(error))
        return exits.USAGE
    except BrokenPipeError:
        _discard_output()
        return exits.BROKEN_PIPE
    except OSError as error:
        _discard_output()
        exits.told(f"the output can't be written: {error.strerror}")
        return exits.FAULT
    except HandrailError as error:
        exits.told(str(error))
        return exits.FAULT
    except Exception as error:
        exits.told(f"a fault in Handrail itself: {type(error).__name__}: {error}")
        return exits.FAULT
    return code if isinstance(code, int) else exits.DONE


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


@click.group(no_args_is_help=False, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="handrail %(version)s")
def handrail() -> None:
    """The tool runtime for LLM agents: a model's tool calls go in, governed results come out."""


_MODES = ("plan", "default", "accept-edits", "sandboxed", "bypass")
_WIRES = ("anthropic", "openai-chat", "openai-responses", "gemini", "neutral")

_folder = click.Path(path_type=Path)


@handrail.command("exec")
@click.argument("file", default="-", metavar="[FILE|-]")
@click.option("--wire", type=click.Choice(_WIRES), help="The input's wire format; found out when not given.")
@click.option("-C", "workspace", type=_folder, default=Path("."), metavar="DIR", help="Workspace (default: here).")
@click.option("--add-dir", "added", type=_folder, multiple=True, metavar="DIR", help="A further folder to work in.")
@click.option("--mode", type=click.Choice(_MODES), default="default", show_default=True)
@click.option("--policy", "policies", type=_folder, multiple=True, metavar="FILE", help="Rules, in TOML; repeatable.")
@click.option("--model", default="", metavar="NAME", help="The model that answered.")
@click.option(
    "--approve",
    type=click.Choice(["ask", "all", "none", "wait"]),
    default="ask",
    show_default=True,
    help="Who answers what is asked: you at the terminal, yes to all, nobody, or somebody later.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object for each response.")
def exec_(file: str, as_json: bool, **options: object) -> int:
    """Carry out the tool calls in a model's response. With --json, print what to append to the conversation.

    FILE holds a response of any of four providers, its stream events, or {"calls": […]}; '-' is stdin.

    Exit codes: 0 every call has its result; 1 the journal can't be opened, or the output not written;
    2 the input can't be read; 3 a call waits for an approval or for the client; 130 interrupted, after
    every call got its result.
    """
    from handrail.surfaces.cli.exec_command import ExecOptions, run_exec

    return run_exec(file, ExecOptions.of(options), as_json=as_json)


@handrail.command("tools")
@click.option("--model", default="", metavar="NAME", help="Show the names that this model's family knows.")
@click.option("--mode", type=click.Choice(_MODES), default="default", show_default=True)
@click.option("--policy", "policies", type=_folder, multiple=True, metavar="FILE", help="Rules, in TOML; repeatable.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.option("--explain", is_flag=True, help="Also each hidden tool, with the reason.")
@click.option("--all", "all_", is_flag=True, help="All known tools, with provider and server.")
def tools(model: str, mode: str, policies: tuple[Path, ...], as_json: bool, explain: bool, all_: bool) -> int:
    """Show the tools that a model would see."""
    from handrail.surfaces.cli.tools_command import run_tools

    return run_tools(model, mode, policies, as_json=as_json, explain=explain, everything=all_)


@handrail.command("demo")
@click.option("--plain", is_flag=True, help="No pauses, no colours, no questions.")
def demo(plain: bool) -> int:
    """Watch a scripted model repair a failing test. Every step but the model is real."""
    from handrail.surfaces.cli.demo_command import run_demo

    return run_demo(plain=plain)

"""The result of a command that ended, or that goes on in the background. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from handrail.contract.basics import JobId, JsonObject
from handrail.contract.context import ToolNames
from handrail.contract.launching import Finished
from handrail.contract.results import CallFault, ErrorKind, TerminalDisplay, TextPart, ToolResult
from handrail.tools.shells.capture import Capture
from handrail.tools.shells.parameters import LONGEST_TIMEOUT, MOST_CHARACTERS, Params
from handrail.tools.shells.wording import exit_code_in_words, left_behind, signal_in_words, stopped_behind
from handrail.tools.text.printed import printed


def ended(params: Params, finished: Finished, capture: Capture, folder_note: str) -> ToolResult:
    """What it printed, how it ended where that was not well, and what else the model should know."""
    output = output_of(capture)
    fault = None
    endings: list[str] = []
    if finished.ending in ("timeout", "stopped"):
        fault = CallFault(ErrorKind.TIMEOUT, f"The command was stopped after {params.timeout} s, its time limit.")
        endings.append(
            f"{fault.message} Give it a longer timeout (up to {LONGEST_TIMEOUT} s), less to do, or background: true."
        )
    elif finished.signal is not None:
        endings.append(f"Signal: {signal_in_words(finished.signal)}")
    elif finished.exit_code:
        endings.append(f"Exit code: {exit_code_in_words(finished.exit_code)}")
    notes = [folder_note] if folder_note else []
    if fault is None and finished.stopped:
        notes.append(f"[{stopped_behind(finished)}. Use background: true for what should go on.]")
    if finished.left:
        notes.append(f"[{left_behind(finished)}.]")
    data: JsonObject = {
        "output": output,
        "notes": "\n".join(notes),
        "exit_code": finished.exit_code,
        "signal": finished.signal,
        "seconds": round(finished.seconds, 3),
        "pid": finished.pid,
    }
    display = TerminalDisplay(params.command, output, finished.exit_code)
    text = _lines(output, [*endings, *notes])
    return ToolResult((TextPart(text),), display=display, fault=fault, data=data)


def goes_on(params: Params, job: JobId, pid: int | None, capture: Capture, names: ToolNames) -> ToolResult:
    """What it printed so far, and how to hear more of it."""
    output = output_of(capture)
    process = f" (process {pid})" if pid is not None else ""
    moved = "" if params.background else f"After {params.timeout} s the command went on in the background. "
    where = f" All output goes to {capture.kept.path}." if capture.kept.path is not None else ""
    note = (
        f"[{moved}It runs as {job}{process}: {names.of('shell_output')} gives what it prints or waits for a line, "
        f"{names.of('shell_input')} types to it, {names.of('shell_stop')} ends it.{where}]"
    )
    data: JsonObject = {"output": output, "notes": note, "job": job, "pid": pid}
    display = TerminalDisplay(params.command, output, None)
    return ToolResult((TextPart(_lines(output, [note])),), display=display, data=data)


def output_of(capture: Capture) -> str:
    ends = capture.ends
    return printed(ends.head, ends.tail, ends.dropped, MOST_CHARACTERS, capture.kept.in_words)


def _lines(output: str, notes: Sequence[str]) -> str:
    return "\n".join([output.rstrip("\r\n") or "(no output)", *notes])

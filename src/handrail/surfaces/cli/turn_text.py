"""A carried-out turn for people: a line for each call, a block where there is more to see; secrets left out."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from handrail.contract.calls import AwaitingApproval, CallState, Rejected, SettledState
from handrail.contract.results import DiffDisplay, PatchDisplay, TerminalDisplay, TodoDisplay
from handrail.runtime.redacted_view import redactor_for
from handrail.runtime.reports import duration_ms, tool_name
from handrail.runtime.turns import Turn
from handrail.settings.redaction import Redactor
from handrail.surfaces.cli.exec_report import resting_state_name
from handrail.surfaces.cli.text import beside, bold, diff_lines, dim, printable, shown_path
from handrail.surfaces.cli.wrapping import wrapped

MAX_RESULT_LINES = 12
_MARKS = {"completed": "✓", "failed": "✗", "rejected": "⊘", "cancelled": "■", "interrupted": "?"}
_WAITING = "…"


def turn_lines(turn: Turn, root: Path, *, colour: bool, columns: int = 0) -> Iterator[str]:
    """`columns` as for `call_lines`."""
    redactor = Redactor(os.environ)
    if turn.response.text:
        yield redactor.text(printable(turn.response.text, keep_lines=True))
    if not turn.calls:
        yield dim("(no calls)" if turn.done else "(no calls; the model has paused and wants to go on)", colour=colour)
    for call in turn.calls:
        yield from call_lines(call, root, redactor, colour=colour, columns=columns)


def call_lines(call: CallState, root: Path, redactor: Redactor, *, colour: bool, columns: int = 0) -> Iterator[str]:
    """Paths in `root` are shown relative to it. Why it was decided as it was is broken where words end, to fit
    `columns`, 0 for as many as there are; what the call gave stays as it is."""
    knowing = redactor_for(call.invocation, redactor) if call.invocation else redactor
    # All lines at once, since a private key has several.
    yield from knowing.text("\n".join(_lines(call, root, knowing, colour=colour, columns=columns))).split("\n")


def _lines(call: CallState, root: Path, redactor: Redactor, *, colour: bool, columns: int) -> Iterator[str]:
    yield headline(call, colour=colour)
    decision = getattr(call, "decision", None)
    if decision is not None:
        why = f"  {decision.outcome} ({decision.source}): {printable(decision.reason)}"
        whole = redactor.text(why)  # a secret that is broken in two is not found
        yield from (dim(line, colour=colour) for line in wrapped(whole, columns))
    if isinstance(call, AwaitingApproval):
        yield f"  waits for approval {call.approval}"
    if isinstance(call, SettledState) and not isinstance(call, Rejected):  # why it was rejected stands above
        yield from (f"  {line}" for line in _result_lines(call, root, redactor, colour=colour))


def headline(call: CallState, *, colour: bool) -> str:
    """What was called, and what became of it. Secrets are in it yet."""
    state = resting_state_name(call)
    took = duration_ms(call)
    tail = f"  {state}" + (f", {took:.0f} ms" if took is not None else "")
    return f"{_MARKS.get(state, _WAITING)} {bold(_title(call), colour=colour)}{dim(tail, colour=colour)}"


def shown_name(call: CallState, sought: str = "") -> str:
    """The tool's own name, as rules and questions have it; as the model called it where there is no such tool.
    `sought` is what it is called until it is found."""
    return printable(tool_name(call) or sought or call.request.name)


def _title(call: CallState) -> str:
    described = beside(call.invocation.tool.name, call.invocation.describe()) if call.invocation else ""
    return f"{shown_name(call)}  {printable(described)}".strip()


def _result_lines(call: SettledState, root: Path, redactor: Redactor, *, colour: bool) -> Iterator[str]:
    match call.result.display:
        case DiffDisplay() as diff:
            yield from _diff(diff, root, redactor, colour=colour)
        case PatchDisplay(files=files):
            for diff in files:
                yield from _diff(diff, root, redactor, colour=colour)
        case TerminalDisplay(output=output, exit_code=exit_code):
            yield from _cut(output)
            if exit_code:
                yield f"exit code {exit_code}"
        case TodoDisplay(items=items):
            yield from (f"[{item.status}] {printable(item.text)}" for item in items)
        case _:
            yield from _cut(call.result.text)


def _diff(diff: DiffDisplay, root: Path, redactor: Redactor, *, colour: bool) -> Iterator[str]:
    """Secrets are taken out before the two are compared: a hunk may begin in the middle of a key."""
    old, new = (None if text is None else redactor.text(text) for text in (diff.old, diff.new))
    yield from diff_lines(shown_path(diff.path, root), old, new, colour=colour)


def _cut(text: str) -> Iterator[str]:
    if not text:
        return
    lines = printable(text, keep_lines=True).rstrip("\n").split("\n")
    yield from lines[:MAX_RESULT_LINES]
    if len(lines) > MAX_RESULT_LINES:
        yield f"… {len(lines) - MAX_RESULT_LINES} more lines"

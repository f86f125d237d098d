"""One call on the screen: a line while it is open, a line and what matters of its result once it has ended. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from handrail.contract.calls import (
    Approved,
    AwaitingApproval,
    CallState,
    Cancelled,
    Completed,
    Executing,
    Failed,
    Interrupted,
    Rejected,
    SettledState,
)
from handrail.contract.decision import FromPerson
from handrail.contract.line_diff import changes, split_lines
from handrail.contract.results import DiffDisplay, Display, PatchDisplay, TerminalDisplay, TodoDisplay, TodoItem
from handrail.runtime.redacted_view import redactor_for
from handrail.runtime.reports import duration_ms
from handrail.settings.redaction import Redactor
from handrail.surfaces.cli.text import Tint, beside, bold, diff_lines, dim, printable, shown_path, tinted
from handrail.surfaces.cli.turn_text import shown_name

WINDOW = 5
"""Lines of live output that are shown."""
UNFOLDED_WINDOW = 20
KEPT = 200
"""Lines of live output that are kept."""
LONGEST_LINE = 1_000
"""Characters of one line of live output that are kept: its end."""
MOST_DIFF = 12
"""Lines of a change that nobody was asked about; of one that was, the person saw all."""
MOST_FAULT = 3

_MARKS: dict[type, tuple[str, Tint, str]] = {
    Completed: ("✓", "green", "done"),
    Failed: ("✗", "red", "failed"),
    Rejected: ("⊘", "red", "rejected"),
    Cancelled: ("■", "yellow", "cancelled"),
    Interrupted: ("?", "red", "interrupted"),
}
_TODO_MARKS = {"pending": "·", "in_progress": "▸", "completed": "✓", "cancelled": "■", "blocked": "⊘"}


@dataclass
class ShownCall:
    """What is known of a call that has not ended."""

    state: CallState
    sought: str = ""
    """The name of the tool while it is looked for."""
    progress: str = ""
    printed: deque[str] = field(default_factory=lambda: deque([""], maxlen=KEPT))
    """Live output, the last line perhaps without its end."""
    made: int = 0
    """Calls of its own that have ended: a subagent's, say."""

    def print(self, text: str) -> None:
        for number, line in enumerate(text.split("\n")):
            if number:
                self.printed.append("")
            self.printed[-1] = (self.printed[-1] + line)[-LONGEST_LINE:]

    def output(self, most: int) -> list[str]:
        lines = [_last_drawn(line) for line in self.printed]
        if lines and not lines[-1]:
            lines.pop()
        return lines[-most:]


def _last_drawn(line: str) -> str:
    """What stands there after a program has drawn over its own line, as progress bars do."""
    return line.rstrip("\r").rpartition("\r")[2]


def open_line(call: ShownCall, now: float, redactor: Redactor, *, colour: bool) -> str:
    """`● 12 s  shell  pytest -q`: what it does first, since the end of the line may not fit."""
    state, title = call.state, title_of(call.state, redactor, call.sought)
    match state:
        case AwaitingApproval():
            return f"{tinted('?', 'yellow', colour=colour)} waits for you  {title}"
        case Executing(started_at=started):
            made = f"  {_calls(call.made)}" if call.made else ""
            progress = f"  {call.progress}" if call.progress else ""
            mark = tinted("●", "yellow", colour=colour)
            return f"{mark} {seconds(now - started)}  {title}{dim(made + progress, colour=colour)}"
        case Approved():
            return f"{dim('○ waits its turn', colour=colour)}  {title}"
        case _:
            return f"{dim('○', colour=colour)} {title}"


def window_lines(call: ShownCall, redactor: Redactor, *, unfolded: bool, colour: bool) -> list[str]:
    """The end of its live output. Secrets are taken out of all of it at once, since a private key has many lines."""
    lines = _knowing(call.state, redactor).text("\n".join(call.output(KEPT))).split("\n")
    shown = [line for line in lines if line or len(lines) > 1][-(UNFOLDED_WINDOW if unfolded else WINDOW) :]
    return [dim(f"  │ {printable(line.expandtabs(4))}", colour=colour) for line in shown]


def settled_lines(call: ShownCall, root: Path, redactor: Redactor, *, colour: bool, words: bool) -> list[str]:
    """For good. With `words`, how it ended is said in a word instead of a mark."""
    state = call.state
    if not isinstance(state, SettledState):
        return []
    knowing = _knowing(state, redactor)
    mark, tint, word = _MARKS[type(state)]
    took = seconds((duration_ms(state) or 0.0) / 1000)
    more = [took, *([_calls(call.made)] if call.made else []), *_counted(state.result.display)]
    mark = f"{word}:" if words else tinted(mark, tint, colour=colour)
    first = f"{mark} {title_of(state, knowing, colour=colour)}  {dim(', '.join(more), colour=colour)}"
    details = "\n".join(_details(state, root, knowing, colour=colour, words=words))
    return [first, *([f"  {line}" for line in knowing.text(details).split("\n")] if details else [])]


def _knowing(state: CallState, redactor: Redactor) -> Redactor:
    """One that also knows what the tool marks as secret."""
    return redactor_for(state.invocation, redactor) if state.invocation else redactor


def _calls(made: int) -> str:
    return "1 call" if made == 1 else f"{made} calls"


def title_of(state: CallState, redactor: Redactor, sought: str = "", *, colour: bool = False) -> str:
    """What was called, and what the call does, on one line."""
    bound = state.invocation
    described = "" if bound is None else beside(bound.tool.name, bound.describe())
    name = bold(shown_name(state, sought), colour=colour)
    return f"{name}  {_knowing(state, redactor).text(printable(described))}".rstrip()


def seconds(taken: float) -> str:
    """`0.3 s`, `12 s`, `3 min 20 s`."""
    if taken < 10:
        return f"{max(0.0, taken):.1f} s"
    minutes, rest = divmod(round(taken), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def todo_lines(items: tuple[TodoItem, ...], *, colour: bool, words: bool) -> list[str]:
    lines = []
    for item in items:
        mark = f"{item.status.replace('_', ' ')}:" if words else _TODO_MARKS[item.status]
        line = f"{mark} {printable(item.text)}"
        lines.append(bold(line, colour=colour) if item.status == "in_progress" else line)
    return lines


def _details(state: SettledState, root: Path, redactor: Redactor, *, colour: bool, words: bool) -> Iterator[str]:
    if state.fault is not None and not _is_of_person(state):
        yield from _fault(state.fault.message)
    match state.result.display:
        case DiffDisplay() | PatchDisplay() as change:
            if not _was_seen(state):
                yield from _changes(change, root, redactor, colour=colour)
        case TerminalDisplay(output=output, exit_code=code):
            if code:
                yield f"exit code {code}"
            printed = ShownCall(state)
            printed.print(output)
            yield from window_lines(printed, redactor, unfolded=False, colour=colour)
        case TodoDisplay(items=items):
            yield from todo_lines(items, colour=colour, words=words)
        case _:
            if state.fault is None and state.result.fault is not None:
                yield from _fault(state.result.fault.message)


def _fault(message: str) -> Iterator[str]:
    lines = printable(message, keep_lines=True).rstrip("\n").split("\n")
    yield from lines[:MOST_FAULT]
    if len(lines) > MOST_FAULT:
        yield f"… {len(lines) - MOST_FAULT} more lines"


def _is_of_person(state: SettledState) -> bool:
    """The person stopped it, or said no to it: they know."""
    return isinstance(state, Cancelled) or (isinstance(state, Rejected) and _was_seen(state))


def _was_seen(state: SettledState) -> bool:
    """A person looked at this very call, and answered."""
    return state.decision is not None and isinstance(state.decision.source, FromPerson)


def _changes(change: DiffDisplay | PatchDisplay, root: Path, redactor: Redactor, *, colour: bool) -> Iterator[str]:
    """Secrets are taken out before the two are compared: a hunk may begin in the middle of a key."""
    files = change.files if isinstance(change, PatchDisplay) else (change,)
    for diff in files:
        old, new = (None if text is None else redactor.text(text) for text in (diff.old, diff.new))
        lines = _hunks(diff_lines(shown_path(diff.path, root), old, new, colour=colour), named=len(files) > 1)
        yield from lines[:MOST_DIFF]
        if len(lines) > MOST_DIFF:
            yield f"… {len(lines) - MOST_DIFF} more lines of this diff"


def _hunks(lines: list[str], *, named: bool) -> list[str]:
    """Without the lines that name the file, where the call's own line does."""
    first = next((number for number, line in enumerate(lines) if "@@" in line), 0)
    return lines if named else lines[first:]


def _counted(display: Display | None) -> list[str]:
    """`+3 -1`: lines that came and went."""
    match display:
        case DiffDisplay():
            files: tuple[DiffDisplay, ...] = (display,)
        case PatchDisplay(files=files):
            pass
        case _:
            return []
    found = [each for diff in files for each in changes(split_lines(diff.old or ""), split_lines(diff.new or ""))]
    came = sum(each.new_end - each.new_start for each in found)
    went = sum(each.old_end - each.old_start for each in found)
    return [f"+{came} -{went}"]

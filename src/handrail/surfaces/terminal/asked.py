"""What is asked, in lines that stay in the scrollback; the keys that answer it are shown below them. Pure."""

from __future__ import annotations

from pathlib import Path

from handrail.contract.confirmation import ExecConfirmation, PlanConfirmation, QuestionConfirmation
from handrail.runtime.answers import QUESTIONS, kind_of
from handrail.surfaces.cli.confirming import shown_lines, titled
from handrail.surfaces.cli.text import bold, dim, printable, shown_path
from handrail.surfaces.cli.wrapping import wrapped
from handrail.surfaces.terminal.activity import Layout
from handrail.surfaces.terminal.dialog import Dialog
from handrail.surfaces.terminal.forms import field_lines


def asked_lines(dialog: Dialog, root: Path, layout: Layout, columns: int, *, colour: bool) -> list[str]:
    """Long sentences are broken where words end, to fit `columns`; commands and changes stay as they are.
    Everything in it that a model, a server or a file chose is made printable.
    """
    call, asked = dialog.call, dialog.call.confirmation
    if isinstance(asked, QuestionConfirmation) and kind_of(call) in QUESTIONS:
        return _question(asked, columns, colour=colour)
    if isinstance(asked, PlanConfirmation):
        where = dim(printable(f"(in {shown_path(asked.path, root)})"), colour=colour)
        return [bold(printable(asked.title), colour=colour), "", *layout(asked.plan), "", where]
    title = call.invocation.tool.name
    if not (isinstance(asked, ExecConfirmation) and asked.command == call.invocation.describe()):  # it stands below
        title = titled(title, call.invocation.describe())
    return shown_lines(title, asked, call.decision, (), root, colour=colour, columns=columns)


def _question(asked: QuestionConfirmation, columns: int, *, colour: bool) -> list[str]:
    """What may be chosen stands with the keys."""
    by = f" (asked by the server {asked.from_server})" if asked.from_server else ""
    lines = printable(asked.question, keep_lines=True).split("\n")
    fields = [] if asked.form is None else field_lines(asked.form)
    return [
        bold(printable(asked.title + by), colour=colour),
        *(part for line in lines for part in wrapped(f"  {line}", columns)),
        *(part for line in fields for part in wrapped(f"  {printable(line)}", columns)),
    ]

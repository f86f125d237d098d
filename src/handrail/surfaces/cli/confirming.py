"""A question about a call, in lines for a terminal: what would happen, and which rule asks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from handrail.contract.basics import JsonObject
from handrail.contract.calls import AwaitingApproval
from handrail.contract.confirmation import (
    Confirmation,
    EditConfirmation,
    ExecConfirmation,
    GrantOption,
    InfoConfirmation,
    McpConfirmation,
    PatchConfirmation,
    PlanConfirmation,
    QuestionConfirmation,
    SandboxConfirmation,
)
from handrail.contract.decision import Decision
from handrail.surfaces.cli.text import beside, bold, diff_lines, printable, shown_path, tinted
from handrail.surfaces.cli.wrapping import wrapped


def question_lines(call: AwaitingApproval, root: Path, *, colour: bool, columns: int = 0) -> list[str]:
    """Everything in it that a model or a file chose is made printable: no escape sequence gets through. `columns` as
    for `shown_lines`."""
    title = titled(call.invocation.tool.name, call.invocation.describe())
    return shown_lines(title, call.confirmation, call.decision, call.offers, root, colour=colour, columns=columns)


def titled(tool: str, described: str) -> str:
    """`edit_file: Edit tide.py`."""
    return ": ".join(part for part in (tool, beside(tool, described)) if part)


def shown_lines(
    title: str,
    confirmation: Confirmation,
    decision: Decision,
    offers: Sequence[GrantOption],
    root: Path,
    *,
    colour: bool,
    columns: int = 0,
) -> list[str]:
    """The same of a question that this process does not ask itself. Sentences are broken where words end, to fit
    `columns`, 0 for as many as there are; commands and changes stay as they are."""
    shown = _shown(confirmation, root, colour=colour, part=decision.part)
    if isinstance(confirmation, EditConfirmation | PatchConfirmation):
        shown.append("")
    elif not isinstance(confirmation, ExecConfirmation | SandboxConfirmation):
        shown = _broken(shown, columns)
    why = f"Why this is asked: {printable(decision.reason)} ({printable(str(decision.source))})"
    offered = [f"  always {number}: {printable(offer.label)}" for number, offer in enumerate(offers, start=1)]
    titles = _broken([printable(title)], columns)
    return [*(bold(line, colour=colour) for line in titles), *shown, *_broken([why, *offered], columns)]


def _broken(lines: Sequence[str], columns: int) -> list[str]:
    return [part for line in lines for part in wrapped(line, columns)]


def _shown(confirmation: Confirmation, root: Path, *, colour: bool, part: str = "") -> list[str]:
    """`part` is what the question is about, of a command that does more."""
    match confirmation:
        case EditConfirmation(path=path, old=old, new=new):
            return diff_lines(shown_path(path, root), old, new, colour=colour)
        case PatchConfirmation(files=files):
            return [line for file in files for line in _shown(file, root, colour=colour)]
        case ExecConfirmation(command=command):
            return _command(command, part, colour=colour)
        case InfoConfirmation(text=text, urls=urls):
            return _indented("\n".join([text, *urls]))
        case McpConfirmation(server=server, tool=tool, arguments=arguments):
            return _indented(f"{tool} on {server}: {json.dumps(arguments, ensure_ascii=False)}")
        case QuestionConfirmation(from_server=server):
            theirs = [f"The server {server} asks. These are its words:"] if server else []
            lines = [*theirs, confirmation.question, *_options(confirmation), *form_lines(confirmation.form)]
            return _indented("\n".join(lines))
        case PlanConfirmation(plan=plan, path=path, next_modes=modes):
            then = [f"Then go on in mode: {', or '.join(modes)}"] if modes else []
            return [*_indented(plan), *_indented("\n".join([f"(in {shown_path(path, root)})", *then]))]
        case SandboxConfirmation(command=command, reads=reads, writes=writes, network=network):
            more = [f"read {path}" for path in reads] + [f"write {path}" for path in writes]
            return _indented("\n".join([command, *more, *(["use the network"] if network else [])]))


def _command(command: str, part: str, *, colour: bool) -> list[str]:
    """The part stands in red and below, too: it may be written otherwise than in the command, or not be in it."""
    shown, marked = printable(command, keep_lines=True), printable(part, keep_lines=True)
    about = [f"  What is asked about: {printable(part)}"] if part.strip() not in ("", command.strip()) else []
    if about and "\n" not in marked:
        shown = shown.replace(marked, tinted(marked, "red", colour=colour))
    return [*(f"  $ {line}" for line in shown.split("\n")), *about]


def _options(asked: QuestionConfirmation) -> list[str]:
    meanings = (*asked.descriptions, *[""] * len(asked.options))
    named = zip(asked.options, meanings, strict=False)
    lines = [f"- {option}{f': {meaning}' if meaning else ''}" for option, meaning in named]
    return [*lines, *(["(several may be chosen: A, B)"] if asked.several else [])]


def form_lines(form: JsonObject | None) -> list[str]:
    """The parts of the object that is wanted, a line each."""
    properties = form.get("properties") if form is not None else None
    if form is None or not isinstance(properties, Mapping):
        return []
    needed = form.get("required")
    lines = []
    for name, part in properties.items():
        said = part if isinstance(part, Mapping) else {}
        choices = said.get("enum")
        kind = " or ".join(map(str, choices)) if isinstance(choices, list) else str(said.get("type", "anything"))
        must = ", needed" if isinstance(needed, list) and name in needed else ""
        about = said.get("description") or said.get("title")
        lines.append(f"- {name} ({kind}{must}){f': {about}' if about else ''}")
    return ["A JSON object is wanted, with:", *lines]


def _indented(text: str) -> list[str]:
    return [f"  {line}" for line in printable(text, keep_lines=True).split("\n")]

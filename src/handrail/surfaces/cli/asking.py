"""Who answers the questions of `handrail exec`: `--approve ask|all|none|wait`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path

from handrail.contract.calls import AwaitingApproval
from handrail.contract.confirmation import (
    Always,
    Answer,
    CancelCall,
    Confirmation,
    EditArguments,
    GrantOption,
    Once,
    PlanConfirmation,
    QuestionConfirmation,
    Reject,
    Reply,
)
from handrail.contract.ports import Asker, Unanswered
from handrail.errors import UsageError
from handrail.runtime.answers import ONLY_A_PERSON, QUESTIONS, kind_of
from handrail.runtime.askers import LeftOpen, Nobody
from handrail.runtime.edits import check_edit
from handrail.runtime.who import governed_by
from handrail.surfaces.cli.confirming import question_lines
from handrail.surfaces.cli.typed import typed_object
from handrail.surfaces.cli.wrapping import size_of

TERMINAL = "/dev/tty"
_GAP = "   "
"""Between two keys."""
_KEYS = "[y]es   [n]o, or 'n REASON'   [e]dit: 'e {JSON arguments}'   [c]ancel the call: "
_KEYS_WITH_OFFERS = "[y]es   [a]lways: 'a N'   [n]o, or 'n REASON'   [e]dit: 'e {JSON arguments}'   [c]ancel the call: "
_KEYS_FOR_A_PLAN = "[y]es, or 'y MODE'   [n]o, or 'n REASON'   [c]ancel the call: "
_KEYS_FOR_A_QUESTION = "[r]eply: 'r TEXT'   [n]o answer, or 'n REASON'   [c]ancel the call: "


class Approve(StrEnum):
    ASK = "ask"
    ALL = "all"
    NONE = "none"
    WAIT = "wait"


def asker_of_option(approve: Approve, workspace: Path) -> Asker:
    """Inside a governed call nobody answers: a model must not approve what it asked for."""
    if approve in (Approve.ASK, Approve.ALL) and governed_by(None):
        return Nobody()
    match approve:
        case Approve.ASK:
            return TerminalAsker(workspace.absolute())
        case Approve.ALL:
            return YesToAll()
        case Approve.NONE:
            return Nobody()
        case Approve.WAIT:
            return LeftOpen()


class YesToAll:
    """Approves what is asked, except what only a person who sees it may approve."""

    surface = "approve-all"

    async def answer(self, call: AwaitingApproval) -> Answer | Unanswered:
        only_a_person = call.decision.needs_person or kind_of(call) in ONLY_A_PERSON
        return Unanswered.NOBODY if only_a_person else Once()


class TerminalAsker:
    """Asks at the controlling terminal, one question at a time; nobody, where there is none."""

    surface = "terminal"

    def __init__(self, root: Path, path: str = TERMINAL) -> None:
        """`root` is the workspace, for paths to be shown relative to it; `path` the terminal."""
        self._root = root
        self._path = path
        self._turn = asyncio.Lock()

    async def answer(self, call: AwaitingApproval) -> Answer | Unanswered:
        async with self._turn:
            try:
                terminal = os.open(self._path, os.O_RDWR | os.O_NOCTTY)
            except OSError:
                return Unanswered.NOBODY
            try:
                return await _ask(terminal, call, self._root)
            finally:
                os.close(terminal)


async def _ask(terminal: int, call: AwaitingApproval, root: Path) -> Answer | Unanswered:
    discard_typeahead(terminal)
    columns = size_of(terminal).columns
    lines = question_lines(call, root, colour="NO_COLOR" not in os.environ, columns=columns)
    _write(terminal, "\n".join(["", *lines, ""]))
    keys = folded(_keys(call), columns)
    while True:
        _write(terminal, keys)
        line = await _line(terminal)
        if line is None:
            _write(terminal, "\n")
            return Unanswered.NOBODY
        answer = _fitting(_parsed(line, call), call)
        if isinstance(answer, str):
            _write(terminal, f"{answer}\n")
        else:
            return answer


def _fitting(answer: Answer | str, call: AwaitingApproval) -> Answer | str:
    """Other arguments must be such that the tool takes them; what is wrong is said, and asked again."""
    if isinstance(answer, EditArguments):
        tool = call.invocation.tool
        try:
            check_edit(tool.name, tool.parameters, answer.arguments)
        except UsageError as error:
            return _as_said(error)
    return answer


def folded(keys: str, columns: int) -> str:
    """Each key with what it does on one line, as many beside each other as fit."""
    first, *rest = keys.split(_GAP)
    lines = [first]
    for key in rest:
        if len(lines[-1]) + len(_GAP) + len(key) <= columns:
            lines[-1] += f"{_GAP}{key}"
        else:
            lines.append(key)
    return "\n".join(lines)


def _keys(call: AwaitingApproval) -> str:
    match kind_of(call):
        case "plan":
            return _KEYS_FOR_A_PLAN
        case kind if kind in QUESTIONS:
            return _KEYS_FOR_A_QUESTION
        case _:
            return _KEYS_WITH_OFFERS if call.offers else _KEYS


def _parsed(line: str, call: AwaitingApproval) -> Answer | str:
    match call.confirmation:
        case PlanConfirmation(next_modes=modes):
            return parsed_verdict(line, modes)
        case asked if kind_of(call) in QUESTIONS:
            return parsed_reply(line, asked)
        case _:
            return parsed(line, call.offers)


def parsed_verdict(line: str, next_modes: Sequence[str]) -> Answer | str:
    """An answer about a plan, or what is wrong with what was typed."""
    key, _, rest = line.strip().partition(" ")
    match key.lower():
        case "y" | "yes" if not rest.strip():
            return Once()
        case "y" | "yes":
            return Reply(rest.strip()) if rest.strip() in next_modes else _modes(next_modes)
        case "n" | "no":
            return Reject(rest.strip())
        case "c" | "cancel":
            return CancelCall()
        case _:
            return "Type y, n or c."


def _modes(next_modes: Sequence[str]) -> str:
    return f"The modes are {', '.join(next_modes)}." if next_modes else "There is no mode to choose: type y alone."


def parsed(line: str, offers: Sequence[GrantOption] = ()) -> Answer | str:
    """An answer about a call, or what is wrong with what was typed."""
    key, _, rest = line.strip().partition(" ")
    match key.lower():
        case "y" | "yes" if not rest.strip():
            return Once()
        case "y" | "yes":
            return "A yes stands alone: what else you type would be lost. To say how, answer 'n REASON'."
        case "a" | "always" if offers:
            number = int(rest) if rest.strip().isdecimal() else 0
            return Always(offers[number - 1]) if 0 < number <= len(offers) else f"Offers are 1 to {len(offers)}: a 1"
        case "n" | "no":
            return Reject(rest.strip())
        case "c" | "cancel":
            return CancelCall()
        case "e" | "edit":
            try:
                return EditArguments(typed_object(rest))
            except UsageError as error:
                return _as_said(error)
        case _:
            return "Type y, a and a number, n, e or c." if offers else "Type y, n, e or c."


def parsed_reply(line: str, asked: Confirmation) -> Answer | str:
    """An answer to a question, or what is wrong with what was typed."""
    key, _, text = line.strip().partition(" ")
    match key.lower():
        case "n" | "no":
            return Reject(text)
        case "c" | "cancel":
            return CancelCall()
        case "r" | "reply" if isinstance(asked, QuestionConfirmation) and asked.form is not None:
            try:
                return Reply(typed_object(text))
            except UsageError as error:
                return _as_said(error)
        case "r" | "reply":
            return Reply(text)
        case _:
            return "Type r and the reply, n or c."


def _as_said(error: UsageError) -> str:
    said = str(error)
    return f"{said[:1].upper()}{said[1:]}."


def discard_typeahead(terminal: int) -> None:
    """Keys typed before the question appeared never answer it."""
    try:
        import termios
    except ImportError:  # Windows: untested here, and there is no /dev/tty to open
        return
    try:
        termios.tcflush(terminal, termios.TCIFLUSH)
    except termios.error:
        return


def _write(terminal: int, text: str) -> None:
    data = text.encode("utf-8", "backslashreplace")
    while data:
        data = data[os.write(terminal, data) :]


async def _line(terminal: int) -> str | None:
    """One line, without blocking the loop; None at the end of input. Cancelling it leaves nothing behind."""
    loop = asyncio.get_running_loop()
    buffer = bytearray()
    while b"\n" not in buffer:
        await _until(lambda ready: loop.add_reader(terminal, ready), lambda: loop.remove_reader(terminal))
        piece = os.read(terminal, 4096)
        if not piece:
            return None
        buffer += piece
    return buffer.split(b"\n", 1)[0].decode("utf-8", "replace")


async def _until(watch: Callable[[Callable[[], object]], object], unwatch: Callable[[], object]) -> None:
    ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    watch(lambda: None if ready.done() else ready.set_result(None))
    try:
        await ready
    finally:
        unwatch()

"""The three ways in which `handrail run` shows what happens: text for people, one object, or a line for each event."""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Iterable
from typing import Protocol

import click

from handrail.agent.events import AgentEvent, Compacted, Finished, Reported, ResponseDone
from handrail.agent.model import TextArrived, Waiting
from handrail.agent.spent import Spent
from handrail.contract.basics import CallId, JsonObject
from handrail.contract.calls import AwaitingApproval, CallForm, CallState, Completed, Failed, Rejected, SettledState
from handrail.contract.decision import Decision
from handrail.contract.events import CallChanged, Event, NoticeGiven, TopicSet
from handrail.contract.results import TerminalDisplay, ToolResult
from handrail.policy.wording import shortened
from handrail.runtime.event_json import event_json
from handrail.runtime.redacted_view import redactor_for
from handrail.settings.redaction import Redactor
from handrail.surfaces.cli import exits
from handrail.surfaces.cli.flowing import Flowing
from handrail.surfaces.cli.journals import shown_time
from handrail.surfaces.cli.own_output import OwnOutput
from handrail.surfaces.cli.run.report import Began, agent_event_json, began_json, finished_json
from handrail.surfaces.cli.text import dim, printable
from handrail.surfaces.cli.turn_text import headline, shown_name

LAST_LINES = 5
"""Of a failing command's output."""


class View(Protocol):
    """Is told all that happens, in order."""

    def began(self, began: Began) -> None: ...

    def told(self, event: Event) -> None:
        """By the session."""
        ...

    def said(self, event: AgentEvent) -> None:
        """By the agent."""
        ...

    def finished(self, finished: Finished, spent: Spent) -> None: ...


class Lines:
    """A JSON object on a line of its own for each event; the last one is the report."""

    def __init__(self, own: OwnOutput, *, every: bool, leaves_open: bool) -> None:
        """Not `every`: the report alone. `leaves_open`: questions are for whoever answers later."""
        self._own = own
        self._every = every
        self._leaves_open = leaves_open
        self._began = Began("", "", "", "")
        self._calls: dict[CallId, CallState] = {}

    def began(self, began: Began) -> None:
        self._began = began
        if self._every:
            self._write(began_json(began))

    def told(self, event: Event) -> None:
        if isinstance(event, CallChanged):
            self._calls[event.state.request.id] = event.state
            if self._leaves_open:
                _tell_if_waiting(event.state)
        if self._every:
            self._write(event_json(event))

    def said(self, event: AgentEvent) -> None:
        line = agent_event_json(event)
        if self._every and line is not None:
            self._write(line)

    def finished(self, finished: Finished, spent: Spent) -> None:
        self._write(finished_json(self._began, finished, spent, self._calls.values()))

    def _write(self, report: JsonObject) -> None:
        """All ASCII: valid wherever it goes, half characters from a model included."""
        self._own.line(json.dumps(report))


class Text:
    """What the model says goes to stdout, line by line; its calls are lines on stderr."""

    def __init__(self, own: OwnOutput, *, leaves_open: bool) -> None:
        self._own = own
        self._colour = own.colour
        self._leaves_open = leaves_open
        self._redactor = Redactor(os.environ)
        self._flowing = Flowing(self._redactor)
        self._open = ""
        """The line that the model is writing. It is shown when it is whole: half a secret can't be told from a word."""

    def began(self, began: Began) -> None:
        self._beside(dim(f"{printable(began.model)} works in {printable(began.workspace)}", colour=self._colour))

    def told(self, event: Event) -> None:
        match event:
            case CallChanged(state):
                self._call(state)
            case NoticeGiven(_, message):
                self._beside(self._safe(message))
            case TopicSet(_, title):
                self._beside(f"# {self._safe(title)}")
            case _:
                pass

    def said(self, event: AgentEvent) -> None:
        match event:
            case TextArrived(text):
                *whole, self._open = (self._open + text).split("\n")
                for line in whole:
                    self._print(line)
            case ResponseDone():
                self._close_line()
            case Waiting(seconds, why):
                self._beside(f"waiting {seconds:.0f} s: {self._safe(why)}")
            case Compacted(before, after):
                self._beside(f"the conversation was made shorter: from {before:,} tokens to {after:,}")
            case Reported(agent, text):
                self._beside(f"the agent {self._safe(agent)} is done: {self._safe(text)}")
            case _:
                pass

    def finished(self, finished: Finished, spent: Spent) -> None:
        self._close_line()

    def _call(self, state: CallState) -> None:
        if self._leaves_open:
            _tell_if_waiting(state)
        if not isinstance(state, SettledState):
            return
        self._close_line()
        knowing = redactor_for(state.invocation, self._redactor) if state.invocation else self._redactor
        indent = "  " if state.request.parent is not None else ""
        self._beside(indent + knowing.text(headline(state, colour=self._colour)))
        for line in (_why(state), *_last_words(state, knowing)):
            if line:
                self._beside(indent + dim(f"  {knowing.text(printable(line))}", colour=self._colour))

    def _close_line(self) -> None:
        if self._open:
            self._print(self._open)
        self._open = ""

    def _print(self, line: str) -> None:
        shown = self._flowing.text(printable(line, keep_lines=True))
        if shown is not None:
            self._own.line(shown)

    def _safe(self, text: str) -> str:
        return self._redactor.text(printable(text))

    def _beside(self, line: str) -> None:
        with exits.heard_or_not():
            click.echo(line, err=True)


def _why(state: SettledState) -> str:
    """Why a call, or the command that it ran, did not do what it was to do, in a line for people."""
    match state:
        case Rejected(decision=Decision() as decision):
            return f"{decision.outcome} ({decision.source}): {decision.reason}"
        case Failed(fault=fault):
            return _in_a_line(fault.message)
        case Completed(result=ToolResult(display=TerminalDisplay(exit_code=int(code)))) if code:
            return f"exit code {code}"
        case _:
            return ""


def _last_words(state: SettledState, redactor: Redactor) -> Iterable[str]:
    """Of a command that failed: what it printed last mostly says why. Secrets are taken out of the whole, as one may
    be longer than a line."""
    match state:
        case Completed(result=ToolResult(display=TerminalDisplay(output=output, exit_code=int(code)))) if code:
            lines = (shortened(line) for line in redactor.text(output).splitlines())
            return deque(filter(None, lines), maxlen=LAST_LINES)
        case _:
            return ()


def _in_a_line(message: str) -> str:
    """Its first line; of one that announces a list, with the first thing of that."""
    first, *rest = message.split("\n")
    return f"{first} {rest[0].removeprefix('- ')}" if first.endswith(":") and rest else first


def _tell_if_waiting(state: CallState) -> None:
    if isinstance(state, AwaitingApproval):
        until = "" if state.expires_at is None else f", until {shown_time(state.expires_at)}"
        exits.told(f"{shown_name(state)} waits for approval {state.approval}{until}")
        if state.request.parent is not None and state.request.form is not CallForm.QUESTION:
            exits.told(
                f"the run goes on when that is answered in another terminal: handrail approvals approve "
                f"{state.approval}, or reject; what asks is an agent, whose work would end with the run"
            )

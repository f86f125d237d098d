"""What an agent does, as lines: events go in; out come lines that stand for good, and those that still change. Pure.

Two ears, one picture: `hear` takes what the agent tells of its model, `see` what the session tells of its calls. Both
give the lines to print for good; `live` gives those that are drawn anew below them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

from handrail.agent.events import AgentEvent, Compacted, Ended, Finished, Reported, ResponseDone, TurnEnded
from handrail.agent.model import CallBegun, TextArrived, ThinkingArrived, Waiting
from handrail.contract.basics import CallId
from handrail.contract.calls import CallForm, CallState, Executing, SettledState
from handrail.contract.events import (
    CallChanged,
    Event,
    NoticeGiven,
    OutputArrived,
    ProgressMade,
    SourceChanged,
    TopicSet,
)
from handrail.contract.results import TodoDisplay, TodoItem
from handrail.settings.redaction import Redactor
from handrail.surfaces.cli.flowing import Flowing
from handrail.surfaces.cli.text import bold, dim, printable
from handrail.surfaces.cli.wrapping import alert
from handrail.surfaces.terminal.call_lines import ShownCall, open_line, settled_lines, title_of, window_lines
from handrail.surfaces.terminal.prose import Prose, newest
from handrail.surfaces.terminal.sources import news_lines

Layout: TypeAlias = Callable[[str], list[str]]
"""Makes lines of Markdown, as wide as the screen is now."""

LATEST_CHILDREN = 3
"""Open calls of a subagent that are shown."""
_THOUGHT = 72
"""Characters of a thought that are shown."""


class Activity:
    """The picture of one conversation."""

    def __init__(
        self,
        root: Path,
        redactor: Redactor,
        layout: Layout,
        columns: Callable[[], int],
        *,
        colour: bool,
        words: bool,
    ) -> None:
        """`words` instead of marks, for people who listen. Paths in `root` are shown relative to it; `columns` is how
        wide the screen is now."""
        self._root = root
        self._redactor = redactor
        self._layout = layout
        self._columns = columns
        self._colour = colour
        self._words = words
        self._prose = Prose()
        self._flowing = Flowing(redactor)
        self._thought = ""
        self._status = ""
        self._calls: dict[CallId, ShownCall] = {}
        self._todos: tuple[TodoItem, ...] = ()
        self._settled: list[CallState] = []
        self._said = False
        """What was printed last is what the model said."""
        self.own_name: Callable[[str], str] = str
        """Gives the name by which people know the tool that the model calls by this one."""
        self.unfolded = False
        """More of the live output is shown."""

    @property
    def settled(self) -> tuple[CallState, ...]:
        """The calls that ended since the person last said something."""
        return tuple(self._settled)

    def begin(self) -> None:
        """The agent was told something, and works on it."""
        self._settled = []
        self._said = True
        self._status = "thinking"

    def hear(self, event: AgentEvent) -> list[str]:
        """Lines that stand for good."""
        match event:
            case TextArrived(text):
                self._status = ""
                return [*self._end_thought(), *self._laid_out(self._prose.add(text))]
            case ThinkingArrived(text):
                self._thought += text
                return []
            case CallBegun(name):
                self._status = f"writing a call of {printable(self.own_name(name))}"
                return self._end_text()
            case Waiting(seconds, why):
                self._status = f"trying again in {seconds:.0f} s: {printable(why)}"
                return []
            case ResponseDone():
                self._status = ""
                return self._end_text()
            case TurnEnded():
                self._status = "thinking"
                return []
            case Compacted(before, after):
                return self._note(f"The conversation was made shorter: {before:,} tokens are {after:,} now.")
            case Reported(agent, text):
                return self._note(f"{agent} reports: {text}")
            case Finished():
                return self._finish(event)

    def see(self, event: Event) -> list[str]:
        """Lines that stand for good."""
        match event:
            case CallChanged(state):
                return self._changed(state)
            case OutputArrived(call, text):
                if call in self._calls:
                    self._calls[call].print(text)
            case ProgressMade(call, fraction, message):
                if call in self._calls:
                    done = "" if fraction is None else f"{fraction:.0%} "
                    self._calls[call].progress = f"{done}{printable(self._redactor.text(message))}".strip()
            case NoticeGiven(message=message):
                return self._after_text(self._note(message))
            case TopicSet(title=title, intent=intent):
                said = f"  {dim(printable(self._redactor.text(intent)), colour=self._colour)}" if intent else ""
                return ["", f"{bold(f'# {printable(self._redactor.text(title))}', colour=self._colour)}{said}"]
            case SourceChanged(status):
                news = [part for line in news_lines(status) for part in self._note(line)]
                return self._after_text(news) if news else []
        return []

    def live(self, now: float, most: int) -> list[str]:
        """Lines as they are now, `most` at the most; the newest count."""
        lines = [*self._open_prose(), *self._open_calls(now), *self._todo_line()]
        if self._status and not any(_is_leaf(call.state) for call in self._calls.values()):
            lines.append(dim(f"… {self._status}", colour=self._colour))
        return lines[-most:]

    def _changed(self, state: CallState) -> list[str]:
        id, parent = state.request.id, self._calls.get(state.request.parent or CallId(""))
        shown = self._calls.setdefault(id, ShownCall(state, self.own_name(state.request.name)))
        shown.state = state
        if not isinstance(state, SettledState):
            begins = self._words and isinstance(state, Executing) and state.request.parent is None
            return self._after_text([f"running: {title_of(state, self._redactor)}"]) if begins else []
        del self._calls[id]
        if isinstance(state.result.display, TodoDisplay):
            self._todos = state.result.display.items
        if state.request.parent is not None:
            if parent is not None:
                parent.made += state.request.form is not CallForm.QUESTION
            return []
        self._settled.append(state)
        lines = settled_lines(shown, self._root, self._redactor, colour=self._colour, words=self._words)
        return self._after_text(lines)

    def _after_text(self, lines: list[str]) -> list[str]:
        """An empty line stands between what the model says and what it does."""
        said, self._said = self._said, False
        return ["", *lines] if said else lines

    def _finish(self, event: Finished) -> list[str]:
        self._status = ""
        lines = self._end_text()
        if event.ended is Ended.INTERRUPTED:
            return [*lines, *self._note("Interrupted.")]
        if event.ended is not Ended.DONE:
            return [*lines, *self._note(f"Stopped ({event.ended.value}). {event.why}".rstrip())]
        return lines

    def _note(self, message: str) -> list[str]:
        return alert(self._redactor.text(message), self._columns(), colour=self._colour)

    def _end_text(self) -> list[str]:
        return [*self._end_thought(), *self._laid_out(self._prose.end())]

    def _end_thought(self) -> list[str]:
        thought, self._thought = self._thought.strip(), ""
        return [dim(f"(thought: {self._short(thought)})", colour=self._colour)] if thought else []

    def _laid_out(self, blocks: list[str]) -> list[str]:
        """Each block with an empty line before it."""
        self._said = self._said or bool(blocks)
        shown = filter(None, map(self._flowing.text, blocks))
        return [line for block in shown for line in ("", *self._layout(block))]

    def _short(self, text: str) -> str:
        line = printable(" ".join(self._redactor.text(text).split()))
        return line if len(line) <= _THOUGHT else f"{line[:_THOUGHT]}…"

    def _open_prose(self) -> Iterator[str]:
        if self._thought:
            tail = printable(" ".join(self._redactor.text(self._thought).split()))
            yield dim(f"(thinking: {'…' * (len(tail) > _THOUGHT)}{tail[-_THOUGHT:]})", colour=self._colour)
        if shown := self._flowing.ahead(self._prose.open):
            yield from ("", *self._layout(newest(shown)))

    def _open_calls(self, now: float) -> Iterator[str]:
        for call in self._calls.values():
            if call.state.request.parent not in self._calls:
                yield from self._open_call(call, now)
                children = [child for child in self._calls.values() if _made_by(child, call)]
                for child in children[-LATEST_CHILDREN:]:
                    yield from (f"    {line}" for line in self._open_call(child, now))

    def _open_call(self, call: ShownCall, now: float) -> Iterator[str]:
        yield open_line(call, now, self._redactor, colour=self._colour)
        yield from window_lines(call, self._redactor, unfolded=self.unfolded, colour=self._colour)

    def _todo_line(self) -> Iterator[str]:
        """How far the todos are, and the one that is being done."""
        done = sum(item.status in ("completed", "cancelled") for item in self._todos)
        if self._status and done < len(self._todos):
            now = next((item.text for item in self._todos if item.status == "in_progress"), "")
            said = f"todos {done} of {len(self._todos)}{': ' if now else ''}{printable(now)}"
            yield dim(said, colour=self._colour)


def _made_by(child: ShownCall, call: ShownCall) -> bool:
    """A question is not shown below who asks it: it has its own place."""
    request = child.state.request
    return request.parent == call.state.request.id and request.form is not CallForm.QUESTION


def _is_leaf(state: CallState) -> bool:
    return state.request.form is not CallForm.QUESTION

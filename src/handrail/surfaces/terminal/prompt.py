"""The terminal's comfortable skin: a prompt below the scrollback, and above it what changes.

What stands for good is printed above the prompt, just before the next drawing, so that it is never seen without it.
"""

from __future__ import annotations

import asyncio
import os
import select
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from prompt_toolkit.application import Application, in_terminal
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.document import Document
from prompt_toolkit.input import Input, create_input
from prompt_toolkit.layout.layout import Layout
from prompt_toolkit.output import ColorDepth, Output

from handrail.errors import UsageError
from handrail.surfaces.terminal.editor import edited
from handrail.surfaces.terminal.history import PromptHistory
from handrail.surfaces.terminal.host import Host
from handrail.surfaces.terminal.keys import bindings
from handrail.surfaces.terminal.layout import STYLE, choices_of, layout_of, room_for_live, shown_choices
from handrail.surfaces.terminal.output import inline_output
from handrail.surfaces.terminal.pastes import Pastes
from handrail.surfaces.terminal.steps import AS_JSON, Result, Stop, Toggled, Wants
from handrail.surfaces.terminal.twice import Twice

if TYPE_CHECKING:
    from handrail.surfaces.terminal.dialog import Dialog

CALM = 0.4
"""Seconds without a key until a question that has appeared takes keys: what was typed before is no answer to it."""
REDRAW = 0.05
"""Seconds between two drawings at the least."""
TICK = 0.5
"""Seconds between two drawings while the agent works and time passes."""
ESCAPE = 0.05
"""Seconds within which a terminal sends the rest of a key that begins with Escape."""
_PIECE = 65_536


class Prompt:
    """Draws, and takes keys. `run` ends when the person leaves."""

    words, echoes = False, True

    def __init__(self, host: Host, history: Path, *, colour: bool) -> None:
        """`history` is the folder that what was typed is kept in."""
        self.host = host
        self.colour = colour
        self.pastes = Pastes()
        self.draft = Buffer(multiline=True, history=PromptHistory(history))
        self.typed = Buffer(multiline=True)
        """What is typed to answer a question."""
        self.wants: Wants | None = None
        self.problem = ""
        """What is wrong with what was typed."""
        self.asked: Dialog | None = None
        """The question on the screen."""
        self.takes_keys = False
        """Nobody has typed for a while: the next key is meant for the question."""
        self.choices = choices_of(self)
        self._lines: list[str] = []
        self._live: tuple[int, list[str]] = (-1, [])
        self._last_key = 0.0
        self._interrupts = Twice()
        self._left = False
        self._in_editor = False
        """What is typed is the editor's, and nothing that is printed is seen."""
        self._editing: asyncio.Task[None] | None = None
        self._input: Input = create_input()
        self._output: Output = inline_output()
        depth = ColorDepth.DEPTH_4_BIT if colour else ColorDepth.DEPTH_1_BIT
        self.app: Application[None] = Application(
            layout=Layout(layout_of(self), focused_element=self.draft),
            key_bindings=bindings(self),
            style=STYLE,
            color_depth=depth,
            erase_when_done=True,
            min_redraw_interval=REDRAW,
            input=self._input,
            output=self._output,
            before_render=lambda _: self._print_lines(),
        )
        self.app.ttimeoutlen = ESCAPE
        self.app.timeoutlen = CALM
        self.app.key_processor.before_key_press += lambda _: self._note_key()

    @property
    def live(self) -> list[str]:
        """The lines of this drawing: what lays them out asks more than once."""
        drawing = self.app.render_counter
        if self._live[0] != drawing:
            self._live = (drawing, self.host.live(room_for_live(self)))
        return self._live[1]

    @property
    def columns(self) -> int:
        return self._output.get_size().columns

    @property
    def rows(self) -> int:
        return self._output.get_size().rows

    def print(self, lines: Sequence[str]) -> None:
        """Above the prompt, for good."""
        self._lines += lines
        if self._left:
            self._write()
        else:
            self.app.invalidate()

    def changed(self) -> None:
        """Something is to be drawn anew; perhaps there is a question, or none any more."""
        asked = self.host.question()
        if asked is not self.asked and self.asked is not None:
            self._show_question(None)
        if asked is not None and self.asked is None:
            # Of several that come at once the first is meant, and they do not come in the order of their calls.
            asyncio.get_running_loop().call_later(REDRAW, lambda: self._show_question(self.host.question()))
        self.app.invalidate()

    async def run(self) -> None:
        self._take_what_was_sent()
        ticking = asyncio.create_task(self._tick())
        try:
            await self.app.run_async(handle_sigint=False, set_exception_handler=False)
        finally:
            ticking.cancel()
            self._left = True
            self._write()

    def leave(self) -> None:
        if self._editing is not None:
            self._editing.cancel()  # the application would wait for the editor
        if self.app.is_running and not self.app.is_done:
            self.app.exit()

    def interrupt(self) -> None:
        """Once stops what the agent is at, or throws away what is being typed; twice leaves."""
        if self._interrupts.is_again():
            self.leave()
        elif self.host.interrupt():
            self.take_back()
        else:
            self.draft.reset()

    def escape(self) -> None:
        """Drops what was queued last; the arrow keys still have it. Else interrupts, unless something is typed."""
        if not self.host.take_back(1) and not self.draft.text:
            self.host.interrupt()

    def take_back(self) -> None:
        """What was queued is there to be edited, before what is being typed."""
        taken = self.host.take_back(len(self.host.queued))
        if taken:
            text = "\n".join(filter(None, (*taken, self.draft.text)))
            self.draft.document = Document(text, len(text))

    @property
    def hint(self) -> str:
        return "Ctrl-C again leaves" if self._interrupts.is_fresh else ""

    def press(self, key: str) -> None:
        """A key for the question."""
        if self.asked is None or all(choice.key != key for choice in shown_choices(self)):
            return
        match self.asked.press(key):
            case None | Toggled():
                pass
            case Wants() as wants:
                self.begin_typing(wants)
            case result:
                self.host.answer(self.asked, result)
                if isinstance(result, Stop):
                    self.take_back()

    def begin_typing(self, wants: Wants) -> None:
        if self.asked is not None:
            self.wants, self.problem = wants, ""
            self.typed.text = self.asked.prefilled(wants)
            self.typed.cursor_position = _beginning(self.typed.text)
            self.show_focus()

    def stop_typing(self) -> None:
        """Back to the keys."""
        self.wants, self.problem = None, ""
        self.show_focus()

    def answer_typed(self) -> None:
        if self.asked is None or self.wants is None:
            return
        try:
            result: Result = self.asked.typed(self.wants, self.pastes.whole(self.typed.text))
        except UsageError as error:
            self.problem = str(error)
        else:
            self.host.answer(self.asked, result)

    def open_editor(self) -> None:
        """For what is being typed."""
        asked, wants = self.asked, self.wants
        if asked is None:
            self._editing = self.app.create_background_task(self._edit(self.draft, ".md"))
        elif wants is not None:
            suffix = ".json" if wants in AS_JSON else ".txt"
            self._editing = self.app.create_background_task(self._edit(self.typed, suffix))

    def submit(self) -> None:
        text = self.draft.text
        if text.strip():
            self.draft.append_to_history()
            self.draft.reset()
            self.problem = ""
            self.host.submit(text)

    def show_focus(self) -> None:
        if self.asked is not None and self.takes_keys:
            self.app.layout.focus(self.typed if self.wants is not None else self.choices)
        else:
            self.app.layout.focus(self.draft)

    async def _edit(self, buffer: Buffer, suffix: str) -> None:
        """What stands for a paste is written out. A question that is gone by then is not answered any more."""
        asked, self._in_editor = self.asked, True
        try:
            async with in_terminal():
                try:
                    text, problem = await edited(self.pastes.whole(buffer.text), suffix, os.environ), ""
                except UsageError as error:
                    text, problem = None, str(error)
        finally:
            self._in_editor = False
            self._note_key()
        if buffer is self.typed and asked is not self.asked:
            return
        if text is not None:
            buffer.document = Document(text, _beginning(text))
        self.problem = problem
        self.app.invalidate()

    def _take_what_was_sent(self) -> None:
        """Lines typed before there was a prompt. The terminal kept them until their Enter came, and made a line's end
        of it that the prompt would take for a new line of what is being typed."""
        sent = bytearray()
        while self._has_input() and (piece := os.read(self._input.fileno(), _PIECE)):
            sent += piece
        text = sent.decode("utf-8", "replace").strip()
        if text:
            self.host.submit(text)

    def _show_question(self, asked: Dialog | None) -> None:
        if asked is self.asked:
            return
        self.asked, self.takes_keys, self.wants, self.problem = asked, False, None, ""
        if asked is not None:
            self.print(["", *self.host.question_lines(asked), ""])
            self._note_key()
            self._take_keys_when_calm(asked)
        self.show_focus()

    def _take_keys_when_calm(self, asked: Dialog) -> None:
        left = self._last_key + CALM - time.monotonic()
        if self.asked is not asked:
            return
        if left > 0 or self._in_editor or self._has_input():
            asyncio.get_running_loop().call_later(max(left, REDRAW), self._take_keys_when_calm, asked)
            return
        self.takes_keys = True
        if asked.starts_with is not None:
            self.begin_typing(asked.starts_with)
        self.show_focus()
        self.app.invalidate()

    def _note_key(self) -> None:
        self._last_key = time.monotonic()

    def _has_input(self) -> bool:
        """Keys that came and were not looked at yet."""
        return bool(select.select([self._input.fileno()], [], [], 0)[0])

    async def _tick(self) -> None:
        """While time is to be seen to pass."""
        while True:
            shown = self.host.busy or self.hint
            await asyncio.sleep(TICK)
            if shown:
                self.app.invalidate()

    def _print_lines(self) -> None:
        if self._lines:
            self.app.renderer.erase()
            self._write()

    def _write(self) -> None:
        lines, self._lines = self._lines, []
        self._output.write_raw("".join(f"{line}\r\n" for line in lines))
        self._output.flush()


def _beginning(text: str) -> int:
    """Where the cursor stands in what is there to be edited: before several lines, behind one."""
    return 0 if "\n" in text else len(text)

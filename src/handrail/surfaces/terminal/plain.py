"""The terminal's plain skin: lines come, lines are typed, and nothing that was printed ever changes."""

from __future__ import annotations

import asyncio
import json
import os
import select
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from handrail.contract.confirmation import Answer
from handrail.errors import UsageError
from handrail.surfaces.cli.asking import discard_typeahead
from handrail.surfaces.cli.wrapping import size_of
from handrail.surfaces.terminal.host import Host
from handrail.surfaces.terminal.pastes import Pastes
from handrail.surfaces.terminal.status import status_line
from handrail.surfaces.terminal.steps import Stop, Toggled, Wants
from handrail.surfaces.terminal.twice import Twice

if TYPE_CHECKING:
    from handrail.surfaces.terminal.dialog import Dialog

TOGETHER = 0.05
"""Seconds within which the lines of one paste follow each other."""
_WIDE = 200
_PIECE = 65_536


class Plain:
    """While the agent works nothing is read; what was typed then is dropped when a question appears."""

    colour, words, echoes = False, True, False

    def __init__(self, host: Host) -> None:
        self._host = host
        self.pastes = Pastes()
        """None are made here: what is pasted stands there whole."""
        self._prompt = ""
        """What stands before that which is being typed."""
        self._left = False
        self._awake = asyncio.Event()
        self._interrupts = Twice()
        self._terminal = sys.stdin.fileno()

    @property
    def columns(self) -> int:
        return size_of(self._terminal).columns

    def print(self, lines: Sequence[str]) -> None:
        """What comes while a person is to type stands on lines of its own, and they are asked to type again."""
        if lines:
            text = "".join(f"{line}\n" for line in lines)
            sys.stdout.write(f"\n{text}{self._prompt}" if self._prompt else text)
            sys.stdout.flush()

    def changed(self) -> None:
        self._awake.set()

    def leave(self) -> None:
        self._left = True
        self._awake.set()

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        with suppress(NotImplementedError):
            loop.add_signal_handler(signal.SIGINT, self._interrupt)
        try:
            while not self._left:
                dialog = self._host.question()
                if dialog is not None:
                    await self._ask(dialog)
                elif self._host.busy:
                    await self._change()
                else:
                    await self._take_message()
        finally:
            with suppress(NotImplementedError):
                loop.remove_signal_handler(signal.SIGINT)

    def _interrupt(self) -> None:
        if self._interrupts.is_again():
            self.leave()
        elif not self._host.interrupt():
            self.print(["", "Ctrl-C again leaves; so does Ctrl-D."])
        self._awake.set()

    async def _take_message(self) -> None:
        self.print(["", f"[{status_line(self._host.status(), _WIDE)}]"])
        text = await self._typed("> ", lambda: self._host.question() is not None, together=True)
        if text is not None and text.strip():
            self._host.submit(text)

    async def _ask(self, dialog: Dialog) -> None:
        discard_typeahead(self._terminal)
        self.print(["", *self._host.question_lines(dialog)])
        wants = dialog.starts_with
        while not self._left and self._host.question() is dialog:
            answer = await (self._choose(dialog) if wants is None else self._fill(dialog, wants))
            wants = answer if isinstance(answer, Wants) else None
            if answer is not None and not isinstance(answer, Wants):
                self._host.answer(dialog, answer)

    async def _choose(self, dialog: Dialog) -> Answer | Stop | Wants | None:
        self.print([f"  {choice.key}  {choice.label}" for choice in dialog.choices])
        keys = "/".join(choice.key for choice in dialog.choices)
        line = await self._typed(f"{keys}: ", lambda: self._host.question() is not dialog)
        step = None if line is None else dialog.press(line.strip().lower())
        if line is not None and step is None:
            self.print([f"Type one of {keys}, and Enter."])
        return None if isinstance(step, Toggled) else step

    async def _fill(self, dialog: Dialog, wants: Wants) -> Answer | None:
        before = dialog.prefilled(wants)
        if before:
            self.print(["As it is now:", json.dumps(json.loads(before), ensure_ascii=False)])
        line = await self._typed(f"{wants.value}: ", lambda: self._host.question() is not dialog)
        if line is None:
            return None
        try:
            return dialog.typed(wants, line)
        except UsageError as error:
            self.print([str(error)])
            return None

    async def _change(self) -> None:
        self._awake.clear()
        await self._awake.wait()

    async def _typed(self, prompt: str, over: Callable[[], bool], *, together: bool = False) -> str | None:
        """A line, or with `together` all lines that come at once; None when it is `over`, or the person leaves."""
        sys.stdout.write(prompt)
        sys.stdout.flush()
        self._prompt = prompt
        loop, typed = asyncio.get_running_loop(), bytearray()
        loop.add_reader(self._terminal, self._awake.set)
        try:
            while not typed.endswith(b"\n") or (together and await self._is_more(TOGETHER)):
                if not await self._is_more(None, over):
                    return None
                piece = os.read(self._terminal, _PIECE)
                if not piece:
                    self.leave()
                    return None
                typed += piece
            return typed.decode("utf-8", "replace").removesuffix("\n")
        finally:
            self._prompt = ""
            loop.remove_reader(self._terminal)

    async def _is_more(self, within: float | None, over: Callable[[], bool] = lambda: False) -> bool:
        """Whether something can be read. Waits `within` seconds for it; None: until it is `over`."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                while not select.select([self._terminal], [], [], 0)[0]:
                    if self._left or over():
                        return False
                    await self._change()
                return True
        return False

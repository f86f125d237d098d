"""The console of a command in the background: what is new of its output, and its stdin."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from handrail.contract.jobs import Fresh
from handrail.contract.launching import Finished
from handrail.contract.spill import Kept
from handrail.errors import HandrailError
from handrail.sandbox.kept_output import KeptOutput
from handrail.tools.shells.capture import Capture
from handrail.tools.shells.command import Command
from handrail.tools.shells.scanning import Scanner
from handrail.tools.shells.wording import ending_in_words

HELD = 200_000
"""Bytes of new output that are held for whoever looks next: its start and its end."""


class ShellConsole:
    """Implements `contract.jobs.Console`."""

    def __init__(self, capture: Capture) -> None:
        self.capture = capture
        self._fresh = KeptOutput(HELD)
        self._scanners: set[Scanner] = set()
        self._command: Command | None = None
        self._loop = asyncio.get_running_loop()
        self._since = self._loop.time()
        self._how = ""

    def belongs_to(self, command: Command) -> None:
        self._command = command

    def feed(self, piece: bytes) -> None:
        self.capture.feed(piece)
        self._fresh.add(piece)
        for scanner in self._scanners:
            scanner.feed(piece)

    @property
    def status(self) -> str:
        if self._how:
            return self._how
        child = self._command.child if self._command is not None else None
        process = f", process {child.pid}" if child is not None else ""
        return f"running for {self._loop.time() - self._since:.0f} s{process}"

    @property
    def kept(self) -> Kept:
        return self.capture.kept

    def take(self) -> Fresh:
        fresh, self._fresh = self._fresh, KeptOutput(HELD)
        return Fresh(fresh.head, fresh.tail, fresh.dropped)

    async def line(self, wanted: Callable[[str], bool]) -> str | None:
        scanner = Scanner(wanted)
        scanner.feed(self._fresh.head + self._fresh.tail)
        if self._how:
            scanner.end()
        self._scanners.add(scanner)
        try:
            return await scanner.found
        finally:
            self._scanners.discard(scanner)

    def send(self, data: bytes) -> bool:
        child = self._command.child if self._command is not None else None
        return child is not None and child.send(data)

    def end_input(self) -> None:
        if self._command is not None and self._command.child is not None:
            self._command.child.end_input()

    async def watch(self) -> Finished:
        """The job's work: until the command has ended, or is stopped because this is cancelled."""
        command = self._command
        if command is None:
            raise HandrailError("a console was watched before its command started")
        try:
            while (finished := await command.ended(None)) is None:
                pass
            self._how = ending_in_words(finished)
        except asyncio.CancelledError:
            self._how = ending_in_words(await command.stop())
            raise
        finally:
            self._end()
        return finished

    def _end(self) -> None:
        """Whoever waits for a line hears that none comes. The command may have been cancelled under its job."""
        self._how = self._how or "stopped"
        for scanner in self._scanners:
            scanner.end()

"""Runs one of the two commands: JSON goes in; what it prints comes out, bounded, and apart from its complaints."""

from __future__ import annotations

import asyncio
import codecs
from collections.abc import Callable, Mapping
from pathlib import Path

from handrail.contract.launching import Child, Finished, Launcher, LaunchSpec
from handrail.contract.values import value
from handrail.sandbox.kept_output import KeptOutput

MOST_PRINTED = 10 * 1024 * 1024
"""Bytes on stdout, then the command is stopped; Gemini CLI's bound too."""
KEPT_COMPLAINTS = 64 * 1024
"""Bytes of stderr: its beginning and its end."""


_PIECE = 256 * 1024
"""Bytes that are handed to its stdin at a time."""


@value
class Ran:
    """How a command ended, and what it said."""

    finished: Finished
    stdout: bytes
    complaints: str
    """Of stderr what was kept."""
    too_much: bool
    """It was stopped since it printed more than anybody wants."""


class Running:
    """One run of a command."""

    def __init__(self, told: Callable[[str], None]) -> None:
        """`told` gets all text as it comes, of both streams."""
        self._told = told
        self._stdout = bytearray()
        self._stderr = KeptOutput(KEPT_COMPLAINTS)
        self._child: Child | None = None
        self._started = asyncio.Event()
        self._too_much = False
        self._decoders = [codecs.getincrementaldecoder("utf-8")("replace") for _ in range(2)]

    async def run(
        self, launcher: Launcher, argv: tuple[str, ...], cwd: Path, env: Mapping[str, str], within: float, given: bytes
    ) -> Ran:
        """`given` goes to its stdin. Raises LauncherError where it can't be started."""

        spec = LaunchSpec(
            argv, cwd, env, timeout=within, keep_output=0, stdin="open", on_start=self._starts, on_error=self._complains
        )
        feeding = asyncio.create_task(self._feed(given))
        try:
            finished = await launcher.run(spec, self._prints)
        finally:
            feeding.cancel()
            await asyncio.gather(feeding, return_exceptions=True)
        complaints = (self._stderr.head + self._stderr.tail).decode("utf-8", "replace").strip()
        return Ran(finished, bytes(self._stdout), complaints, self._too_much)

    def _starts(self, child: Child) -> None:
        self._child = child
        self._started.set()

    async def _feed(self, given: bytes) -> None:
        """A program need not read what it is given: then it is not given more."""
        await self._started.wait()
        if self._child is None:
            return
        for start in range(0, len(given), _PIECE):
            await self._child.drained()
            if not self._child.send(given[start : start + _PIECE]):
                return
        self._child.end_input()

    def _prints(self, data: bytes) -> None:
        self._stdout += data[: MOST_PRINTED - len(self._stdout)]
        if len(self._stdout) == MOST_PRINTED and not self._too_much:
            self._too_much = True
            if self._child is not None:
                self._child.stop()
        if not self._too_much:
            self._tell(0, data)

    def _complains(self, data: bytes) -> None:
        self._stderr.add(data)
        self._tell(1, data)

    def _tell(self, stream: int, data: bytes) -> None:
        if text := self._decoders[stream].decode(data):
            self._told(text)

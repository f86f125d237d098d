"""The person's own editor, for what is easier written there than in a line."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import signal
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from handrail.errors import UsageError

VARIABLES = ("VISUAL", "EDITOR")
"""Which say what it is; the first that is set counts, as for other programs."""
USUAL = ("editor", "nano", "vi")
"""Where none is set: the first that is there."""


async def edited(text: str, suffix: str, environ: Mapping[str, str]) -> str:
    """The text as the editor leaves it, without the line's end that editors add. The terminal must be the editor's
    meanwhile. `suffix` tells it what it edits: `.json`.

    Raises UsageError where there is no editor, or it says by its exit code that nothing is to be changed.
    """
    command = editor_of(environ)
    path = await asyncio.to_thread(_written, text, suffix)
    try:
        await _run(command, path)
        return await asyncio.to_thread(_read, path)
    finally:
        path.unlink(missing_ok=True)


def editor_of(environ: Mapping[str, str]) -> list[str]:
    """Its words. Raises UsageError where none can be started."""
    for variable in VARIABLES:
        if environ.get(variable, "").strip():
            try:
                words = shlex.split(environ[variable])
            except ValueError as error:
                raise UsageError(f"${variable} can't be read as a command: {error}; set it to your editor") from error
            if shutil.which(words[0], path=environ.get("PATH")) is None:
                raise UsageError(f"${variable} is {words[0]!r}, which is not there; set it to an editor that is")
            return words
    for name in USUAL:
        if found := shutil.which(name, path=environ.get("PATH")):
            return [found]
    raise UsageError("there is no editor here; set $VISUAL or $EDITOR to the one you use")


async def _run(command: list[str], path: Path) -> None:
    with _without_interrupts():
        try:
            editor = await asyncio.create_subprocess_exec(*command, str(path))
        except OSError as error:
            raise UsageError(f"{command[0]} can't be started: {error.strerror}; nothing is changed") from error
        try:
            code = await editor.wait()
        finally:
            if editor.returncode is None:
                editor.terminate()
    if code:
        how = f"with exit code {code}" if code > 0 else f"by {signal.Signals(-code).name}"
        raise UsageError(f"{command[0]} ended {how}, so nothing is changed")


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Ctrl-C is the editor's own key, and the terminal sends it to all who read there."""
    before = signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _written(text: str, suffix: str) -> Path:
    """For this user alone. Raises UsageError."""
    try:
        descriptor, name = tempfile.mkstemp(suffix, "handrail-")
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
            file.write(f"{text}\n" if text else "")
    except OSError as error:
        raise UsageError(f"what is to be edited can't be written: {error.strerror}; nothing is changed") from error
    return Path(name)


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8").removesuffix("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"what the editor left can't be read: {error}; nothing is changed") from error

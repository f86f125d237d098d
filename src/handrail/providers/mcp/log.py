"""What a server says on stderr: its last words for messages, and more of it in a file that a person can look at.

Both are bounded, however much it says, and hold no secret that the redactor knows.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import time
from collections.abc import Iterable
from pathlib import Path

from handrail.providers.mcp.around import Around
from handrail.providers.mcp.whole_lines import lines_of, parted
from handrail.sandbox.finishing import to_the_end
from handrail.sandbox.kept_output import KeptOutput
from handrail.settings.mcp.server import Concealed, Http, ServerConfig, Stdio
from handrail.settings.private_files import locked, replace
from handrail.settings.redaction import Redactor

FOLDER = "mcp-logs"
MOST_KEPT = 1_000_000
"""Bytes of a file; when there are more, the older half goes."""
MOST_WAITING = 256_000
"""Bytes that wait to be written; of more, the middle is left out."""
WRITE_EVERY = 0.25
"""Seconds."""
QUIET = 2.0
"""Seconds after which the beginning of a line, as a question is, is written though its end did not come."""
_SECRET = 8
"""Characters from which on a variable or header is taken for a secret."""
_LAST_WORDS = 8_192
_LINE_SHOWN = 200
_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,59}")


def log_file(state: Path, server: str) -> Path:
    """Where what a server said is kept, in Handrail's own folder."""
    name = server
    if not _PLAIN.fullmatch(server):
        digest = hashlib.sha256(server.encode("utf-8", "replace")).hexdigest()[:8]
        name = f"{re.sub(r'[^A-Za-z0-9_-]', '_', server)[:40]}-{digest}"
    return state / FOLDER / f"{name}.log"


def kept_names(state: Path) -> list[str]:
    """Of the servers of which a log is kept, those whose files are called as they are."""
    return sorted(file.stem for file in (state / FOLDER).glob("*.log"))


def log_of(config: ServerConfig, around: Around) -> ServerLog:
    """Nothing that the configuration gives the server stands in its log, save short words."""
    match config.transport:
        case Stdio(command, args, env, cwd):
            given, written = list(env.values()), [command, *args, cwd]
        case Http(url, headers):
            given, written = list(headers.values()), [url]
    given += [text for text in written if isinstance(text, Concealed)]
    given += [value for text in given if isinstance(text, Concealed) for value in text.values]
    words = [word for text in given for word in (text, text.rpartition(" ")[2]) if len(word) >= _SECRET]
    file = log_file(around.state, config.name) if around.state is not None else None
    return ServerLog(file, Redactor(around.environment, words))


class ServerLog:
    """Of one server, over all its lives in one session."""

    def __init__(self, file: Path | None, redactor: Redactor) -> None:
        """Without a file, only the last words are kept."""
        self._file = file
        self._redactor = redactor
        self._last = KeptOutput(2 * _LAST_WORDS)
        self._waiting = KeptOutput(MOST_WAITING)
        self._begun = b""
        """The beginning of a line whose end is not there yet."""
        self._news = asyncio.Event()

    def add(self, piece: bytes) -> None:
        self._last.add(piece)
        if self._file is not None:
            self._waiting.add(piece)
            self._news.set()

    def noise(self, line: bytes) -> None:
        """It stood where only messages should."""
        text = self.without_secrets(line[:_LAST_WORDS].decode("utf-8", "replace"))
        self.add(f"[on stdout] {text[:_LINE_SHOWN]}\n".encode())

    def without_secrets(self, text: str) -> str:
        """For messages about the server."""
        return self._redactor.text(text)

    def learn(self, secrets: Iterable[str]) -> None:
        """More that must stand nowhere."""
        words = [word for text in secrets for word in (text, text.rpartition(" ")[2]) if len(word) >= _SECRET]
        self._redactor = self._redactor.knowing(words)

    def begin(self) -> None:
        """A new life: the last words are those of this one."""
        self._last = KeptOutput(2 * _LAST_WORDS)
        if self._file is not None:
            self.add(f"--- started {time.strftime('%Y-%m-%d %H:%M:%S')}\n".encode())
            self._last = KeptOutput(2 * _LAST_WORDS)

    def last_line(self) -> str:
        """The last that says something, for a message; empty when it said nothing."""
        text = lines_of(self._last).decode("utf-8", "replace")
        lines = [line for line in text.splitlines() if line.strip()]
        return self.without_secrets(lines[-1].strip())[:_LINE_SHOWN] if lines else ""

    async def keep(self) -> None:
        """Writes what is said to the file, until it is cancelled; then the rest."""
        try:
            while True:
                is_quiet = not await self._more()
                if not is_quiet:
                    await asyncio.sleep(WRITE_EVERY)
                await to_the_end(self._write(all_of_it=is_quiet))
        finally:
            await to_the_end(self._write(all_of_it=True))

    async def _more(self) -> bool:
        """Waits for news; while a line has begun, not for long: then there are none."""
        try:
            async with asyncio.timeout(QUIET if self._begun else None):
                await self._news.wait()
        except TimeoutError:
            return False
        return True

    async def _write(self, *, all_of_it: bool) -> None:
        """One at a time."""
        waiting, self._waiting = self._waiting, KeptOutput(MOST_WAITING)
        self._news.clear()
        if self._file is not None and (waiting.head or self._begun):
            said = lines_of(waiting, self._begun)
            self._begun = await asyncio.to_thread(self._append, self._file, said, all_of_it)

    def _append(self, file: Path, said: bytes, all_of_it: bool) -> bytes:
        """Gives what waits for more. A log that can't be written is not kept: nothing else depends on it."""
        text, begun = parted(said, self._redactor.text, to_the_end=all_of_it)
        if text:
            self._keep(file, text.encode())
        return begun

    def _keep(self, file: Path, data: bytes) -> None:
        try:
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with locked(file.with_suffix(".lock")):
                handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
                with open(handle, "ab") as opened:
                    opened.write(data)
                    size = opened.tell()
                if size > MOST_KEPT:
                    _shorten(file)
        except OSError:
            return


def _shorten(file: Path) -> None:
    with open(file, "rb") as opened:
        opened.seek(-MOST_KEPT // 2, os.SEEK_END)
        opened.readline()
        rest = opened.read()
    replace(file, rest)

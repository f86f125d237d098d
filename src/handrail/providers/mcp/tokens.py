"""What a login at an MCP server gave, kept between sessions: in the system's keyring, or in a file for its owner alone.

A login belongs to the server's address: two configurations that name the same address share it, and one that takes
the name of another server gets nothing. A small file in the state folder says that there is a login and where it is
kept, so that whoever has none never wakes the keyring.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

from handrail.contract.values import value
from handrail.errors import UsageError
from handrail.providers.mcp.keychain import Keychain
from handrail.settings.mcp.server import Concealed
from handrail.settings.private_files import open_lock, replace

FOLDER = "mcp-logins"

LOCK_WITHIN = 60.0
"""Seconds that a renewal waits for one in another process."""

_MOST_BYTES = 256 * 1024
_LOCK_POLL = 0.05


@value
class Login:
    """The tokens of one server, and what renewing them takes. Its `repr` shows no secret of it."""

    access: Concealed
    """Bearer token, RFC 6750."""
    token_endpoint: str
    client_id: str
    refresh: Concealed = Concealed()
    expires_at: float | None = None
    """Seconds since 1970; None where the server didn't say."""
    client_secret: Concealed = Concealed()
    client_auth: str = "none"
    """How the client proves itself at the token endpoint: `none`, `client_secret_post` or `client_secret_basic`."""
    scope: str = ""
    resource: str = ""
    """RFC 8707: the server that the tokens are for; empty where its authorization server is not to be told."""

    def ends_before(self, time: float) -> bool:
        """Whether it is known to."""
        return self.expires_at is not None and self.expires_at <= time


class Logins:
    """The logins that one state folder knows of."""

    def __init__(self, state: Path, keychain: Keychain | None = None) -> None:
        self._folder = state / FOLDER
        self._keychain = keychain or Keychain()

    def kept(self, url: str) -> bool:
        """Whether there is a login for this address, as far as one look at a small file tells."""
        return self._file(url).is_file()

    def stamp(self, url: str) -> object:
        """Stays equal as long as nothing about this login was written, by whichever process."""
        try:
            found = self._file(url).stat()
        except OSError:
            return None
        return (found.st_mtime_ns, found.st_ino)

    async def load(self, url: str) -> Login | None:
        """None where nobody logged in, and where what is kept can't be read: then a new login mends it."""
        record = await asyncio.to_thread(_read, self._file(url))
        if record.get("kept") == "keyring":
            record = _record(await self._keychain.get(_digest(url)) or "")
        return _login(record)

    async def save(self, url: str, login: Login) -> None:
        """Durable on return. Raises UsageError where neither keyring nor file takes it."""
        record: Mapping[str, object] = {name: getattr(login, name) for name in Login.__match_args__}
        kept = await self._keychain.put(_digest(url), json.dumps(record))
        if kept:
            record = {"kept": "keyring"}
        text = json.dumps({"url": _plain(url), **record}, indent=1)
        try:
            await asyncio.to_thread(self._write, self._file(url), text)
        except OSError as error:
            raise UsageError(f"the login can't be kept in {self._folder}: {error.strerror}") from error

    async def forget(self, url: str) -> bool:
        """False where there was none."""
        there = self.kept(url)
        if there:
            await self._keychain.drop(_digest(url))
            await asyncio.to_thread(self._file(url).unlink, missing_ok=True)
        return there

    @asynccontextmanager
    async def renewing(self, url: str) -> AsyncIterator[None]:
        """One process at a time renews a login: a refresh token may be good for one use only.

        Raises TimeoutError where another process doesn't come to an end with it, OSError where nothing can be locked.
        """
        handle = await asyncio.to_thread(self._open_lock, url)
        try:
            async with asyncio.timeout(LOCK_WITHIN):
                await _take(handle)
            yield
        finally:
            os.close(handle)

    def _file(self, url: str) -> Path:
        return self._folder / f"{_digest(url)}.json"

    def _open_lock(self, url: str) -> int:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return open_lock(self._file(url).with_suffix(".lock"))

    def _write(self, file: Path, text: str) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace(file, text.encode())


def _plain(url: str) -> str:
    """The address by which a login is kept: no user, query or fragment, scheme and host in lower case."""
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme.lower()}://{(parts.hostname or '').lower()}{port}{parts.path.rstrip('/')}"


def _digest(url: str) -> str:
    return hashlib.sha256(_plain(url).encode()).hexdigest()[:32]


def _read(file: Path) -> Mapping[str, object]:
    """Empty where there is nothing, or nothing that can be read."""
    try:
        with open(os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW), "rb") as opened:
            return _record(opened.read(_MOST_BYTES).decode())
    except (OSError, UnicodeDecodeError):
        return {}


def _record(text: str) -> Mapping[str, object]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _login(record: Mapping[str, object]) -> Login | None:
    texts = {name: found for name in Login.__match_args__ if isinstance(found := record.get(name), str)}
    expires = record.get("expires_at")
    if not all(texts.get(name) for name in ("access", "token_endpoint", "client_id")):
        return None
    return Login(
        access=Concealed(texts["access"]),
        token_endpoint=texts["token_endpoint"],
        client_id=texts["client_id"],
        refresh=Concealed(texts.get("refresh", "")),
        expires_at=float(expires) if isinstance(expires, (int, float)) else None,
        client_secret=Concealed(texts.get("client_secret", "")),
        client_auth=texts.get("client_auth", "none"),
        scope=texts.get("scope", ""),
        resource=texts.get("resource", ""),
    )


async def _take(handle: int) -> None:
    """Asks again and again: a thread that waits for a lock can't be called off."""
    import fcntl  # there is none on Windows

    while True:
        try:
            return fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            await asyncio.sleep(_LOCK_POLL)

"""The system's keyring, asked off the loop and with a bound: it may be locked, and wait for a person's password."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import Protocol, TypeVar

T = TypeVar("T")

SERVICE = "handrail-mcp"
"""Under which the keyring lists our entries."""

WITHIN = 15.0
"""Seconds for one question: a person may have to type a password."""


class Keyring(Protocol):
    """The part of a backend of the `keyring` library that is used. Its methods block."""

    def get_password(self, service: str, username: str) -> str | None: ...
    def set_password(self, service: str, username: str, password: str) -> None: ...
    def delete_password(self, service: str, username: str) -> None: ...


def system_keyring() -> Keyring | None:
    """The platform's keyring; None where there is none that keeps a secret. Blocks: it looks at what is installed."""
    import keyring
    from keyring.core import recommended

    backend = keyring.get_keyring()
    return backend if recommended(backend) else None


class Keychain:
    """Texts by key. A keyring that is locked, gone or full is the same as none."""

    def __init__(self, find: Callable[[], Keyring | None] = system_keyring) -> None:
        self._find = find

    async def get(self, key: str) -> str | None:
        return await _asked(self._find, lambda ring: ring.get_password(SERVICE, key))

    async def put(self, key: str, text: str) -> bool:
        """False where nothing was kept."""

        def kept(ring: Keyring) -> bool:
            ring.set_password(SERVICE, key, text)
            return ring.get_password(SERVICE, key) == text

        return await _asked(self._find, kept) or False

    async def drop(self, key: str) -> None:
        def dropped(ring: Keyring) -> None:
            if ring.get_password(SERVICE, key) is not None:
                ring.delete_password(SERVICE, key)

        await _asked(self._find, dropped)


async def _asked(find: Callable[[], Keyring | None], ask: Callable[[Keyring], T]) -> T | None:
    """None where there is no keyring, it refuses, or it takes too long."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T | None] = loop.create_future()

    def settle(found: T | None) -> None:
        if not answer.done():
            answer.set_result(found)

    def run() -> None:
        found = _guarded(find, ask)
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, found)

    # A thread that keeps no process alive: it may wait for a person who has gone.
    threading.Thread(target=run, name="keyring", daemon=True).start()
    try:
        async with asyncio.timeout(WITHIN):
            return await answer
    except TimeoutError:
        return None


def _guarded(find: Callable[[], Keyring | None], ask: Callable[[Keyring], T]) -> T | None:
    from keyring.errors import KeyringError

    try:
        ring = find()
        return None if ring is None else ask(ring)
    except (KeyringError, OSError, RuntimeError, ValueError):  # what backends raise beside their own errors
        return None

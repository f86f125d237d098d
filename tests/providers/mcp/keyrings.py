"""Keyrings for tests, so that none touches that of the machine."""

from __future__ import annotations

from keyring.errors import KeyringLocked

from handrail.providers.mcp.keychain import Keychain


class MemoryKeyring:
    """Keeps what it is given; `takes_none` is one that is locked."""

    def __init__(self, *, takes_none: bool = False) -> None:
        self.entries: dict[tuple[str, str], str] = {}
        self.asked = 0
        self.takes_none = takes_none

    def get_password(self, service: str, username: str) -> str | None:
        self._ask()
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._ask()
        self.entries[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._ask()
        del self.entries[service, username]

    def _ask(self) -> None:
        self.asked += 1
        if self.takes_none:
            raise KeyringLocked("locked")


NO_KEYRING = Keychain(lambda: None)

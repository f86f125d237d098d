"""A workspace with tool files, the person's own and others, and sessions that load them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from handrail.contract.basics import Instant
from handrail.contract.calls import Completed
from handrail.contract.provider import SourceStatus
from handrail.policy import Mode
from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.settings.load import Settings, load_settings
from handrail.settings.places import Folders
from handrail.settings.trust import TrustStore
from handrail.testing import MemoryJournal
from neutral_calls import calls


def says(text: str, name: str = "") -> str:
    """A tool file with one function, which says this text."""
    named = f"(name={name!r})" if name else ""
    return f'from handrail import tool\n\n\n@tool{named}\ndef speak() -> str:\n    """Speak."""\n    return {text!r}\n'


@dataclass(frozen=True)
class FolderWorld:
    root: Path

    @property
    def workspace(self) -> Path:
        return self.root / "work"

    @property
    def folders(self) -> Folders:
        return Folders(self.root / "system", self.root / "user", self.root / "state")

    @property
    def mine(self) -> Path:
        return self.root / "user/tools"

    @property
    def theirs(self) -> Path:
        return self.workspace / ".handrail/tools"

    @property
    def given(self) -> Path:
        """Named on the command line."""
        return self.root / "given"

    def put(self, folder: Path, /, files: Mapping[str, str | bytes]) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o755)
        for name, text in files.items():
            path = folder / name
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
            path.chmod(0o644)

    def settings(self, environ: Mapping[str, str] | None = None, **flags: Any) -> Settings:
        return load_settings(self.workspace, {"HOME": str(self.root / "home"), **(environ or {})}, flags, self.folders)

    def trust_all(self) -> None:
        store = TrustStore(self.folders.state)
        store.add([waiting.key for waiting in self.settings().waiting], Instant(0.0))

    @asynccontextmanager
    async def session(self, settings: Settings | None = None) -> AsyncIterator[Session]:
        """All that is asked is allowed; no tools but those that the settings bring."""
        parts = Parts(tools=(), journal=MemoryJournal())
        settings = settings or self.settings()
        async with Session.open(self.workspace, mode=Mode.BYPASS, settings=settings, parts=parts) as session:
            yield session


def made(root: Path) -> FolderWorld:
    for name in ("system", "user", "work", "state", "home", "given"):
        (root / name).mkdir(mode=0o700)
    return FolderWorld(root)


def names_of(session: Session) -> list[str]:
    return [shown.name for shown in session.menu().tools]


def status_of(session: Session, name: str) -> SourceStatus:
    return next(status for status in session.sources() if status.name == name)


async def said(session: Session, tool: str, /, **arguments: Any) -> str:
    turn = await session.run(calls((tool, arguments)))
    (call,) = turn.calls
    assert isinstance(call, Completed), call
    return call.result.text

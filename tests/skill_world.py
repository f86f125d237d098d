"""A workspace with skills, and sessions that know them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from handrail.contract.basics import Instant
from handrail.contract.tool import Tool
from handrail.policy import Mode, rules_from
from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.settings.load import Settings, load_settings
from handrail.settings.places import Folders
from handrail.settings.trust import TrustStore
from handrail.testing import MemoryJournal
from handrail.tools import builtin_tools
from handrail.wire import Wire
from neutral_calls import Named, calls

DONE = {"text": "All done.", "calls": []}
"""The response that ends a model's turn."""


@dataclass(frozen=True)
class SkillWorld:
    root: Path

    @property
    def workspace(self) -> Path:
        return self.root / "work"

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def folders(self) -> Folders:
        return Folders(self.root / "system", self.root / "user", self.root / "state")

    def mine(self, name: str, front: str = "", text: str = "Do it well.", **files: str) -> Path:
        """A skill of the person's own."""
        return self._put(self.home / ".claude/skills" / name, front, text, files)

    def theirs(self, name: str, front: str = "", text: str = "Do it well.", **files: str) -> Path:
        """A skill that came with the workspace."""
        return self._put(self.workspace / ".claude/skills" / name, front, text, files)

    def _put(self, folder: Path, front: str, text: str, files: dict[str, str]) -> Path:
        matter = f"---\ndescription: What {folder.name} is for.\n{front}\n---\n{text}\n"
        for name, content in {"SKILL.md": matter, **files}.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True, mode=0o755)
            (folder / name).write_text(content)
            (folder / name).chmod(0o644)
        return folder

    def settings(self) -> Settings:
        return load_settings(self.workspace, {"HOME": str(self.home)}, {}, self.folders)

    def trust_all(self) -> None:
        store = TrustStore(self.folders.state)
        store.add([waiting.key for waiting in self.settings().waiting], Instant(0.0))

    @asynccontextmanager
    async def session(
        self, *, mode: Mode = Mode.DEFAULT, rules: Sequence[dict[str, Any]] = (), more: Sequence[Tool[Any]] = ()
    ) -> AsyncIterator[Session]:
        parts = Parts(tools=(*builtin_tools(), *more), journal=MemoryJournal())
        given = {"mode": mode, "rules": rules_from(rules), "settings": self.settings(), "parts": parts}
        async with Session.open(self.workspace, **given) as session:
            yield session


def made(root: Path) -> SkillWorld:
    for name in ("system", "user", "work", "state", "home"):
        (root / name).mkdir(mode=0o700)
    return SkillWorld(root)


async def outcomes(session: Session, *named: Named) -> list[str]:
    """What became of each call of one response: `completed`, or the kind of its error."""
    turn = await session.run(calls(*named), Wire.NEUTRAL)
    return [(result.get("error") or {"kind": "completed"})["kind"] for result in turn.messages[-1]["results"]]


async def said(session: Session, tool: str, /, **arguments: Any) -> str:
    """The text of one call's result."""
    turn = await session.run(calls((tool, arguments)), Wire.NEUTRAL)
    return turn.calls[0].result.text

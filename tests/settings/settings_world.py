"""A workspace and the folders that are ours, all real and all in one temporary folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from handrail.contract.basics import Instant
from handrail.settings.load import Settings, load_settings
from handrail.settings.origin import Layer
from handrail.settings.places import Folders
from handrail.settings.trust import TrustStore

NAMES = {
    Layer.SYSTEM: "system/{}.toml",
    Layer.USER: "user/{}.toml",
    Layer.PROJECT: "work/.handrail/{}.toml",
    Layer.LOCAL: "work/.handrail/{}.local.toml",
}


@dataclass(frozen=True)
class World:
    root: Path

    @property
    def workspace(self) -> Path:
        return self.root / "work"

    @property
    def folders(self) -> Folders:
        return Folders(self.root / "system", self.root / "user", self.root / "state")

    @property
    def store(self) -> TrustStore:
        return TrustStore(self.folders.state)

    def file(self, layer: Layer, stem: str = "config") -> Path:
        return self.root / NAMES[layer].format(stem)

    def write(self, layer: Layer, text: str, stem: str = "config") -> Path:
        path = self.file(layer, stem)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
        path.write_text(text)
        path.chmod(0o644)
        return path

    def load(self, environ: dict[str, str] | None = None, **flags: Any) -> Settings:
        return load_settings(self.workspace, environ or {}, flags, self.folders)

    def trust_all(self) -> None:
        self.store.add([waiting.key for waiting in self.load().waiting], Instant(0.0))


def made(root: Path) -> World:
    for name in ("system", "user", "work/.handrail", "state"):
        (root / name).mkdir(parents=True, mode=0o700)
    return World(root)

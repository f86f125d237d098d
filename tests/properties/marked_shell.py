"""Runs texts by the real bash, where they can change one small folder only, and says whether the marker ran."""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from confinement import HOME, walls
from shell_texts import MARKER

from handrail.runtime.environment import child_environment

_SECONDS = 2.0
_FILES = {"a.txt": "x\n", "b.txt": "y\n"}
_RAN = "ran"


@dataclass(frozen=True, slots=True)
class Effect:
    """What came of a text."""

    marked: bool
    """The marker ran."""
    changed: bool
    """The folder is no longer as it was, by whatever means."""


@dataclass(frozen=True, slots=True)
class MarkedShell:
    """A folder to run in, and the marker's on the PATH."""

    work: Path
    marks: Path

    @classmethod
    def make(cls, folder: Path) -> MarkedShell:
        """Lays it all out below `folder`."""
        made = cls(folder / "work", folder / "marks")
        _fill(made.work)
        made.marks.mkdir()
        marker = made.marks / MARKER
        marker.write_text(f"#!/bin/sh\necho x >> {made.work}/{_RAN}\n")
        marker.chmod(0o755)
        return made

    def run(self, text: str) -> Effect:
        """In a copy of its own: what one text leaves running may still write while the next one runs."""
        with tempfile.TemporaryDirectory(dir=self.work.parent, ignore_cleanup_errors=True) as copy:
            _fill(Path(copy, "work"))
            self._run(text, Path(copy, "work"))
            files = _files_in(Path(copy, "work"))
        return Effect(marked=_RAN in files, changed=files != _FILES)

    def _run(self, text: str, copy: Path) -> None:
        mounts = ("--bind", str(copy), str(self.work), "--ro-bind", str(self.marks), "/marks")
        words = [*walls(*mounts), "--chdir", str(self.work), "bash", "-c", text]
        environment = child_environment({"PATH": "/marks:/usr/bin:/bin", "HOME": HOME})
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        child = subprocess.Popen(words, env=environment, **quiet)
        try:
            child.wait(timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def _fill(folder: Path) -> None:
    folder.mkdir()
    for name, text in _FILES.items():
        (folder / name).write_text(text)


def _files_in(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text("utf-8", "replace") if path.is_file() else "" for path in folder.iterdir()}

"""A tree to search in, and launchers that behave badly in one way."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from handrail.contract.launching import Finished, Launcher, LaunchSpec, OutputSink
from handrail.sandbox.none import PlainLauncher


def make(root: Path, files: Mapping[str, str | bytes]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


@contextmanager
def open_folder() -> Iterator[Path]:
    """A folder that any user may reach; pytest's own are the user's alone."""
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("root may read everything, and there is no setpriv to become somebody else")
    with TemporaryDirectory() as folder:
        root = Path(folder, "tree")
        root.mkdir()
        for path in (root, root.parent):
            path.chmod(0o755)
        yield root


@dataclass
class Impatient:
    """Lets nothing run longer than an instant whose command line has this word, if one is given."""

    word: str = ""
    inner: Launcher = field(default_factory=PlainLauncher)

    async def run(self, spec: LaunchSpec, on_output: OutputSink | None = None) -> Finished:
        if self.word and self.word not in spec.argv:
            return await self.inner.run(spec, on_output)
        slow = ("sh", "-c", 'printf "./found\\0"; exec sleep 1000')
        return await self.inner.run(replace(spec, argv=slow, timeout=1.0), on_output)


@dataclass
class Unprivileged:
    """Runs children as nobody where the tests run as root, who may read everything.

    The program is copied beside the tree: where it lies, nobody may have no access.
    """

    inner: Launcher = field(default_factory=PlainLauncher)

    async def run(self, spec: LaunchSpec, on_output: OutputSink | None = None) -> Finished:
        if os.geteuid() == 0:
            program = spec.cwd.parent / spec.argv[0].replace("/", "-")
            if not program.exists():
                shutil.copy(spec.argv[0], program)
            nobody = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", str(program))
            spec = replace(spec, argv=(*nobody, *spec.argv[1:]))
        return await self.inner.run(spec, on_output)


@dataclass
class Noting:
    """Remembers what was run."""

    specs: list[LaunchSpec] = field(default_factory=list)
    inner: Launcher = field(default_factory=PlainLauncher)

    async def run(self, spec: LaunchSpec, on_output: OutputSink | None = None) -> Finished:
        self.specs.append(spec)
        return await self.inner.run(spec, on_output)


@dataclass
class Tight:
    """Gives each child less time and memory than it is to have: for those that would use up all of it."""

    seconds: float
    memory: int
    inner: Launcher = field(default_factory=PlainLauncher)

    async def run(self, spec: LaunchSpec, on_output: OutputSink | None = None) -> Finished:
        timeout = None if spec.timeout is None else min(spec.timeout, self.seconds)
        memory = None if spec.most_memory is None else min(spec.most_memory, self.memory)
        return await self.inner.run(replace(spec, timeout=timeout, most_memory=memory), on_output)

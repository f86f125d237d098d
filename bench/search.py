"""grep and glob on a tree of 50,000 files, against the same ripgrep command line with its output parsed.

Ours is a call through a whole session in default mode: validated, decided, run, bounded. The limit runs the command
line of our own search step, seen at the launcher, by `subprocess`; parses what it prints; and makes of it the same rows
in the same order. What our side does beside that counts against us: a second ripgrep looks for the secret files that
are passed by. Both sides run in turns, and that their rows are the same is checked each time. The aim is for elapsed
time; the CPU time of this process and its children is printed beside it, for machines that do other work at once.
"""

from __future__ import annotations

import asyncio
import base64
import json
import random
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

from bench._report import Aim, interpreter, line, milliseconds, note

from handrail import __version__
from handrail.contract.basics import CallId
from handrail.contract.calls import CallRequest, ObjectArguments
from handrail.contract.launching import Finished, LaunchSpec, OutputSink
from handrail.runtime.parts import Parts
from handrail.sandbox.none import PlainLauncher
from handrail.session import Session
from handrail.testing import MemoryJournal
from handrail.tools import builtin_tools

ROUNDS = 5
PACKAGES, MODULES, FILES = 50, 20, 50
LINES = 30
ENDINGS = ("py", "ts", "md", "txt", "json")
WORDS = ("alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "return", "import", "value")
RARE, COMMON = "needle", "haystack"
RARE_SHARE, COMMON_SHARE = 0.02, 0.5

MOST_SHOWN = 1_000
OF_LIMIT = Aim(1.25)


def lay_out(root: Path) -> None:
    """Folders of files of a few kilobytes; a file that is secret in some, and some that are ignored."""
    chance = random.Random(2026)
    (root / ".gitignore").write_text("build/\n*.log\n")
    for package in range(PACKAGES):
        for module in range(MODULES):
            folder = root / f"package{package:02}" / f"module{module:02}"
            folder.mkdir(parents=True)
            if module == 0:
                (folder / ".env").write_text(f"TOKEN={RARE}\n")
                (folder / "run.log").write_text(f"{RARE}\n")
            for number in range(FILES):
                (folder / f"file{number:02}.{ENDINGS[number % len(ENDINGS)]}").write_text(text(chance))


def text(chance: random.Random) -> str:
    lines = [" ".join(chance.choices(WORDS, k=8)) for _ in range(LINES)]
    for word, share in ((RARE, RARE_SHARE), (COMMON, COMMON_SHARE)):
        if chance.random() < share:
            lines[chance.randrange(LINES)] += f" {word}"
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Case:
    what: str
    tool: str
    arguments: Mapping[str, Any]
    parse: Callable[[bytes], list[str]]
    shown: int


def by_component(name: str) -> list[str]:
    return name.split("/")


def lines_of(output: bytes) -> list[str]:
    """Sorted by file; only what is shown is parsed, as by somebody who cares for time."""
    found: dict[str, list[bytes]] = {}
    for record in output.split(b"\n"):
        if record.startswith(b'{"type":"begin"'):
            matches = found.setdefault(path_in(record), [])
        elif record.startswith(b'{"type":"match"'):
            matches.append(record)
    records = (record for name in sorted(found, key=by_component) for record in found[name])
    return [row_in(record) for record in islice(records, MOST_SHOWN)]


def files_of(output: bytes) -> list[str]:
    records = output.split(b"\n")
    return sorted((path_in(r) for r in records if r.startswith(b'{"type":"begin"')), key=by_component)


def path_in(record: bytes) -> str:
    return decoded(json.loads(record)["data"]["path"]).removeprefix("./")


def row_in(record: bytes) -> str:
    data = json.loads(record)["data"]
    return f"{data['line_number']}:{decoded(data['lines'])}"


def names_of(output: bytes) -> list[str]:
    return sorted((name.removeprefix("./") for name in output.decode().split("\0") if name), key=by_component)


def names_in_modules(output: bytes) -> list[str]:
    return [name for name in names_of(output) if name.split("/")[-2].startswith("module1")]


def decoded(value: Mapping[str, str]) -> str:
    raw = base64.b64decode(value["bytes"]).decode(errors="replace") if "bytes" in value else value["text"]
    return raw.rstrip("\n")


CASES = (
    Case("grep, lines, in 2% of files", "grep", {"pattern": RARE}, lines_of, 100),
    Case("grep, lines, in half of the files", "grep", {"pattern": COMMON, "limit": 1_000}, lines_of, 1_000),
    Case("grep, paths, in half of the files", "grep", {"pattern": COMMON, "output_mode": "files"}, files_of, 100),
    Case("glob, by ending", "glob", {"pattern": "*.py"}, names_of, 1_000),
    Case("glob, by folder and ending", "glob", {"pattern": "**/module1*/*.{ts,md}"}, names_in_modules, 1_000),
)


@dataclass
class Seeing:
    """Remembers the last command line that is no look for secret files."""

    argv: tuple[str, ...] = ()
    inner: PlainLauncher = field(default_factory=PlainLauncher)

    async def run(self, spec: LaunchSpec, on_output: OutputSink | None = None) -> Finished:
        if "--iglob=.env" not in spec.argv:
            self.argv = spec.argv
        return await self.inner.run(spec, on_output)


async def ours(session: Session, case: Case, id: str) -> list[str]:
    request = CallRequest(CallId(id), case.tool, ObjectArguments(dict(case.arguments)), wire_id=id)
    state = await session.submit(request).settled
    rows = [row for row in state.result.text.split("\n") if row and not row.startswith("[")]
    return [row for row in rows if row[0].isdigit()] if case.parse is lines_of else rows


def limit(argv: tuple[str, ...], case: Case, root: Path) -> list[str]:
    found = subprocess.run(argv, cwd=root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
    return case.parse(found.stdout)[: case.shown]


def cpu_seconds() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


@dataclass
class Taken:
    """Seconds of the rounds of one side."""

    elapsed: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    @contextmanager
    def measured(self) -> Iterator[None]:
        cpu, start = cpu_seconds(), time.perf_counter()
        yield
        self.elapsed.append(time.perf_counter() - start)
        self.cpu.append(cpu_seconds() - cpu)


async def measured(root: Path) -> dict[str, tuple[Taken, Taken]]:
    """What both sides took for each case; the first round, which warms the caches, is left out."""
    launcher = Seeing()
    parts = Parts(tools=builtin_tools(), journal=MemoryJournal(), launcher=launcher)
    taken = {case.what: (Taken(), Taken()) for case in CASES}
    async with Session.open(root, parts=parts) as session:
        for turn in range(ROUNDS + 1):
            for number, case in enumerate(CASES):
                sides = taken[case.what] if turn else (Taken(), Taken())
                with sides[0].measured():
                    own = await ours(session, case, f"{turn}-{number}")
                with sides[1].measured():
                    bare = limit(launcher.argv, case, root)
                if own != bare[: len(own)] or not own:
                    raise RuntimeError(f"{case.what}: the two sides found different things")
    return taken


async def main() -> None:
    files = PACKAGES * MODULES * FILES
    note(f"Elapsed time; median of {ROUNDS}, in turns; {files:,} files; {interpreter()}; handrail {__version__}")
    with tempfile.TemporaryDirectory() as folder:
        lay_out(Path(folder))
        for what, (own, bare) in (await measured(Path(folder))).items():
            elapsed, least = median(own.elapsed), median(bare.elapsed)
            cells = (f"ours {milliseconds(elapsed)}", f"limit {milliseconds(least)}", OF_LIMIT.cell(elapsed / least))
            line(what, *cells, f"CPU {median(own.cpu) / median(bare.cpu):.2f}x")


if __name__ == "__main__":
    asyncio.run(main())

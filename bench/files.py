"""One edit in a 10 MB file, against the least that an edit can be; and what the diff of a large change takes.

* edit: a part of one line replaced. Ours is a call through a whole session, as a model makes it: validated, decided,
  read, looked for, compared with what is there, written, noted and reported, with both texts for the diff. The limit
  reads the file, replaces the text, takes the same three hashes (of what was read, of what is there before the write,
  of what was written), writes a temporary file beside it, syncs it, renames it, and syncs the folder. Both sides run in
  turns, and their files must be the same in the end. The ratio with an aim is of CPU time; that of elapsed time,
  most of which is the disk's, stands beside it.
* diff: 200 scattered lines changed in 100,000, from two texts to the whole unified diff; CPU time.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench._report import Aim, interpreter, line, milliseconds, note

from handrail.contract.basics import CallId
from handrail.contract.calls import CallRequest, Completed, ObjectArguments
from handrail.contract.unified_diff import unified
from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.testing import MemoryJournal
from handrail.tools import builtin_tools

SIZE = 10_000_000
ROUNDS = 9
OF_LIMIT = Aim(1.5)
DIFF_LINES, DIFF_CHANGES, DIFF_SECONDS = 100_000, 200, 0.3


@dataclass(frozen=True)
class Taken:
    cpu: float
    elapsed: float


class Watch:
    def __init__(self) -> None:
        self._cpu, self._elapsed = time.process_time(), time.perf_counter()

    def taken(self) -> Taken:
        return Taken(time.process_time() - self._cpu, time.perf_counter() - self._elapsed)


def median_of(samples: Sequence[Taken]) -> Taken:
    """The first warms the caches and does not count."""
    return Taken(median(each.cpu for each in samples[1:]), median(each.elapsed for each in samples[1:]))


def text() -> str:
    rows, size = [], 0
    while size < SIZE:
        rows.append(f"    value_{len(rows)} = compute(value_{len(rows) - 1}, {len(rows) * 7})\n")
        size += len(rows[-1])
    return "".join(rows)


def edit_of(turn: int) -> tuple[str, str]:
    """Old and new text: another line each time, in the middle, which occurs once."""
    number = 100_000 + turn
    return f"value_{number} = compute(", f"value_{number} = calculate("


def limit(path: Path, old: str, new: str) -> None:
    data = path.read_bytes()
    hashlib.sha256(data).hexdigest()
    before, found, rest = data.partition(old.encode())
    if not found:
        raise AssertionError("the text is not there")
    made = b"".join((before, new.encode(), rest))
    hashlib.sha256(data).hexdigest()
    hashlib.sha256(made).hexdigest()
    temporary = path.with_name("temporary")
    with temporary.open("xb") as file:
        file.write(made)
        file.flush()
        os.fsync(file.fileno())
    temporary.rename(path)
    folder = os.open(path.parent, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


async def ours(session: Session, path: Path, old: str, new: str) -> None:
    arguments = {"file_path": str(path), "old_string": old, "new_string": new}
    request = CallRequest(CallId(f"edit {new}"), "edit_file", ObjectArguments(arguments), wire_id="edit")
    call = await session.submit(request).settled
    if not isinstance(call, Completed):
        raise AssertionError(call)


async def edits() -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        least, mine = await _side_by_side(root)
        line("edit in 10 MB, limit", milliseconds(least.cpu))
        line("edit in 10 MB, ours", milliseconds(mine.cpu), OF_LIMIT.cell(mine.cpu / least.cpu), _waited(mine, least))


async def _side_by_side(root: Path) -> tuple[Taken, Taken]:
    limits: list[Taken] = []
    edits: list[Taken] = []
    for name in ("limit", "ours"):
        (root / name).write_text(text())
    async with Session.open(
        root, mode="bypass", parts=Parts(tools=builtin_tools(), journal=MemoryJournal())
    ) as session:
        for turn in range(ROUNDS + 1):
            old, new = edit_of(turn)
            watch = Watch()
            limit(root / "limit", old, new)
            limits.append(watch.taken())
            watch = Watch()
            await ours(session, root / "ours", old, new)
            edits.append(watch.taken())
    if (root / "limit").read_bytes() != (root / "ours").read_bytes():
        raise AssertionError("the two files differ")
    return median_of(limits), median_of(edits)


def _waited(some: Taken, least: Taken) -> str:
    return f"elapsed {milliseconds(some.elapsed)}, {some.elapsed / least.elapsed:.2f}x"


def diffs() -> None:
    chance = random.Random(2026)
    texts = {
        "each line its own": [f"value_{number} = {number * 7}\n" for number in range(DIFF_LINES)],
        "lines much alike": [
            chance.choice(("\n", "}\n", "  return\n", f"x{n % 500} = 1\n")) for n in range(DIFF_LINES)
        ],
        "one line again and again": ["x\n"] * DIFF_LINES,
    }
    for what, old in texts.items():
        new = list(old)
        for place in chance.sample(range(DIFF_LINES), DIFF_CHANGES):
            new[place] = f"changed at {place}\n"
        seconds = median(_diff_seconds("".join(old), "".join(new)) for _ in range(ROUNDS))
        missed = "" if seconds <= DIFF_SECONDS else ": MISSED"
        line(f"diff, {what}", milliseconds(seconds), f"(aim at most {milliseconds(DIFF_SECONDS)}{missed})")


def _diff_seconds(old: str, new: str) -> float:
    start = time.process_time()
    "".join(unified("f", old, new))
    return time.process_time() - start


def main() -> None:
    note(f"{interpreter()}; medians of {ROUNDS}")
    asyncio.run(edits())
    diffs()


if __name__ == "__main__":
    main()

"""How the benchmarks measure and print: CPU time, medians, and ratios within one run."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal


async def cpu_seconds(work: Callable[[], Awaitable[object]], times: int) -> float:
    """CPU time of one `work`, of all threads of this process, over `times` in a row.

    Garbage from before is collected first, and one `work` goes before, unmeasured, to warm the caches again.
    """
    gc.collect()
    await work()
    start = time.process_time()
    for _ in range(times):
        await work()
    return (time.process_time() - start) / times


@dataclass(frozen=True, slots=True)
class Aim:
    """What a ratio should be."""

    bound: float
    side: Literal["at most", "at least"] = "at most"

    def cell(self, ratio: float) -> str:
        """The ratio beside its aim, and a word where it is missed."""
        reached = ratio <= self.bound if self.side == "at most" else ratio >= self.bound
        return f"{ratio:.2f}x (aim {self.side} {self.bound:g}x{'' if reached else ': MISSED'})"


def microseconds(seconds: float) -> str:
    return f"{seconds * 1e6:.1f} µs" if seconds < 100e-6 else f"{seconds * 1e6:,.0f} µs"


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms"


def line(what: str, *cells: str) -> None:
    """One measurement: what was done, then its figures."""
    print("   ".join((f"{what:<42}", *cells)), flush=True)


def note(text: str) -> None:
    print(text, flush=True)


def interpreter() -> str:
    return f"Python {sys.version.split()[0]} on {sys.platform}"

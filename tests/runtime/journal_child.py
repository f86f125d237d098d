"""A process of its own that writes to a journal and says which events were acknowledged.

Arguments: the file, the session, how many calls, how many of them in flight at once.
Prints the number of each event when it is durable.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from journal_states import call

from handrail.contract.basics import Instant, SessionId
from handrail.runtime.journal import SqliteJournal


async def main(path: Path, session: SessionId, calls: int, in_flight: int) -> None:
    journal = await SqliteJournal.open(path, session, workspace=path.parent, started=Instant(1.0))
    numbers = iter(range(calls))

    async def work() -> None:
        for number in numbers:
            sequence = journal.append(call(number))
            await journal.durable(sequence)
            print(sequence, flush=True)

    await asyncio.gather(*(work() for _ in range(in_flight)))
    await journal.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), SessionId(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])))

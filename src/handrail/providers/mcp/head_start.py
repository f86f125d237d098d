"""The time that a session has for its first calls before its servers start, all at once: to load the SDK and to start
programs holds up everything else in the process.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress

HEAD_START = 0.3
"""Seconds."""
MOST = 2.0
"""Seconds of it on a machine that is busy with other things, while the process is at work itself."""
SHARE = 0.25
"""Seconds of a processor that a session is let have by then: twice what its first call takes."""
LOOK_EVERY = 0.1
AT_WORK = 0.005
"""Seconds of a processor between two looks from which on the process is at work."""


async def head_start(wanted: asyncio.Event) -> None:
    """Returns when it is over, and at once when somebody waits for the server."""
    clock = asyncio.get_running_loop().time
    began, spent = clock(), time.process_time()
    before = spent
    while not wanted.is_set():
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK_EVERY):
                await wanted.wait()
        waited, now = clock() - began, time.process_time()
        is_at_work = now - before >= AT_WORK and now - spent < SHARE
        before = now
        if waited >= MOST or (waited >= HEAD_START and not is_at_work):
            return

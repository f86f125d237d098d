"""Starts the terminal: which skin, and how it ends."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from handrail.errors import UsageError
from handrail.runtime.who import governed_by
from handrail.settings.places import state_folder
from handrail.surfaces.cli import exits
from handrail.surfaces.cli.hints import in_that
from handrail.surfaces.terminal.console import Console, Opening, Skin
from handrail.surfaces.terminal.hangup import is_gone, show_nothing_more

DUMB = ("", "dumb", "unknown")
"""Terminals that can't move a cursor."""
NO_TERMINAL = (
    "there is no terminal to ask and answer at; for one task without one: handrail run 'what to do'; "
    "handrail --help lists all commands"
)


def run_terminal(opening: Opening, *, plain: bool = False) -> int:
    """The exit code. Raises UsageError where stdin or stdout is no terminal, HandrailError where the session can't
    be opened. `plain` neither colours nor draws anything anew: for people who listen, and for dumb terminals.
    """
    check_terminal()
    console = Console(opening)
    console.skin = _plain(console) if plain or os.environ.get("TERM", "") in DUMB else _comfortable(console)
    return asyncio.run(_run(console, console.skin, opening.settings.workspace))


def check_terminal() -> None:
    """Raises UsageError, also within a governed call: a model must not answer what it asks for."""
    if why := governed_by(None):
        raise UsageError(f"the terminal may not be opened here, for {why}")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(NO_TERMINAL)


def _plain(console: Console) -> Skin:
    from handrail.surfaces.terminal.plain import Plain

    return Plain(console)


def _comfortable(console: Console) -> Skin:
    from handrail.surfaces.terminal.prompt import Prompt

    return Prompt(console, state_folder(), colour="NO_COLOR" not in os.environ)


async def _run(console: Console, skin: Skin, workspace: Path) -> int:
    """The session is closed, and every call has its result, before this returns."""
    ended, faults = asyncio.Event(), list[Exception]()

    def end() -> None:
        ended.set()
        skin.leave()

    def end_unseen() -> None:
        show_nothing_more()
        end()

    def take(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if is_gone(error := context.get("exception")):
            end_unseen()
        elif isinstance(error, Exception):
            faults.append(error)
            skin.leave()
        else:
            loop.default_exception_handler(context)

    loop = asyncio.get_running_loop()
    loop.set_exception_handler(take)
    for number, handle in ((signal.SIGTERM, end), (signal.SIGHUP, end_unseen)):
        with suppress(NotImplementedError):
            loop.add_signal_handler(number, handle)
    serving = asyncio.create_task(console.serve())
    serving.add_done_callback(lambda _: skin.leave())
    try:
        await skin.run()
    except (OSError, EOFError) as error:
        if not is_gone(error):
            raise
        end_unseen()
    finally:
        serving.cancel()
        await asyncio.wait([serving])
    if not serving.cancelled():
        serving.result()
    if faults:
        raise faults[0]
    if console.session:
        exits.told(f"to go on with this session: handrail --resume {console.session}{in_that(workspace)}")
    return exits.INTERRUPTED if ended.is_set() else exits.DONE

"""A page of HTML as Markdown. What parses it is a child process: `html_program` says why."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO

from handrail.contract.context import Workspace
from handrail.contract.effects import Effects
from handrail.contract.launching import Finished, Launcher, LaunchSpec
from handrail.contract.values import value
from handrail.errors import LauncherError, ToolFailed
from handrail.runtime.environment import child_environment

SECONDS = 20.0
MOST_CHARACTERS = 4_000_000
"""Of the Markdown of one page."""
_KEPT = 2 * 4 * MOST_CHARACTERS + 10_000
"""A character is at most four bytes, and the launcher keeps half of this from the start."""
_PARSERS = ("selectolax", "html_to_markdown")


@value
class Page:
    """What a page has for readers."""

    title: str
    markdown: str


async def read_page(html: str, source: str, launcher: Launcher, workspace: Workspace) -> Page:
    """Links are made whole from `source`, the page's address. Raises ToolFailed for what can't be parsed in time."""
    with tempfile.TemporaryFile() as document:
        await asyncio.to_thread(_fill, document, html)
        try:
            finished = await launcher.run(_spec(document.fileno(), source, workspace))
        except LauncherError as error:
            raise ToolFailed(f"The page at {source} could not be read. {error}") from error
    return _page(finished, source)


def _fill(document: BinaryIO, html: str) -> None:
    document.write(html.encode("utf-8", "replace"))
    document.flush()


def _spec(handle: int, source: str, workspace: Workspace) -> LaunchSpec:
    places = []
    for parser in _PARSERS:
        found = find_spec(parser)
        if found is None or found.origin is None:
            raise ToolFailed(f"Pages of HTML can't be read: the package {parser} is not installed. Install it.")
        places.append(str(Path(found.origin).parent.parent))
    asked = {"places": sorted(set(places)), "handle": handle, "base": source, "most": MOST_CHARACTERS}
    return LaunchSpec(
        (sys.executable, "-I", str(Path(__file__).with_name("html_program.py")), json.dumps(asked)),
        cwd=workspace.root,
        env=child_environment(os.environ),
        effects=Effects.none(),
        timeout=SECONDS,
        keep_output=_KEPT,
        handles=(handle,),
    )


def _page(finished: Finished, source: str) -> Page:
    if finished.ending == "timeout":
        raise ToolFailed(f"The page at {source} could not be read within {SECONDS:g} s. Fetch another one.")
    head, _, markdown = (finished.head + finished.tail).decode("utf-8", "replace").partition("\n")
    try:
        said = json.loads(head)
    except ValueError:
        said = {"problem": "the parser crashed" if finished.ending == "signalled" else "nothing came of it"}
    if not isinstance(said, dict) or "title" not in said:
        raise ToolFailed(f"The page at {source} could not be read: {said.get('problem', head)}. Fetch another one.")
    return Page(str(said["title"]), markdown)

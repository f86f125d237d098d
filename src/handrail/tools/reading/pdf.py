"""The text of a PDF document, page by page. What parses the document is a child process: `pdf_program` says why."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

from handrail.contract.context import Workspace
from handrail.contract.launching import Finished, Launcher, LaunchSpec
from handrail.errors import LauncherError, ToolFailed
from handrail.runtime.environment import child_environment
from handrail.tools.reading.ranges import Range, in_short
from handrail.tools.reading.view import MOST_CHARACTERS, View
from handrail.tools.text.counting import counted

MOST_PAGES = 20
"""Of one result."""
TIMEOUT = 60.0
"""Seconds for one result."""
_WHOLE: Sequence[Range] = ((1, None),)
_KEPT = 6 * MOST_CHARACTERS + 1_000_000
"""Bytes of what is printed: a character can take six as JSON, and the wanted pages are listed."""
_ON_LINUX = sys.platform == "linux"


async def pdf_view(data: bytes, ranges: Sequence[Range], shown: str, launcher: Launcher, workspace: Workspace) -> View:
    """The pages of the ranges, or the first ones. Raises ToolFailed for a document that can't be read."""
    import asyncio  # as long to load as all the tools together, and whoever only lists them needs none of it

    with _opened() as document:
        await asyncio.to_thread(_fill, document, data)
        try:
            finished = await launcher.run(_spec(document.fileno(), ranges or _WHOLE, workspace))
        except LauncherError as error:
            raise ToolFailed(f"{shown} could not be read. {error}") from error
    return _view(_Answer.of(finished), shown)


def _opened() -> BinaryIO:
    """A file without a name."""
    if _ON_LINUX:
        return os.fdopen(os.memfd_create("document"), "w+b")
    import tempfile

    return tempfile.TemporaryFile()


def _fill(document: BinaryIO, data: bytes) -> None:
    document.write(data)
    document.flush()


def _spec(handle: int, ranges: Sequence[Range], workspace: Workspace) -> LaunchSpec:
    from importlib.util import find_spec  # most runs read no such document

    found = find_spec("pypdf")
    if found is None or found.origin is None:
        raise ToolFailed("PDF documents can't be read: the package pypdf is not installed. Install it.")
    asked = {
        "place": str(Path(found.origin).parent.parent),
        "handle": handle,
        "ranges": ranges,
        "most_pages": MOST_PAGES,
        "most_characters": MOST_CHARACTERS,
    }
    program = Path(__file__).with_name("pdf_program.py")
    return LaunchSpec(
        (sys.executable, "-I", str(program), json.dumps(asked)),
        cwd=workspace.root,
        env=child_environment(os.environ),
        timeout=TIMEOUT,
        keep_output=2 * _KEPT,
        handles=(handle,),
    )


class _Answer:
    """What the program said."""

    def __init__(self, said: Sequence[dict[str, Any]], ending: str) -> None:
        self.head = next((line for line in said if "total" in line), None)
        self.pages = [line for line in said if "page" in line]
        self.problem = next((line for line in said if "problem" in line), None)
        self.ending = ending

    @classmethod
    def of(cls, finished: Finished) -> _Answer:
        lines = (finished.head + finished.tail).split(b"\n")
        said = [json.loads(line) for line in lines if line.startswith(b"{") and line.endswith(b"}")]
        return cls(said, finished.ending)

    def why(self) -> str:
        """Why there is no more; empty when that is all."""
        if self.problem is not None:
            return str(self.problem.get("why", self.problem["problem"]))
        if self.ending == "timeout":
            return f"it took more than {TIMEOUT:g} s"
        return "the parser crashed" if self.ending == "signalled" else ""


def _view(answer: _Answer, shown: str) -> View:
    if answer.problem == {"problem": "encrypted"}:
        raise ToolFailed(f"{shown} is a PDF document with a password. Ask the user for a copy without one.")
    why = answer.why()
    if answer.head is None or (why and not answer.pages):
        raise ToolFailed(
            f"{shown} is a PDF document that can't be read: {why or 'nothing came of it'}. Get another copy."
        )
    total, wanted = int(answer.head["total"]), list(answer.head["wanted"])
    if not wanted:
        raise ToolFailed(f"The pages given are past the end: {shown} has {counted(total, 'page')}.")
    pages = [int(page["page"]) for page in answer.pages]
    name = f"Pages {in_short(pages)} of {total:,}"
    rows = [f"[{shown}: a PDF document, {counted(total, 'page')}{_titled(answer.head)}.]"]
    for page in answer.pages:
        rows += _rows(page)
    left = wanted[len(pages) :]
    if why:
        rows.append(f"[Page {left[0]} and what follows can't be read: {why}. Try pages after it by themselves.]")
    elif left:
        rows.append(f'[{name}. To go on: pages="{in_short(left)}".]')
    elif len(pages) < total:
        rows.append(f"[{name}.]")
    return View.of_text(name, rows, {"pages": list(pages), "total": total})


def _titled(head: dict[str, Any]) -> str:
    return f", titled {json.dumps(head['title'], ensure_ascii=False)}" if head["title"] else ""


def _rows(page: dict[str, Any]) -> list[str]:
    text = str(page["text"]).strip()
    pictures = counted(int(page["images"]), "picture")
    rows = [f"[Page {page['page']}]"]
    if text:
        rows.append(text)
    elif page["images"]:
        rows.append(f"[No text, {pictures}: it may be a scan. Make an image of the page by the shell and read that.]")
    else:
        rows.append("[No text.]")
    if page["more"]:
        rows.append(f"[… {counted(page['more'], 'more character')}]")
    return rows

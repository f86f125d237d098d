"""Read several files at once: by name, or by globs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import Field

from handrail.contract.context import FileLedger, FileReader, Workspace
from handrail.contract.effects import Claims
from handrail.contract.launching import Launcher
from handrail.contract.results import CallFault, ErrorKind, Part, TextDisplay, TextPart, ToolResult
from handrail.contract.tool import Kind, Tool
from handrail.errors import FileTooLarge, ToolFailed
from handrail.runtime.names import shown_name
from handrail.tools.descriptions import description_of
from handrail.tools.parameters import Parameters
from handrail.tools.reading.gathering import Gathered, Gathering, claims_for
from handrail.tools.reading.kinds import view_of
from handrail.tools.reading.text import Page
from handrail.tools.reading.view import MOST_CHARACTERS, View
from handrail.tools.search.program import Programs
from handrail.tools.text.counting import counted
from handrail.tools.text.media import PDF, image_type

MOST_FILES = 200
"""Read in one call."""
MOST_LINES = 2_000
"""Of each file."""
_LEAST = 1_000
"""Characters that make it worth to begin another file."""
_MOST_NAMED = 20


class Params(Parameters):
    paths: list[str] = Field(
        min_length=1,
        max_length=200,
        description="Files, and globs for several: `src/**/*.py`. `docs/` is all that is below it.",
    )
    exclude: list[str] = Field(default=[], description="Globs of files to leave out of what the globs in paths find.")
    include_ignored: bool = Field(default=False, description="Also read what .gitignore leaves out.")


class ReadManyFiles(Tool[Params]):
    name = "read_many_files"
    title = "Read several files"
    kind = Kind.READ
    description = description_of("read_many_files")
    max_result_chars = MOST_CHARACTERS + 20_000
    """Room for notes."""

    def __init__(self) -> None:
        self._programs = Programs()

    def describe(self, params: Params) -> str:
        more = f" and {counted(len(params.paths) - 1, 'other')}" if len(params.paths) > 1 else ""
        return f"Read {params.paths[0]}{more}"

    def effects(self, params: Params) -> Claims:
        return claims_for(params.paths)

    async def check(self, params: Params, workspace: Workspace) -> str | None:
        if any("\0" in path for path in (*params.paths, *params.exclude)):
            return "paths and exclude can't hold a NUL character: no name does."
        return None if all(params.paths) else "paths holds an empty one. Leave it out."

    async def run(
        self, params: Params, files: FileReader, launcher: Launcher, workspace: Workspace, ledger: FileLedger
    ) -> ToolResult:
        gathering = Gathering(self._programs, files, launcher, workspace, ignored=params.include_ignored)
        gathered = await gathering.gather(params.paths, params.exclude)
        reading = _Reading(files, workspace, ledger)
        await reading.read(gathered.files)
        return _result(gathered, reading)


class _Reading:
    """Reads one file after another, as long as there is room. What can't be read says so, and stops no other."""

    def __init__(self, files: FileReader, workspace: Workspace, ledger: FileLedger) -> None:
        self._files = files
        self._workspace = workspace
        self._ledger = ledger
        self.parts: list[Part] = []
        self.shown: list[str] = []
        self.failed = 0
        self.left: Sequence[str] = ()
        """For which there was no room."""

    async def read(self, paths: Mapping[str, bool]) -> None:
        """Each file gets an equal share of the room that is left; a short one leaves some of its own."""
        room, files = MOST_CHARACTERS, min(len(paths), MOST_FILES)
        for number, (path, was_named) in enumerate(paths.items()):
            if number == MOST_FILES or room < _LEAST:
                self.left = list(paths)[number:]
                return
            room -= await self._one(path, max(room // (files - number), _LEAST), was_named=was_named)

    async def _one(self, path: str, room: int, *, was_named: bool) -> int:
        """The characters that it took."""
        shown = shown_name(self._workspace.shown(self._workspace.absolute(path)))
        heading = TextPart(f"==> {shown} <==")
        try:
            parts = (await self._view(path, shown, room, was_named=was_named)).parts
            self.shown.append(shown)
        except ToolFailed as error:
            self.failed += 1
            parts = (TextPart(f"[{error}]"),)
        self.parts += [heading, *parts]
        return sum(len(part.text) + 1 for part in (heading, *parts) if isinstance(part, TextPart))

    async def _view(self, path: str, shown: str, room: int, *, was_named: bool) -> View:
        import asyncio  # as long to load as all the tools together, and whoever only lists them needs none of it

        try:
            content = await self._files.read(path)
        except FileTooLarge as error:
            raise ToolFailed(f"{error} Read by itself, it is shown in parts.") from None
        if content.data.startswith(PDF):
            raise ToolFailed(f"{shown} is a PDF document. Read it by itself.")
        if not was_named and (media_type := image_type(content.data)):
            raise ToolFailed(f"{shown} is an image ({media_type}). Name it to see it.")
        view = await asyncio.to_thread(view_of, content, Page(1, MOST_LINES, room), shown)
        self._ledger.note(content, view.name)
        return view


def _result(gathered: Gathered, reading: _Reading) -> ToolResult:
    notes = list(gathered.notes)
    if reading.left:
        named = ", ".join(map(shown_name, reading.left[:_MOST_NAMED]))
        more = ", …" if len(reading.left) > _MOST_NAMED else ""
        notes.append(f"[There was no room for {counted(len(reading.left), 'more file')}: {named}{more}.]")
    count = f"{counted(len(reading.shown), 'file')} of {len(gathered.files):,} shown"
    notes.append(f"[{count}.]")
    fault = CallFault(ErrorKind.TIMEOUT, "A look for files took too long.") if gathered.timed_out else None
    if not reading.shown and fault is None:
        fault = CallFault(ErrorKind.FAILED, "None of these files could be read.")
    data = {"files": len(gathered.files), "shown": len(reading.shown), "failed": reading.failed}
    return ToolResult(
        (*_joined(reading.parts), TextPart("\n".join(notes))), display=TextDisplay(count), fault=fault, data=data
    )


def _joined(parts: Sequence[Part]) -> list[Part]:
    """Text that stands side by side as one part: an image between is a part of its own."""
    joined: list[Part] = []
    for part in parts:
        last = joined[-1] if joined else None
        if isinstance(part, TextPart) and isinstance(last, TextPart):
            joined[-1] = TextPart(f"{last.text}\n{part.text}")
        else:
            joined.append(part)
    return joined

"""Find files by name."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from handrail.contract.context import FileReader, Workspace
from handrail.contract.launching import Launcher
from handrail.contract.results import CallFault, ErrorKind, TextDisplay, TextPart, ToolResult
from handrail.contract.tool import Kind, Reads, Tool
from handrail.errors import ToolFailed
from handrail.tools.descriptions import description_of
from handrail.tools.parameters import Parameters
from handrail.tools.search.endless import stuck
from handrail.tools.search.globs import BadGlob
from handrail.tools.search.paging import Found, page_note
from handrail.tools.search.program import Programs
from handrail.tools.search.rendering import MOST_CHARACTERS, Row, fitting
from handrail.tools.search.ripgrep import BadSearch, Bounds, Ended, Ripgrep
from handrail.tools.search.scope import Scope, in_order, names_of, passed_by, scope_of, secrets_note
from handrail.tools.search.wanted import Wanted

DEFAULT_LIMIT = 1_000
MOST_COUNTED = 100_000
"""Files after which the search is stopped, and made once more in order, for the first ones."""
_OFTEN_ENOUGH = 20_000
"""Names after which those that come too late are dropped."""


class Params(Parameters):
    pattern: str = Field(min_length=1, description="A glob, relative to path: `*.py`, `src/**/*.{ts,tsx}`.")
    path: Annotated[str, Reads("tree", spares_secrets=True)] = Field(
        default=".", description="The folder to search below. A relative path starts at the workspace."
    )
    include_ignored: bool = Field(default=False, description="Also find what .gitignore leaves out.")
    limit: int = Field(default=DEFAULT_LIMIT, ge=1, le=2_000, description="How many paths to show.")
    offset: int = Field(default=0, ge=0, le=MOST_COUNTED, description="How many to pass over: shows the next page.")
    timeout: float = Field(default=30, ge=30, le=600, description="Seconds after which the search is stopped.")


class Glob(Tool[Params]):
    name = "glob"
    title = "Find files"
    kind = Kind.SEARCH
    description = description_of("glob")

    def __init__(self) -> None:
        self._programs = Programs()

    def describe(self, params: Params) -> str:
        return f"Find {params.pattern}" + (f" in {params.path}" if params.path != "." else "")

    async def check(self, params: Params, workspace: Workspace) -> str | None:
        return "pattern can't hold a NUL character: no name does." if "\0" in params.pattern else None

    async def run(self, params: Params, files: FileReader, launcher: Launcher, workspace: Workspace) -> ToolResult:
        scope = await scope_of(params.path, files, workspace)
        if scope.is_file:
            raise ToolFailed(f"{scope.shown} is a file, not a folder. Give the folder to search below as path.")
        bounds = Bounds(scope.folder, params.include_ignored, params.timeout)
        ripgrep = Ripgrep(self._programs, launcher, workspace, bounds)
        try:
            wanted = Wanted(params.pattern)
            names, ended = await _listed(params, wanted, scope, ripgrep)
        except (BadGlob, BadSearch) as error:
            raise ToolFailed(f"pattern is not a glob that can be used: {error}. Correct it.") from None
        complaints = await ripgrep.complaints((), scope.targets) if ended.troubled else []
        return _result(params, scope, names, ended, complaints)


class _Names:
    """Takes the names that ripgrep lists, and keeps those that come first."""

    def __init__(self, wanted: Wanted, scope: Scope, first: int, most: int) -> None:
        self._wanted = wanted
        self._scope = scope
        self._first = first
        self._most = most
        self._kept: list[str] = []
        self.total = 0
        self.secret: list[str] = []

    def take(self, records: list[bytes]) -> bool:
        names = names_of(records)
        if not self._wanted.known_beforehand:
            names = [name for name in names if self._wanted.holds(name)]
        secret = [name for name in names if self._scope.is_secret(name)]
        if secret:
            self.secret += secret
            names = [name for name in names if not self._scope.is_secret(name)]
        self.total += len(names)
        self._kept += names
        if len(self._kept) > max(2 * self._first, _OFTEN_ENOUGH):
            self._kept = self.first()
        return self.total < self._most

    def first(self) -> list[str]:
        return sorted(self._kept, key=in_order)[: self._first]


async def _listed(params: Params, wanted: Wanted, scope: Scope, ripgrep: Ripgrep) -> tuple[_Names, Ended]:
    options = ("--files", "--null", *wanted.beforehand())
    end = params.offset + params.limit
    names = _Names(wanted, scope, end, MOST_COUNTED)
    ended = await ripgrep.run(options, scope.targets, b"\0", names.take)
    if not ended.complete:
        in_turn = _Names(wanted, scope, end, end)
        await ripgrep.run(("--sort=path", *options), scope.targets, b"\0", in_turn.take)
        in_turn.total = names.total
        return in_turn, ended
    return names, ended


def _result(params: Params, scope: Scope, names: _Names, ended: Ended, complaints: list[str]) -> ToolResult:
    fit = fitting((Row(scope.path_of(name)) for name in names.first()[params.offset :]), params.limit, MOST_CHARACTERS)
    rows = [row.text for row in fit]
    found = Found(MOST_COUNTED if not ended.complete else names.total, "file", ended.complete)
    if note := page_note(params.offset, len(rows), found):
        rows.append(note)
    fault = None
    if ended.timed_out:
        fault = CallFault(ErrorKind.TIMEOUT, f"The search took more than {params.timeout:g} s and was stopped.")
        advice = stuck(ended.stuck_at) if ended.stuck_at else "Narrow path, or give more timeout."
        rows.append(f"[{fault.message} This is what was found until then. {advice}]")
    elif not names.total and not names.secret:
        rows.append(f"No file in {scope.shown} matches {params.pattern}.")
        rows.append(f"[{passed_by(ignored=params.include_ignored)}]")
        if params.pattern.startswith(("/", "~")):
            rows.append("[A pattern is relative to path. Give the folder as path, and the pattern below it.]")
        if "[" in params.pattern:
            rows.append(r"[`[…]` is a choice of characters; write `\[` for a bracket in a name.]")
    if names.secret:
        rows.append(secrets_note(sorted(names.secret, key=in_order), scope, "listed"))
    rows += [f"[Not searched: {complaint}.]" for complaint in complaints]
    data = {"files": names.total, "secret": len(names.secret)}
    return ToolResult((TextPart("\n".join(rows)),), display=TextDisplay(found.in_words), fault=fault, data=data)

"""Find files by name."""

from __future__ import annotations

import os
from typing import Annotated

from pydantic import Field

from handrail.contract.context import FileReader, Workspace
from handrail.contract.launching import Launcher
from handrail.contract.results import CallFault, ErrorKind, TextDisplay, TextPart, ToolResult
from handrail.contract.tool import Kind, Reads, Tool
from handrail.errors import ToolFailed
from handrail.tools.descriptions import description_of
from handrail.tools.parameters import Parameters
from handrail.tools.search.globs import BadGlob, GlobPattern
from handrail.tools.search.matches import in_order
from handrail.tools.search.ripgrep import TIMEOUT, BadSearch, Ended, Ripgrep, names_like
from handrail.tools.search.scope import IGNORED_HINT, Scope, scope_of, secrets_note
from handrail.tools.text.counting import counted

MOST_SHOWN = 1_000
MOST_COUNTED = 100_000
"""Files after which the search is stopped."""


class Params(Parameters):
    pattern: str = Field(min_length=1, description="A glob, relative to path: `*.py`, `src/**/*.{ts,tsx}`.")
    path: Annotated[str, Reads("tree", spares_secrets=True)] = Field(
        default=".", description="The folder to search below. A relative path starts at the workspace."
    )
    include_ignored: bool = Field(default=False, description="Also find what .gitignore leaves out.")


class Glob(Tool[Params]):
    name = "glob"
    title = "Find files"
    kind = Kind.SEARCH
    aliases = ("Glob",)
    description = description_of("glob")

    def describe(self, params: Params) -> str:
        return f"Find {params.pattern}" + (f" in {params.path}" if params.path != "." else "")

    async def check(self, params: Params, workspace: Workspace) -> str | None:
        return "pattern can't hold a NUL character: no name does." if "\0" in params.pattern else None

    async def run(self, params: Params, files: FileReader, launcher: Launcher, workspace: Workspace) -> ToolResult:
        scope = await scope_of(params.path, files, workspace)
        if scope.is_file:
            raise ToolFailed(f"{scope.shown} is a file, not a folder. Give the folder to search below as path.")
        ripgrep = Ripgrep(launcher, workspace, scope.folder, ignored=params.include_ignored)
        try:
            pattern = GlobPattern.parse(params.pattern)
            found = _Found(pattern, scope)
            ended = await ripgrep.run(["--files", "--null", *names_like(pattern)], ".", b"\0", found.take)
        except (BadGlob, BadSearch) as error:
            raise ToolFailed(f"pattern is not a glob that can be used: {error}. Correct it.") from None
        complaints = await ripgrep.complaints((), ".") if ended.troubled else []
        return _result(params, scope, found, ended, complaints)


class _Found:
    """Takes the names that ripgrep lists."""

    def __init__(self, pattern: GlobPattern, scope: Scope) -> None:
        self._pattern = pattern
        self._scope = scope
        self.names: list[str] = []
        self.secret: list[str] = []

    def take(self, record: bytes) -> bool:
        name = os.fsdecode(record).removeprefix("./")
        if name and (self._pattern.by_name_alone or self._pattern.matches(name)):
            (self.secret if self._scope.is_secret(name) else self.names).append(name)
        return len(self.names) < MOST_COUNTED


def _result(params: Params, scope: Scope, found: _Found, ended: Ended, complaints: list[str]) -> ToolResult:
    names = sorted(found.names, key=in_order)
    rows = [scope.path_of(name) for name in names[:MOST_SHOWN]]
    total = counted(len(names), "file") if ended.complete else f"more than {MOST_COUNTED:,} files"
    if len(names) > MOST_SHOWN:
        rows.append(f"[{MOST_SHOWN:,} of {total}; use a narrower pattern or path for the others.]")
    fault = None
    if ended.timed_out:
        fault = CallFault(ErrorKind.TIMEOUT, f"The search took more than {TIMEOUT:g} s and was stopped.")
        rows.append(f"[{fault.message} This is what was found until then; use a narrower path.]")
    elif not names and not found.secret:
        rows.append(f"No file in {scope.shown} matches {params.pattern}.")
        if not params.include_ignored:
            rows.append(f"[{IGNORED_HINT}]")
        if "[" in params.pattern:
            rows.append(r"[`[…]` is a choice of characters; write `\[` for a bracket in a name.]")
    if found.secret:
        rows.append(secrets_note(sorted(found.secret), scope, "listed"))
    rows += [f"[Not searched: {complaint}.]" for complaint in complaints]
    data = {"files": len(names), "secret": len(found.secret)}
    return ToolResult((TextPart("\n".join(rows)),), display=TextDisplay(total), fault=fault, data=data)

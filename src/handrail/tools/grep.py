"""Find text in files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from handrail.contract.context import FileReader, Workspace
from handrail.contract.launching import Launcher
from handrail.contract.results import CallFault, ErrorKind, TextDisplay, TextPart, ToolResult
from handrail.contract.tool import Kind, Reads, Tool
from handrail.contract.values import value
from handrail.errors import ToolFailed
from handrail.tools.descriptions import description_of
from handrail.tools.parameters import Parameters
from handrail.tools.search.globs import BadGlob, GlobPattern
from handrail.tools.search.matches import Matches
from handrail.tools.search.rendering import OutputMode, fitting, rows_of
from handrail.tools.search.ripgrep import TIMEOUT, BadSearch, Ended, Ripgrep, names_like
from handrail.tools.search.scope import IGNORED_HINT, Scope, scope_of, secrets_note
from handrail.tools.search.secret_files import excluding, secret_files
from handrail.tools.text.counting import counted

DEFAULT_LIMIT = 200
MOST_CHARACTERS = 30_000
"""Of one result: about what 7,500 tokens hold."""


class Params(Parameters):
    pattern: str = Field(min_length=1, description="A regular expression (Rust syntax: no look-around).")
    path: Annotated[str, Reads("tree", spares_secrets=True)] = Field(
        default=".", description="The folder to search below, or one file. A relative path starts at the workspace."
    )
    glob: str = Field(default="", description="Only files that match this glob, relative to path: `*.py`.")
    output_mode: OutputMode = Field(
        default="content", description="Matching lines with their numbers, paths alone, or matching lines per file."
    )
    context: int = Field(default=0, ge=0, le=50, description="Lines to show around each match.")
    ignore_case: bool = Field(default=False, description="Take upper and lower case as the same.")
    include_ignored: bool = Field(default=False, description="Also search what .gitignore leaves out.")
    limit: int = Field(default=DEFAULT_LIMIT, ge=1, le=2_000, description="How many matching lines, or files, to show.")


class Grep(Tool[Params]):
    name = "grep"
    title = "Search in files"
    kind = Kind.SEARCH
    description = description_of("grep")

    def describe(self, params: Params) -> str:
        return f"Search for {params.pattern}" + (f" in {params.path}" if params.path != "." else "")

    async def check(self, params: Params, workspace: Workspace) -> str | None:
        if "\0" in params.pattern + params.glob:
            return "pattern and glob can't hold a NUL character. Write \\x00 in the pattern to search for one."
        return None

    async def run(self, params: Params, files: FileReader, launcher: Launcher, workspace: Workspace) -> ToolResult:
        scope = await scope_of(params.path, files, workspace)
        ripgrep = Ripgrep(launcher, workspace, scope.folder, ignored=params.include_ignored)
        try:
            wanted = GlobPattern.parse(params.glob) if params.glob else None
        except BadGlob as error:
            raise ToolFailed(f"glob can't be used: {error}. Correct it.") from None
        secret = [] if scope.is_file else await secret_files(ripgrep, scope, wanted)
        filters = [*(names_like(wanted) if wanted else ()), *excluding(secret)]
        matches = Matches(params.limit, lambda name: _is_wanted(scope, wanted, name), by_line=_by_line(params))
        try:
            ended = await ripgrep.run([*_options(params), *filters], scope.target, b"\n", matches.take)
        except BadSearch as error:
            raise ToolFailed(f"The search can't be made: {error}. Correct the pattern and try again.") from None
        complaints = await ripgrep.complaints(filters, scope.target) if ended.troubled else []
        return _result(params, scope, matches, ended, _Aside(secret, complaints))


@value
class _Aside:
    """What was not searched: secret files, and what could not be read and why."""

    secret: list[str]
    complaints: list[str]


def _by_line(params: Params) -> bool:
    return params.output_mode == "content"


def _options(params: Params) -> Iterator[str]:
    yield from ("--json", f"--regexp={params.pattern}", f"--context={params.context if _by_line(params) else 0}")
    if params.ignore_case:
        yield "--ignore-case"
    if params.output_mode == "files":
        yield "--max-count=1"


def _is_wanted(scope: Scope, wanted: GlobPattern | None, name: str) -> bool:
    """The one file that was named is: reading it was asked about if it is secret."""
    if scope.is_file:
        return True
    return not scope.is_secret(name) and (wanted is None or wanted.matches(name))


def _result(params: Params, scope: Scope, matches: Matches, ended: Ended, aside: _Aside) -> ToolResult:
    found = rows_of(matches.files(), params.output_mode, gaps=params.context > 0, path_of=scope.path_of)
    fit = fitting(found, params.limit, MOST_CHARACTERS)
    rows, shown = [row.text for row in fit], sum(row.counts for row in fit)
    more = "" if ended.complete else "more than "
    total = matches.count if _by_line(params) else matches.file_count
    thing = "matching lines" if _by_line(params) else "files"
    if shown < total:
        rows.append(f"[{shown:,} of {more}{total:,} {thing} shown; narrow the pattern, path or glob for the others.]")
    if matches.too_long:
        rows.append(f"[Not shown: {counted(matches.too_long, 'match', 'matches')} on lines of many megabytes.]")
    fault = None
    if ended.timed_out:
        fault = CallFault(ErrorKind.TIMEOUT, f"The search took more than {TIMEOUT:g} s and was stopped.")
        rows.append(f"[{fault.message} This is what was found until then; use a narrower path or glob.]")
    elif not matches.file_count:
        rows.append(_nothing(params, scope))
    if aside.secret:
        rows.append(secrets_note(aside.secret, scope, "searched"))
    rows += [f"[Not searched: {complaint}.]" for complaint in aside.complaints]
    lines, files = counted(matches.count, "matching line"), counted(matches.file_count, "file")
    data = {"lines": matches.count, "files": matches.file_count, "secret": len(aside.secret)}
    return ToolResult(
        (TextPart("\n".join(rows)),), display=TextDisplay(f"{more}{lines} in {files}"), fault=fault, data=data
    )


def _nothing(params: Params, scope: Scope) -> str:
    where = scope.shown + (f" (glob {params.glob})" if params.glob else "")
    hint = "" if params.include_ignored or scope.is_file else f" {IGNORED_HINT}"
    return f"No match for {params.pattern} in {where}.{hint}"

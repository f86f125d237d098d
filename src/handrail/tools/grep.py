"""Find text in files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from handrail.contract.context import FileReader, Workspace
from handrail.contract.launching import Launcher
from handrail.contract.results import CallFault, ErrorKind, TextDisplay, TextPart, ToolResult
from handrail.contract.tool import Kind, Reads, Tool
from handrail.errors import ToolFailed
from handrail.tools.descriptions import description_of
from handrail.tools.parameters import Parameters
from handrail.tools.search.advice import advice_on
from handrail.tools.search.endless import stuck
from handrail.tools.search.globs import BadGlob
from handrail.tools.search.paging import Found, page_note
from handrail.tools.search.program import Programs
from handrail.tools.search.rendering import MOST_CHARACTERS, Around, OutputMode, fitting, rows_of
from handrail.tools.search.ripgrep import BadSearch, Bounds, Ripgrep
from handrail.tools.search.scope import Scope, passed_by, scope_of, secrets_note
from handrail.tools.search.searching import MOST_COUNTED, Outcome, Search
from handrail.tools.search.wanted import Wanted
from handrail.tools.text.counting import counted

DEFAULT_LIMIT = 100
FEW = 3
"""So few matching lines are shown with `AROUND_FEW` lines of context each: that saves reading the files. Gemini CLI
does the same for two or three."""
AROUND_FEW = 15


class Params(Parameters):
    pattern: str = Field(min_length=1, description="A regular expression (Rust syntax: no look-around).")
    path: Annotated[str, Reads("tree", spares_secrets=True)] = Field(
        default=".", description="The folder to search below, or one file. A relative path starts at the workspace."
    )
    glob: str = Field(default="", description="Only files that match this glob, relative to path: `*.py`, `!*.min.js`.")
    type: str = Field(default="", description="Only files of this type, as ripgrep knows them: py, ts, rust, md.")
    output_mode: OutputMode = Field(
        default="content", description="Matching lines with their numbers, paths alone, or matching lines per file."
    )
    ignore_case: bool = Field(default=False, description="Take upper and lower case as the same.")
    literal: bool = Field(default=False, description="Find the pattern as it stands: it is no regular expression.")
    multiline: bool = Field(default=False, description="Matches may span lines; `.` matches line ends too.")
    context: int | None = Field(
        default=None,
        ge=0,
        le=50,
        description="Lines to show around each match. Unset: 15 if no more than 3 lines match.",
    )
    before: int = Field(default=0, ge=0, le=50, description="Lines to show before each match.")
    after: int = Field(default=0, ge=0, le=50, description="Lines to show after each match.")
    include_ignored: bool = Field(default=False, description="Also search what .gitignore leaves out.")
    encoding: str = Field(default="", description="Of files that are neither UTF-8 nor say what they are: latin1, gbk.")
    limit: int = Field(default=DEFAULT_LIMIT, ge=1, le=2_000, description="How many matching lines, or files, to show.")
    offset: int = Field(default=0, ge=0, le=MOST_COUNTED, description="How many to pass over: shows the next page.")
    timeout: float = Field(default=30, ge=30, le=600, description="Seconds after which the search is stopped.")


class Grep(Tool[Params]):
    name = "grep"
    title = "Search in files"
    kind = Kind.SEARCH
    description = description_of("grep")

    def __init__(self) -> None:
        self._programs = Programs()

    def describe(self, params: Params) -> str:
        return f"Search for {params.pattern}" + (f" in {params.path}" if params.path != "." else "")

    async def check(self, params: Params, workspace: Workspace) -> str | None:
        if "\0" in params.pattern + params.glob + params.type + params.encoding:
            return "No argument can hold a NUL character. Write \\x00 in the pattern to search for one."
        return None

    async def run(self, params: Params, files: FileReader, launcher: Launcher, workspace: Workspace) -> ToolResult:
        scope = await scope_of(params.path, files, workspace)
        bounds = Bounds(scope.folder, params.include_ignored, params.timeout)
        ripgrep = Ripgrep(self._programs, launcher, workspace, bounds)
        by_line = params.output_mode == "content"
        around = _around(params) if by_line else Around()
        try:
            wanted = Wanted(params.glob)
            search = Search(ripgrep, scope, wanted, tuple(_options(params)), params.type, by_line=by_line)
            outcome = await search.run(params.offset + params.limit, around, across_lines=params.multiline)
            if _may_show_more(params, outcome):
                outcome, around = await search.again(outcome, Around(AROUND_FEW, AROUND_FEW))
        except BadGlob as error:
            raise ToolFailed(f"glob can't be used: {error}. Correct it.") from None
        except BadSearch as error:
            raise ToolFailed(f"The search can't be made: {error}. {advice_on(str(error))}") from None
        return _result(params, scope, around, outcome)


def _around(params: Params) -> Around:
    return Around(max(params.before, params.context or 0), max(params.after, params.context or 0))


def _may_show_more(params: Params, outcome: Outcome) -> bool:
    """There are so few matches that what is around them will be wanted next."""
    asked = params.context is not None or params.before or params.after or params.offset
    is_little = params.output_mode == "content" and 0 < outcome.matches.count <= FEW
    return is_little and not asked and not outcome.matches.binary and not outcome.ended.timed_out


def _options(params: Params) -> Iterator[str]:
    yield f"--regexp={params.pattern}"
    if params.ignore_case:
        yield "--ignore-case"
    if params.literal:
        yield "--fixed-strings"
    if params.multiline:
        yield from ("--multiline", "--multiline-dotall")
    if params.encoding:
        yield f"--encoding={params.encoding}"
    if params.output_mode == "files":
        yield "--max-count=1"


def _result(params: Params, scope: Scope, around: Around, outcome: Outcome) -> ToolResult:
    matches, ended = outcome.matches, outcome.ended
    every = rows_of(matches.files(), params.output_mode, params.offset, around, scope.path_of)
    fit = fitting(every, params.limit, MOST_CHARACTERS)
    rows, shown = [row.text for row in fit], sum(row.kind == "counted" for row in fit)
    by_line = params.output_mode == "content"
    found = Found(outcome.total, "matching line" if by_line else "file", ended.complete)
    if note := page_note(params.offset, shown, found):
        rows.append(note)
    fault = None
    if ended.timed_out:
        fault = CallFault(ErrorKind.TIMEOUT, f"The search took more than {params.timeout:g} s and was stopped.")
        advice = stuck(ended.stuck_at) if ended.stuck_at else "Narrow path or glob, or give more timeout."
        rows.append(f"[{fault.message} This is what was found until then. {advice}]")
    elif not matches.file_count:
        rows.append(_nothing(params, scope))
    rows += _aside(scope, outcome)
    lines, files = counted(matches.count, "matching line"), counted(matches.file_count, "file")
    display = f"{lines} in {files}" if ended.complete else found.in_words
    data = {"lines": matches.count, "files": matches.file_count, "secret": len(outcome.secret)}
    return ToolResult((TextPart("\n".join(rows)),), display=TextDisplay(display), fault=fault, data=data)


def _aside(scope: Scope, outcome: Outcome) -> Iterator[str]:
    """What was not searched, or is not shown, and why."""
    matches = outcome.matches
    if matches.too_long:
        yield f"[Not shown: {counted(matches.too_long, 'match', 'matches')} on lines of many megabytes.]"
    for name in matches.binary:
        how = "is a binary file" if scope.is_file else "is binary from some place on, and was searched up to it"
        yield f"[{scope.path_of(name)} {how}.]"
    if outcome.secret:
        yield secrets_note(outcome.secret, scope, "searched")
    yield from (f"[Not searched: {complaint}.]" for complaint in outcome.complaints)


def _nothing(params: Params, scope: Scope) -> str:
    filters = [f"{name} {given}" for name, given in (("glob", params.glob), ("type", params.type)) if given]
    where = scope.shown + (f" ({', '.join(filters)})" if filters else "")
    rows = [f"No match for {params.pattern} in {where}."]
    if not scope.is_file:
        rows.append(f"[{passed_by('binary files', ignored=params.include_ignored)}]")
    if not params.pattern.isascii() and not params.encoding:
        rows.append("[Files were read as UTF-8, or as their byte order mark says; encoding=… reads others.]")
    return "\n".join(rows)

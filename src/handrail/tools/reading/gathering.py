"""Which files are meant by paths and globs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from handrail.contract.context import FileReader, Workspace
from handrail.contract.effects import Claims, PathClaim
from handrail.contract.launching import Launcher
from handrail.contract.values import value
from handrail.errors import ToolFailed
from handrail.runtime.names import shown_name
from handrail.tools.search.endless import stuck
from handrail.tools.search.globs import BadGlob
from handrail.tools.search.program import Programs
from handrail.tools.search.ripgrep import BadSearch, Bounds, Ended, Ripgrep
from handrail.tools.search.scope import Scope, in_order, names_of, passed_by, scope_of, secrets_note
from handrail.tools.search.wanted import Wanted

MOST_FOUND = 10_000
"""Files after which the look for one glob is stopped."""
TIMEOUT = 30.0
"""Seconds for one glob."""
_SPECIAL = frozenset("*?[{")


@value
class Glob:
    """A glob, from the folder in which its first special character stands."""

    folder: str
    pattern: str


def glob_in(path: str) -> Glob | None:
    """None for a path that names one file. One that ends with a slash stands for all that is below."""
    parts = path.split("/")
    at = next((index for index, part in enumerate(parts) if not _SPECIAL.isdisjoint(part)), None)
    if at is None:
        return Glob(path, "**") if path.endswith("/") else None
    if at == 0:
        return Glob(".", path)
    rest = "/".join(parts[at:])
    return Glob("/".join(parts[:at]) or "/", f"/{rest}")  # the slash holds it to this folder


def claims_for(paths: Sequence[str]) -> Claims:
    """A file that is named is read whatever it is; below a glob's folder, secret files are left alone."""
    globs = {path: glob_in(path) for path in paths}
    return Claims(
        reads=tuple(
            PathClaim(path) if glob is None else PathClaim(glob.folder, "tree", spares_secrets=True)
            for path, glob in globs.items()
        )
    )


@dataclass
class Gathered:
    files: dict[str, bool] = field(default_factory=dict)
    """Paths in order, each once; whether it was named itself."""
    notes: list[str] = field(default_factory=list)
    timed_out: bool = False


class Gathering:
    """Looks for the files of one call."""

    def __init__(
        self, programs: Programs, files: FileReader, launcher: Launcher, workspace: Workspace, *, ignored: bool
    ) -> None:
        self._programs = programs
        self._files = files
        self._launcher = launcher
        self._workspace = workspace
        self._ignored = ignored

    async def gather(self, paths: Sequence[str], exclude: Sequence[str]) -> Gathered:
        """Raises ToolFailed for a glob that can't be used."""
        gathered = Gathered()
        left_out = [_wanted(glob, "exclude") for glob in exclude]
        for path in paths:
            glob = glob_in(path)
            if glob is None:
                gathered.files[path] = True
            else:
                await self._find(path, glob, left_out, gathered)
        return gathered

    async def _find(self, path: str, glob: Glob, left_out: Sequence[Wanted], gathered: Gathered) -> None:
        folder, wanted = glob.folder, _wanted(glob.pattern, "paths")
        try:
            scope = await scope_of(folder, self._files, self._workspace)
        except ToolFailed as error:
            gathered.notes.append(f"[{shown_name(path)}: {error}]")
            return
        if await self._files.kind(path) == "file" and not scope.is_secret(path.rpartition("/")[2]):
            gathered.files[path] = True  # its name only looks like a glob
            return
        found, ended = await self._listed(glob, wanted, scope)
        names = [name for name in found if not any(glob.holds(_below(folder, name)) for glob in left_out)]
        secret = [name for name in names if scope.is_secret(name)]
        for name in names:
            if not scope.is_secret(name):
                gathered.files.setdefault(_below(folder, name), False)
        gathered.notes += self._notes(path, scope, len(found), secret, ended)
        gathered.timed_out = gathered.timed_out or ended.timed_out

    async def _listed(self, glob: Glob, wanted: Wanted, scope: Scope) -> tuple[list[str], Ended]:
        found: list[str] = []

        def take(records: list[bytes]) -> bool:
            found.extend(name for name in names_of(records) if wanted.holds(name))
            return len(found) < MOST_FOUND

        ripgrep = Ripgrep(self._programs, self._launcher, self._workspace, Bounds(scope.folder, self._ignored, TIMEOUT))
        try:
            options = ("--files", "--null", *wanted.beforehand())
            ended = await ripgrep.run(options, scope.targets, b"\0", take)
            if not ended.complete:  # once more in order: the first ones, and the same each time
                found.clear()
                await ripgrep.run(("--sort=path", *options), scope.targets, b"\0", take)
        except BadSearch as error:
            raise ToolFailed(f"{glob.pattern} is not a glob that can be used: {error}. Correct it.") from None
        return sorted(found, key=in_order), ended

    def _notes(self, path: str, scope: Scope, found: int, secret: Sequence[str], ended: Ended) -> Iterator[str]:
        if ended.timed_out:
            advice = stuck(ended.stuck_at) if ended.stuck_at else "Narrow the glob."
            yield f"[{path}: the look for files took more than {TIMEOUT:g} s and was stopped. {advice}]"
        elif not ended.complete:
            yield f"[{path}: more than {MOST_FOUND:,} files; those after the first were left out. Narrow the glob.]"
        elif not found:
            yield f"[{path}: no file matches. {passed_by(ignored=self._ignored)}]"
        if ended.troubled:
            yield f"[{path}: some folders below {scope.shown} can't be read.]"
        if secret:
            yield secrets_note(secret, scope, "read")


def _wanted(glob: str, where: str) -> Wanted:
    try:
        return Wanted(glob)
    except BadGlob as error:
        raise ToolFailed(f"{glob} in {where} is not a glob that can be used: {error}. Correct it.") from None


def _below(folder: str, name: str) -> str:
    return name if folder == "." else f"{folder.removeprefix('./').rstrip('/')}/{name}"

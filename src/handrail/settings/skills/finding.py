"""Finds the skills of all layers: what may be used, what waits for trust, what is wrong."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import field
from pathlib import Path

from handrail.contract.values import mutable, value
from handrail.policy.patterns import BadPattern, PathPattern
from handrail.settings.folder_content import FolderContent, read_folder
from handrail.settings.opening import Opener, Place
from handrail.settings.origin import Origin
from handrail.settings.places import Folders
from handrail.settings.reading import FileText, Unreadable, read_in_workspace, read_own
from handrail.settings.skills.allowed_tools import Allowed, read_allowed
from handrail.settings.skills.front_matter import split
from handrail.settings.skills.listing import one_line
from handrail.settings.skills.places import skill_places
from handrail.settings.skills.reading import FrontMatter, read_front_matter
from handrail.settings.skills.skill import FILE, Skill
from handrail.settings.trust import TrustKey, TrustKind
from handrail.settings.waiting import Waiting

MOST_SKILLS = 500
"""In one folder; whoever has more would not find them by their descriptions either."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
"""The specification's names, and what folders are called beside."""


@value
class FoundSkills:
    """What the folders of all layers hold."""

    usable: tuple[Skill, ...] = ()
    """By name."""
    waiting: tuple[Waiting, ...] = ()
    trusted: frozenset[TrustKey] = frozenset()
    """What lies in the workspace and a person said yes to, as it is now."""
    problems: tuple[str, ...] = ()
    """For people, a line each."""


def find_skills(opener: Opener, folders: Folders, home: Path | None) -> FoundSkills:
    """Blocks. Never raises: what is wrong with a skill leaves it out, and is told."""
    search = _Search(opener)
    for place in skill_places(opener.workspace, folders, home):
        for folder in search.folders_in(place):
            search.look_at(folder)
    usable = sorted(search.usable.values(), key=lambda skill: skill.name)
    return FoundSkills(tuple(usable), tuple(search.waiting), frozenset(search.trusted), tuple(search.problems))


@mutable
class _Search:
    opener: Opener
    usable: dict[str, Skill] = field(default_factory=dict)
    waiting: list[Waiting] = field(default_factory=list)
    trusted: set[TrustKey] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    """Real paths of the folders that were looked at: one may be linked into several places."""

    def folders_in(self, place: Place) -> Iterator[Place]:
        """The folders that are skills, by name."""
        try:
            names = sorted(entry.name for entry in os.scandir(place.path) if entry.is_dir())
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            self.problems.append(f"{place.origin}: the skills can't be read: {error.strerror}")
            return
        if len(names) > MOST_SKILLS:
            self.problems.append(f"{place.origin} holds more than {MOST_SKILLS} folders; the rest is left out")
        for name in names[:MOST_SKILLS]:
            folder = place.path / name
            if os.path.lexists(folder / FILE):
                yield Place(folder, Origin(place.origin.layer, f"{place.origin.name}/{name}"))

    def look_at(self, place: Place) -> None:
        real = os.path.realpath(place.path)
        if real in self.seen:
            return
        self.seen.add(real)
        try:
            if place.origin.layer.is_of_workspace:
                self._of_workspace(place, Path(real))
            else:
                self._of_person(place)
        except Unreadable as error:
            self.problems.append(f"{place.origin}: the skill {error}")

    def _of_person(self, place: Place) -> None:
        """What lies in folders of the person's own is theirs, unless somebody else could have written it."""
        found = read_own(place.path / FILE)
        if found is None:
            return
        if found.doubt:
            self.problems.append(f"{found.doubt}; until then the skill {place.origin} is left out")
            return
        read = _Read.of(found, place)
        self.problems += read.problems
        self._use(read, "")

    def _of_workspace(self, place: Place, real: Path) -> None:
        found = read_in_workspace(place.path / FILE, self.opener.workspace)
        if found is None:
            return
        content = read_folder(real)
        if content.digest_of(FILE) != found.digest:
            raise Unreadable("was changed while it was read; start again")
        root = os.path.realpath(self.opener.workspace)
        key = TrustKey(root, TrustKind.SKILL, Path(os.path.relpath(real, root)).as_posix(), content.digest)
        read = _Read.of(found, place)
        if self.opener.book.trusts(key):
            self.trusted.add(key)
            self.problems += read.problems
            self._use(read, content.digest)
        else:
            self.waiting.append(Waiting(key, place.origin.name, _shown(found, content), tuple(read.would())))

    def _use(self, read: _Read, digest: str) -> None:
        if not read.said.for_model:
            return
        if not read.description:
            self.problems.append(f"{read.place.origin}: the skill says nowhere what it is for; it is left out")
            return
        known = self.usable.get(read.name)
        if known is not None:
            where = f"{read.place.origin}: the skill is left out"
            self.problems.append(f"{where}: {known.folder} has the same name, {read.name}, and comes first")
            return
        paths = tuple(self._paths(read))
        if read.said.paths and not paths:
            return
        self.usable[read.name] = Skill(
            read.name, read.description, read.place.path, read.text, read.allowed.rules, paths, digest
        )

    def _paths(self, read: _Read) -> Iterator[PathPattern]:
        for text in read.said.paths:
            try:
                yield PathPattern.parse(text)
            except BadPattern as error:
                self.problems.append(f"{read.place.origin}/{FILE}: paths: {text} {error}; it is left out")


@value
class _Read:
    """A SKILL.md, read."""

    place: Place
    said: FrontMatter
    text: str
    allowed: Allowed

    @classmethod
    def of(cls, found: FileText, place: Place) -> _Read:
        matter, text = split(found.text)
        said = read_front_matter(matter)
        return cls(place, said, text, read_allowed(said.allowed_tools, f"{place.origin}/{FILE}", place.path))

    @property
    def name(self) -> str:
        """As it says, where that is a name; else its folder's."""
        return self.said.name if _NAME.fullmatch(self.said.name) else self.place.path.name

    @property
    def description(self) -> str:
        """As it says; else its first line."""
        lines = filter(None, (one_line(line).lstrip("# ") for line in self.text.splitlines()))
        return one_line(self.said.description) or next(lines, "")

    @property
    def problems(self) -> Iterable[str]:
        return (f"{self.place.origin}/{FILE}: {problem}" for problem in (*self.said.problems, *self.allowed.problems))

    def would(self) -> Iterator[str]:
        """What a yes switches on, the widest first."""
        for rule in self.allowed.rules:
            yield f"line {rule.ref.line}: allowed-tools: {rule.ref.text}, in the turn that activates it"
        yield f"the skill {self.name}: {self.description}"
        yield from self.said.problems


def _shown(found: FileText, content: FolderContent) -> str:
    """All that the yes is to; other files by their digests, since there may be many, and not all are text."""
    others = [file for file in content.files if file.path != FILE]
    if not others:
        return found.text
    listed = "\n".join(f"{file.digest}  {file.size:>9} bytes  {file.path}" for file in others)
    return f"{found.text.rstrip()}\n--- and these files beside it, by SHA-256:\n{listed}\n"

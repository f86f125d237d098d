"""The patterns that rules are written in: for tools, for commands, for paths. All match in linear time."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from enum import IntEnum
from fnmatch import fnmatchcase
from typing import Protocol

from handrail.contract.values import value
from handrail.policy import secrets
from handrail.policy.facts import CommandFact, PathFact
from handrail.policy.places import Places, within
from handrail.policy.server_names import speaks_of_another
from handrail.policy.shell.words import Known, Word

MAX_STARS = 8
"""In one pattern for paths or tools; more make matching slow and say nothing more."""


class BadPattern(ValueError):
    """What is wrong with a pattern, as a clause that follows its key."""


class Match(IntEnum):
    """Whether a pattern holds; `MAYBE` where that depends on what can't be known."""

    NO = 0
    MAYBE = 1
    YES = 2


@value
class ToolPattern:
    """A tool's name, or a glob over names."""

    text: str

    @classmethod
    def parse(cls, text: str) -> ToolPattern:
        if not text.strip() or text != text.strip():
            raise BadPattern("is empty or starts or ends with a blank; give a tool's name, or '*' for every tool")
        if text.count("*") > MAX_STARS:
            raise BadPattern(f"holds more than {MAX_STARS} '*'")
        return cls(text)

    @property
    def is_exact(self) -> bool:
        return {"*", "?", "["}.isdisjoint(self.text)

    def matches(self, names: tuple[str, ...], server: str = "") -> bool:
        """`server` is the one that the tool comes from: a glob that names another does not fit."""
        return self.text in names or (
            not self.is_exact
            and any(fnmatchcase(name, self.text) for name in names)
            and not (server and speaks_of_another(self.text, server))
        )


@value
class NameGlob:
    """A name, or a glob over names: of servers, of subagents. It matches nobody who has no name."""

    text: str

    @classmethod
    def parse(cls, text: str) -> NameGlob:
        if not text.strip() or text != text.strip():
            raise BadPattern("is empty or starts or ends with a blank; give a name, or '*' for every one")
        if text.count("*") > MAX_STARS:
            raise BadPattern(f"holds more than {MAX_STARS} '*'")
        return cls(text)

    def matches(self, name: str) -> bool:
        return bool(name) and (name == self.text or fnmatchcase(name, self.text))


@value
class CommandPattern:
    """Words over one simple command: `*` in a word is any characters, as the last word any words or none."""

    words: tuple[str, ...]
    open_end: bool

    @classmethod
    def parse(cls, text: str) -> CommandPattern:
        words = tuple(text.split())
        if not words:
            raise BadPattern("is empty; give the words of a command, or '*' for every command")
        joiner = next((word for word in words if word in ("&&", "||", ";", "|", "&", "|&")), None)
        if joiner:
            raise BadPattern(
                f"holds {joiner!r}: it is matched against one simple command at a time; write a rule for each part"
            )
        return cls(words[:-1] if words[-1] == "*" else words, words[-1] == "*")

    def covers(self, words: tuple[Word, ...]) -> bool:
        """For allow: the command in its normal form, its program by that very name. A word that is not known is
        covered by an open end alone."""
        if len(words) < len(self.words) or (len(words) > len(self.words) and not self.open_end):
            return False
        return all(
            word.value is not None and _star_match(pattern, word.text)
            for pattern, word in zip(self.words, words, strict=False)
        )

    def reaches(self, command: CommandFact) -> Match:
        """For ask and deny: the command in any form that it may take, its program also by another path."""
        best = max(self._reaches(command.words, start) for start in command.starts)
        if best is not Match.YES and any(self._reaches(command.words, s) is Match.YES for s in command.suspects):
            best = Match.YES
        return min(best, Match.MAYBE) if command.maybe else best

    def _reaches(self, words: tuple[Word, ...], start: int) -> Match:
        """A word that can't be known may be any number of words: nothing after it is certain not to match."""
        otherwise = Match.NO
        for position, pattern in enumerate(self.words, start):
            if position >= len(words):
                return otherwise
            word = words[position]
            if not _matches_word(pattern, word, is_program=position == start):
                return otherwise if word.value is not None else Match.MAYBE
            if word.value is None:
                otherwise = Match.MAYBE
        left = words[start + len(self.words) :]
        if self.open_end or not left:
            return Match.YES
        return Match.MAYBE if all(word.known is Known.UNKNOWN for word in left) else otherwise


def _matches_word(pattern: str, word: Word, *, is_program: bool) -> bool:
    """By its value, as it is written, and a program also by its name alone."""
    spellings = {word.written}
    if word.value is not None:
        spellings.add(word.text)
        if is_program and "/" not in pattern:
            spellings |= word.programs
    return any(_star_match(pattern, spelling) for spelling in spellings)


def _star_match(pattern: str, text: str) -> bool:
    """`*` is any characters, all else stands for itself. Takes the first fit of each piece, so it never backs up."""
    if "*" not in pattern:
        return pattern == text
    first, *middle, last = pattern.split("*")
    if len(text) < len(first) + len(last) or not text.startswith(first) or not text.endswith(last):
        return False
    position, end = len(first), len(text) - len(last)
    for piece in middle:
        found = text.find(piece, position, end)
        if found < 0:
            return False
        position = found + len(piece)
    return True


class _Expression(Protocol):
    def match(self, text: str) -> object: ...


ANYTHING = "\ue000/\ue000"
"""Stands for any path below a folder: a name that no file has."""


@dataclass(frozen=True, slots=True)
class PathPattern:
    """A gitignore-style pattern, from the workspace, from home (`~/…`) or from the root (`//…`)."""

    text: str
    anchor: str
    """`workspace`, `home` or `root`."""
    segments: tuple[str, ...]
    """Of a pattern that is tied to its anchor; none for one that matches a name at any depth."""
    only_secrets: bool
    """All that it could match is secret by name, so that tools which spare secrets stay clear of it."""
    _expression: _Expression = field(compare=False, repr=False)

    @classmethod
    def parse(cls, text: str) -> PathPattern:
        anchor, pattern = _anchored(text)
        tied = "/" in pattern.rstrip("/")
        segments = tuple(pattern.replace("[^", "[!").strip("/").split("/")) if tied else ()
        if ".." in segments:
            raise BadPattern("holds '..', which no path has here; write '//…' for an absolute path or '~/…' for home")
        return cls(text, anchor, segments, _only_secrets(pattern), _compiled(pattern))

    def covers(self, spelling: str, is_tree: bool, places: Places) -> bool:
        """For allow: one spelling of a path; of a tree, all below it."""
        return any(
            (not relative or self._holds(relative))
            and (not (is_tree or not relative) or self._holds(posixpath.join(relative, ANYTHING)))
            for relative in self._relative(spelling, places, strict=True)
        )

    def reaches(self, path: PathFact, places: Places) -> Match:
        """For ask and deny: the path as given or what it resolves to. A tree may hold what matches: maybe."""
        relatives = [r for spelling in path.spellings for r in self._relative(spelling, places, strict=False)]
        if any(self._holds(relative) or self._holds(f"{relative}/") for relative in relatives):
            return Match.YES
        if path.elsewhere:
            return Match.MAYBE
        if path.effect.spares_secrets and self.only_secrets:
            return Match.NO
        if path.is_tree and (any(map(self._may_hold_below, relatives)) or self._anchor_lies_below(path, places)):
            return Match.MAYBE
        return Match.NO

    def _holds(self, relative: str) -> bool:
        return self._expression.match(relative.encode(errors="replace").decode()) is not None

    def _may_hold_below(self, relative: str) -> bool:
        for segment, part in zip(self.segments, relative.split("/") if relative else (), strict=False):
            if segment == "**":
                return True
            if not fnmatchcase(part, segment):
                return False
        return True

    def _anchor_lies_below(self, path: PathFact, places: Places) -> bool:
        return any(within(folder, s) for folder in self._folders(places, strict=False) for s in path.spellings)

    def _folders(self, places: Places, *, strict: bool) -> tuple[str, ...]:
        match self.anchor:
            case "home":
                return places.home
            case "root":
                return ("/",)
            case _:
                return places.root if strict else places.folders

    def _relative(self, path: str, places: Places, *, strict: bool) -> list[str]:
        folders = [folder for folder in self._folders(places, strict=strict) if within(path, folder)]
        return [path[len(folder) :].lstrip("/") for folder in folders]


_OF_THE_SYSTEM = frozenset(("etc", "home", "root", "tmp", "usr", "var", "proc", "sys", "dev", "Users", "private"))


def _anchored(text: str) -> tuple[str, str]:
    """The anchor, and the pattern from there, as gitignore would have it."""
    if not text.strip():
        raise BadPattern("is empty; give a path or a pattern, or '**' for every path in the workspace")
    if text.startswith("!"):
        raise BadPattern("starts with '!': a rule can't take paths out; write a rule of its own for them")
    if any(ord(character) < ord(" ") for character in text):
        raise BadPattern("holds a control character")
    if text.count("*") > MAX_STARS:
        raise BadPattern(f"holds more than {MAX_STARS} '*'")
    if text.startswith("//"):
        return "root", _pattern("/" + text.lstrip("/"))
    if text == "~" or text.startswith("~/"):
        return "home", _pattern("/" + text[2:])
    if text.startswith("/") and text.split("/")[1] in _OF_THE_SYSTEM:
        raise BadPattern(f"starts at the workspace; write '/{text}' for the absolute path")
    return "workspace", _pattern(text[1:] if text.startswith("./") else text)


def _only_secrets(pattern: str) -> bool:
    folders, _, name = pattern.strip("/").rpartition("/")
    if not secrets.FOLDERS.isdisjoint(folders.split("/")):
        return True
    return secrets.is_secret_name(name) and not any(fnmatchcase(opened, name) for opened in secrets.OPEN_NAMES)


def _pattern(pattern: str) -> str:
    single = re.sub("/+", "/", pattern)
    return "/**" if single == "/" else "\\" + single if single.startswith("#") else single


def _compiled(pattern: str) -> _Expression:
    """The libraries are loaded only where a rule has a path: they cost more than a whole decision."""
    import re2
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    try:
        regex, _ = GitIgnoreSpecPattern.pattern_to_regex(pattern)
        expression: _Expression | None = re2.compile(f"(?s){regex}") if regex is not None else None
    except (re2.error, ValueError) as error:
        raise BadPattern(f"is not a pattern for paths: {error}") from error
    if expression is None:
        raise BadPattern("matches no path")
    return expression

"""What a shell command would remove: every operand of `rm` and its like, wherever they stand."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from fnmatch import fnmatchcase

from handrail.contract.values import value
from handrail.policy.facts import CommandFact, Removal
from handrail.policy.places import BELOW_ROOT, TOP_FOLDERS, Places, normal
from handrail.policy.shell.folders import Folders
from handrail.policy.shell.words import Known, Word

REMOVERS = frozenset(("rm", "rmdir", "unlink", "shred", "srm", "trash", "trash-put", "rimraf", "del"))
MOVERS = frozenset(("mv",))
FINDERS = frozenset(("find", "fd", "fdfind"))

_BRACKETS = re.compile(r"\[[^\]/]*\]")
_NARROWING = frozenset((
    "-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-size", "-empty", "-mtime", "-mmin",
    "-atime", "-amin", "-ctime", "-cmin", "-newer", "-newermt", "-user", "-group", "-perm", "-links", "-inum",
    "-nouser", "-nogroup",
))  # fmt: skip
"""Tests that keep `find` from matching all below its starting points."""
_ORS = frozenset(("-o", "-or", ","))
_NOTS = frozenset(("!", "-not"))
_EXECS = frozenset(("-exec", "-execdir"))
"""Not -ok: it asks before each, and nobody answers."""


IF_EMPTY = "if what it takes from a variable or a command is empty"
LEAVES_FOLDER = "and leaves the empty folder"
IF_MATCHED = "if its tests don't leave that out"
IF_RUN = "if that is run and not only a text"
NOT_KNOWN = "by a name that can't be known beforehand"


class Reach(StrEnum):
    """How much of a path would be gone."""

    ITSELF = "itself"
    CONTENTS = "contents"
    """All in the folder, and not the folder itself."""
    SELECTED = "selected"
    """What a search finds below it."""


@value
class Target:
    """A path that would be removed."""

    command: str
    path: str
    """Absolute; `..` is left in it. A pattern where `glob`, as written where `unknown`."""
    reach: Reach = Reach.ITSELF
    keeps_link: bool = False
    """The last part, if a link, is removed as a link; what it points to stays."""
    certain: bool = True
    glob: bool = False
    maybe: bool = False
    """What would remove it may be a text, and no command at all."""
    unknown: bool = False
    """Nothing of it is known but how it is written."""


def removals(command: CommandFact, folders: Folders) -> Iterator[Target]:
    """What the command would remove; names that `find` puts in are not among it, for its starting points are.

    Of each kind of program only the first is looked at: its operands are also those of any that follows it.
    """
    programs = {start: _program(command, start) for start in sorted({*command.starts, *command.suspects})}
    for kind in (REMOVERS, MOVERS, FINDERS):
        start = next((start for start, name in programs.items() if name in kind), None)
        if start is None:
            continue
        words = command.words[start + 1 :]
        if kind is REMOVERS:
            only_files = kind.intersection(programs.values()) == {"rm"}
            yield from _removed(command.text, words, folders, only_files)
        elif kind is MOVERS:
            for word in _moved(words):
                yield from _targets(command.text, word, folders, takes_folders=True)
        elif reach := _find_removes(words):
            for word in _starting_points(words):
                yield from _targets(command.text, word, folders, takes_folders=True, reach=reach)


def _removed(text: str, words: tuple[Word, ...], folders: Folders, only_files: bool) -> Iterator[Target]:
    """`only_files`: without a flag that says so, folders stay."""
    takes_folders = not only_files or _is_recursive(words)
    certainly = not only_files or _is_recursive([word for word in words if word.known is not Known.UNKNOWN])
    for word in _operands(words):
        if certainly and _is_wholly_unknown(word):
            yield Target(text, word.written or "what it is fed", unknown=True)
        else:
            yield from _targets(text, word, folders, takes_folders)


def _program(command: CommandFact, start: int) -> str:
    """Of what may be a text only a whole word or path counts: in `s/rm x/y/` there is none."""
    word = command.words[start]
    return "" if command.maybe and "/" in word.text.lstrip("./") and not word.text.startswith("/") else word.program


def ruin(target: Target, resolved: str, places: Places) -> Removal | None:
    """What the removal would ruin, by the path as given or by what it resolves to; None for an ordinary path."""
    removal = _ruin(target, resolved, places)
    if removal is None or not target.maybe:
        return removal
    return None if target.unknown else replace(removal, doubt=removal.doubt or IF_RUN)


def _ruin(target: Target, resolved: str, places: Places) -> Removal | None:
    if target.unknown:
        return _of_unknown(target, places)
    if target.glob:
        return _of_pattern(target, resolved, places)
    for path in (normal(target.path), normal(resolved)):
        ruins = places.ruined_by_removal(path)
        if not ruins or (ruins == BELOW_ROOT and _is_harmless_below_root(path, target, places)):
            continue
        if target.reach is Reach.SELECTED:
            if path in places.folders:
                continue
            return Removal(target.command, path, ruins, IF_MATCHED)
        if not target.certain:
            return Removal(target.command, path, ruins, IF_EMPTY)
        if target.reach is Reach.CONTENTS and path in places.folders:
            return Removal(target.command, path, f"all in {ruins}", LEAVES_FOLDER)
        return Removal(target.command, path, ruins)
    return None


def _of_unknown(target: Target, places: Places) -> Removal:
    """`~name` is the home folder where that is called so; anything else may be anything."""
    name, _, below = target.path.partition("/")
    if not name.startswith("~") or below.strip("/*"):
        return Removal(target.command, target.path, "what may be anything", NOT_KNOWN)
    if name[1:] in map(posixpath.basename, places.home):
        return Removal(target.command, target.path, "the home folder")
    return Removal(target.command, target.path, "a home folder", NOT_KNOWN)


def _of_pattern(target: Target, resolved: str, places: Places) -> Removal | None:
    """What a pattern for names comes to: the folders that must stay and fit it."""
    patterns = [normal(path).replace("[^", "[!").split("/") for path in (target.path, resolved)]
    for folder in places.must_stay:
        parts = folder.split("/")
        if any(len(parts) == len(pattern) and all(map(fnmatchcase, parts, pattern)) for pattern in patterns):
            return Removal(target.command, folder, places.ruined_by_removal(folder))
    return None


def _is_harmless_below_root(path: str, target: Target, places: Places) -> bool:
    """What is in the temporary folder; and `$BUILD/out`, which would be /out if BUILD were empty."""
    if target.reach is not Reach.ITSELF and path in places.temporary:
        return True
    return (not target.certain or target.reach is Reach.SELECTED) and path not in TOP_FOLDERS


def _is_recursive(words: Sequence[Word]) -> bool:
    return any(
        word.text.startswith("--r")
        or (word.text.startswith("-") and word.text[1:2] != "-" and not {"r", "R"}.isdisjoint(word.text))
        or word.known is Known.UNKNOWN
        for word in words
    )


def _operands(words: tuple[Word, ...]) -> list[Word]:
    ends = next((i for i, word in enumerate(words) if word.written == "--"), len(words))
    return [w for w in words[:ends] if not w.text.startswith("-")] + list(words[ends + 1 :])


def _is_wholly_unknown(word: Word) -> bool:
    """`$X`, `"$(…)"` and `~somebody`; not the `{}` of `find -exec`."""
    return word.known is Known.UNKNOWN and (not word.text or word.text.startswith("~")) and word.written != "{}"


def _moved(words: tuple[Word, ...]) -> list[Word]:
    """All operands of `mv` but the place that they are moved to."""
    folder = next((i for i, w in enumerate(words) if w.text in ("-t", "--target-directory")), None)
    if folder is not None:
        return _operands(words[:folder] + words[folder + 2 :])
    if any(word.text.startswith(("-t", "--target-directory=")) for word in words):
        return _operands(words)
    return _operands(words)[:-1]


def _starting_points(words: tuple[Word, ...]) -> list[Word]:
    points: list[Word] = []
    for word in words:
        if word.text in ("-H", "-L", "-P"):
            continue
        if word.text.startswith(("-", "(", "!")):
            break
        points.append(word)
    return points or [Word(".")]


def _find_removes(words: tuple[Word, ...]) -> Reach | None:
    """What `find` removes below its starting points: all, where one alternative has no test that narrows it down."""
    narrowed, negated, removes = False, False, None
    for position, word in enumerate(words):
        following = words[position + 1] if position + 1 < len(words) else Word("")
        if word.text in _ORS:
            narrowed = False
        elif word.text in _NARROWING and not negated and following.text.strip("*"):
            narrowed = True
        elif word.text == "-delete" or (word.text in _EXECS and following.program in REMOVERS | MOVERS):
            if not narrowed:
                return Reach.CONTENTS
            removes = Reach.SELECTED
        negated = word.text in _NOTS
    return removes


def _targets(
    command: str, word: Word, folders: Folders, takes_folders: bool, *, reach: Reach = Reach.ITSELF
) -> Iterator[Target]:
    is_pattern = word.known in (Known.GLOB, Known.UNKNOWN)
    for folder in folders if word.text else ():
        path, gone = posixpath.join(folder.path, word.text), reach
        head, last = posixpath.split(path)
        if is_pattern and _is_any_name(last):
            if not takes_folders:
                continue
            path, gone = head, Reach.CONTENTS
        elif is_pattern and normal(head) == "/" and not {"*", "?", "["}.isdisjoint(last):
            path = head
        keeps_link = gone is Reach.ITSELF and last not in ("", ".", "..")
        certain = folder.certain and word.known is not Known.UNKNOWN
        is_glob = is_pattern and certain and takes_folders and not {"*", "?", "["}.isdisjoint(path)
        yield Target(command, path, gone, keeps_link, certain, is_glob)


def _is_any_name(pattern: str) -> bool:
    """True for `*`, `.*`, `.[!.]*` and their like: any name, or any hidden one."""
    plain = _BRACKETS.sub("?", pattern)
    return bool(plain) and set(plain) <= set(".*?") and not set(plain) <= {"."}

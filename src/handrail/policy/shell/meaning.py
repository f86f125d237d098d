"""What one simple command does by the table of its program: whether it only reads, and which paths and hosts."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from handrail.contract.effects import OPEN_WORLD, Scope
from handrail.policy.shell.arguments import Arguments, arguments_of
from handrail.policy.shell.folders import Folders, also_put, moved
from handrail.policy.shell.languages import problem_in
from handrail.policy.shell.languages.test import files_of, problem_in_words
from handrail.policy.shell.mentions import mentioned, mentions
from handrail.policy.shell.operand import Operand, operands_at
from handrail.policy.shell.programs import Does, programs
from handrail.policy.shell.script import NOWHERE
from handrail.policy.shell.words import Holds, Known, Word
from handrail.policy.wording import shortened

CHANGING = {"written": "writes files", "removed": "removes files", "copied": "writes files", "moved": "moves files"}
"""Operands of which it is known that they are written."""

_NAMING_PATHS = frozenset(("names", "files", "pattern", "revisions", "script", *CHANGING))
_RECURSIVE = frozenset(("-r", "-R", "-a", "--recursive", "--archive"))
_HOST = re.compile(r"(?:(\w[\w+.-]*)://)?(?:[^@/?#]*@)?(\[[^\]]*\]|[^:/?#]*)")
_MAY_BE_SEVERAL = re.compile(r"[{}%]|(?!\A)\[")
"""In a host: patterns, which curl itself writes out, and what stands for other characters."""
_UNKNOWN_NAMES = (Holds.PRINTED, Holds.ANYTHING)

READ = Operand("", "read")
WRITE = Operand("", "write")


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a command comes to."""

    problem: str = ""
    """Why it is not known to only read, as a clause; empty when it only reads."""
    hidden: str = ""
    """Why its words don't show what it runs, as a clause."""
    operands: tuple[Operand, ...] = ()
    entered: tuple[Operand, ...] = ()
    """The folders that its options name for it to work in."""
    hosts: frozenset[str] = frozenset()
    unnamed: bool = False
    """It may touch paths that its words don't name."""
    repositories: tuple[str, ...] = ()
    """Folders whose repository must have settings that run nothing."""
    own_words: bool = False
    """It prints its own words and nothing else."""
    edits: bool = False
    """One of the plain file commands of `accept-edits`, all its paths known."""
    read: Arguments | None = None
    """Its words by the table; None for a program that has none."""

    @property
    def wraps(self) -> bool:
        """It runs the command in its own words, and that is all it does."""
        return not self.problem and self.read is not None and bool(self.read.inner)

    @property
    def only_reads(self) -> bool:
        return not self.problem and not self.wraps


class Meanings:
    """What the commands of one text mean, each worked out once."""

    def __init__(self, home: str) -> None:
        self.home = home
        self._known: dict[tuple[int, Folders], tuple[tuple[Word, ...], Meaning]] = {}
        self._others: dict[int, tuple[object, Meaning]] = {}

    def of(self, words: tuple[Word, ...], folders: Folders) -> Meaning:
        key = (id(words), folders)
        if key not in self._known:
            self._known[key] = (words, meaning_of(words, folders, self.home))  # the words stay, and so does their id
        return self._known[key][1]

    def once(self, of: object, work_out: Callable[[], Meaning]) -> Meaning:
        """What something else means, a call of PowerShell, by whoever knows how to work that out."""
        if id(of) not in self._others:
            self._others[id(of)] = (of, work_out())
        return self._others[id(of)][1]


def meaning_of(words: tuple[Word, ...], folders: Folders, home: str) -> Meaning:
    """What a command means in the folders where it may run."""
    return meaning_by(arguments_of(words), words, folders, home)


def meaning_by(read: Arguments | None, words: tuple[Word, ...], folders: Folders, home: str) -> Meaning:
    """The same, where it is known how its words are read; None is a program that has no table."""
    if read is None:
        name = words[0].written if words else ""
        unnamed = any(word.known is Known.UNKNOWN for word in words)
        named = tuple(mentions(words, also_put(words, folders, home)))
        return Meaning(f"{shortened(name) or 'it'} is a program that is not known", operands=named, unnamed=unnamed)
    language = "" if read.problem else _of_language(words[0].program, read)
    entered = read.values(Does.ENTER)
    at = tuple(folder for word in entered[-1:] for folder in moved((word,), folders, home)) or folders
    problem, known = _problem(read, language, at)
    known = known and not read.inner  # what a wrapper touches is what its command does
    unnamed = _names_unknown(read, words[0].program) or bool(language)
    operands = _operands(read, at) if known else mentions(words, also_put(words, at, home))
    named = tuple(o for word in entered for o in operands_at(word, folders, replace(READ, names_only=True)))
    return Meaning(
        problem=problem,
        hidden=_hidden(read) or (language if read.usage.language != "test" else ""),
        operands=(*operands, *named),
        entered=named,
        hosts=frozenset(_hosts(read)),
        unnamed=unnamed or (not known and any(word.known is Known.UNKNOWN for word in words)),
        repositories=tuple(folder.path for folder in at) if read.usage.repository else (),
        own_words="own_words" in read.usage.traits and not problem,
        edits=read.usage.edits and known and all(word.value is not None for word in words),
        read=read,
    )


def _names_unknown(read: Arguments, program: str) -> bool:
    """True where the words, or a flag that no table explains, may name any path: `wc --files0-from=list`."""
    table = programs().get(program)
    is_called = bool(read.subcommand) or table is None or not table.subcommands
    explained = not read.problem or bool(read.usage.never) or not is_called
    return not explained or any(
        w.known is Known.UNKNOWN and w.holds in _UNKNOWN_NAMES and _names_paths(read, w) for w in read.operands
    )


def _problem(read: Arguments, language: str, at: Folders) -> tuple[str, bool]:
    """The first reason why it does more than read; and whether its operands are known all the same."""
    usage = read.usage
    unexplained = read.problem or _unfit(read) or language
    if usage.never:
        return f"it {usage.never}", usage.operands in CHANGING and not unexplained
    if unexplained:
        return unexplained, False
    runs = read.does(Does.RUN)
    if runs:
        return f"its option {runs} runs a program", False
    if usage.operands == "command" and not read.inner:
        return "it has no command to run", False
    if usage.operands in CHANGING and not _streams_nowhere(read):
        return f"it {CHANGING[usage.operands]}", True
    writes = next((g.name for g in read.given if g.does is Does.WRITE and not _is_nowhere(g.value)), "")
    connects = read.does(Does.CONNECT)
    if writes:
        return f"its option {writes} writes", True
    if connects or usage.operands == "hosts" or usage.reaches:
        return "it reaches the network", True
    return _unknown_words(read) or _unknown_place(read, at), True


def _streams_nowhere(read: Arguments) -> bool:
    """`tee`, `tee /dev/null`, `tee >(cat)`."""
    return "streams" in read.usage.traits and all(
        _is_nowhere(word) or (word.holds is Holds.PIPE and word.known is Known.UNKNOWN) for word in read.operands
    )


def _is_nowhere(word: Word | None) -> bool:
    return word is not None and word.value in NOWHERE


def _unfit(read: Arguments) -> str:
    """Why the operands are not those that the table speaks of."""
    usage, operands = read.usage, read.operands
    if usage.needs and usage.needs.isdisjoint(read.flags):
        return f"without {' or '.join(sorted(usage.needs))} it does more than read"
    if usage.most is not None and operands:
        loose = next((word for word in operands if word.value is None and not word.whole), None)
        loose = loose or next((word for word in operands if word.known is Known.GLOB), None)
        if len(operands) > usage.most or loose is not None:
            extra = loose or operands[usage.most]
            return f"its operand {shortened(extra.written)} is not known to be harmless"
    searched = operands[1:] if usage.operands in ("pattern", "script") and not _gives_script(read) else operands
    for word in searched if usage.matching else ():
        if usage.matching and not usage.matching.fullmatch(word.text):
            return f"its operand {shortened(word.written)} is not known to be harmless"
        if usage.matching and word.known is Known.UNKNOWN and word.holds is not Holds.NUMBER:
            return f"what {shortened(word.written)} holds is not known"
    if usage.first and not (operands and operands[0].value is not None and usage.first.fullmatch(operands[0].text)):
        return "its first operand is not known to be harmless"
    return ""


def _of_language(program: str, read: Arguments) -> str:
    """What the checker of its small language says."""
    match read.usage.language:
        case "" | "find":
            return ""
        case "test":
            return problem_in_words(program, read.words)
        case language:
            scripts = _scripts(read)
            if any(word.value is None for word in scripts):
                return "its script is not known"
            return problem_in(language, "\n".join(word.text for word in scripts))


def _scripts(read: Arguments) -> tuple[Word, ...]:
    """The words in its small language."""
    if _gives_script(read):
        return tuple(g.value for g in read.given if g.name in read.usage.patterns and g.value is not None)
    return read.operands[:1]


def _gives_script(read: Arguments) -> bool:
    """The script or the pattern comes by a flag, so that every operand is a file."""
    return not read.usage.patterns.isdisjoint(read.flags)


def _unknown_words(read: Arguments) -> str:
    """Why a word that is not known may make it do more than read."""
    free = not {"any_flags", "any_names"}.isdisjoint(read.usage.traits) or read.usage.language == "test"
    for word in read.operands:
        if word.value is not None:
            continue
        shown = shortened(word.written)
        if word.known is Known.UNKNOWN and word.may_be_flag and not free:
            return f"what {shown} holds may be an option"
        if word.known is Known.UNKNOWN and word.holds in _UNKNOWN_NAMES and _names_paths(read, word):
            return f"which path {shown} names is not known"
        if word.known is Known.UNKNOWN and word.holds is Holds.ANYTHING and read.usage.operands == "text":
            return f"it may show what {shown} holds"
    for given in read.given:
        value = given.value
        if value is not None and value.known is Known.UNKNOWN and (not value.whole or given.does is not Does.NOTHING):
            return f"what its option {given.name} gets is not known"
    return ""


def _unknown_place(read: Arguments, at: Folders) -> str:
    """Why it is not known in which folder it looks for what it names."""
    usage = read.usage
    relative = any(not word.text.startswith("/") for word in read.operands) or not read.operands
    looks = usage.repository or usage.operands in _NAMING_PATHS or bool(read.values(Does.READ))
    unknown = looks and relative and not all(folder.certain for folder in at)
    return "in which folder it runs is not known" if unknown else ""


def _names_paths(read: Arguments, word: Word) -> bool:
    if read.usage.language == "test":
        return word in files_of(read.words)
    if read.usage.operands == "pattern" and not _gives_script(read) and word is read.operands[0]:
        return False
    return read.usage.operands in _NAMING_PATHS


def _hidden(read: Arguments) -> str:
    runs = read.does(Does.RUN)
    return f"its option {runs} runs what its words may not show" if runs else ""


def _operands(read: Arguments, folders: Folders) -> Iterator[Operand]:
    usage, words = read.usage, list(read.operands)
    for word in read.values(Does.READ):
        yield from operands_at(word, folders, READ)
    for word in read.values(Does.WRITE):
        yield from operands_at(word, folders, WRITE) if not _is_nowhere(word) else ()
    for word in read.values(Does.CONNECT):
        yield from mentioned(word, folders)
    if usage.operands in CHANGING:
        yield from _changed(read, folders)
        return
    tracked = "tracked" in usage.traits
    follows = "folders" in usage.traits and len(words) > 1
    trees = follows or "recursive" in usage.traits or not usage.trees.isdisjoint(read.flags)
    match usage.operands:
        case _ if usage.language == "test":
            words = list(files_of(read.words))
        case "text":
            words = [word for word in words if word.known is Known.GLOB]
        case "pattern" | "script" if not _gives_script(read):
            words = words[1:]
        case "revisions":
            words += [Word(path) for word in words if (path := word.text.partition(":")[2])]
        case "command" | "hosts":
            words = [Word(word.text[len("file://") :]) for word in words if word.text.startswith("file://")]
    if not words and ("here" in usage.traits or trees or tracked):
        words = [Word(".")]
    names_only = usage.operands in ("names", "text") or tracked
    scope: Scope = "tree" if tracked or (trees and not names_only) else "file"
    only = tuple(g.value.text for g in read.given if trees and g.name == "--include" and g.value is not None)
    plain = {"any_flags", "any_names", "globs"}.isdisjoint(usage.traits)
    writes_them = any(given.does is Does.WRITE and given.value is None for given in read.given)
    for word in words:
        if word.text == "-":
            continue
        like = Operand("", "read", scope, names_only, follows=follows, only=only, plain=plain and word.may_be_flag)
        yield from operands_at(word, folders, like)
        if writes_them:
            yield from operands_at(word, folders, WRITE)


def _changed(read: Arguments, folders: Folders) -> Iterator[Operand]:
    """What a program that writes its operands reads and writes; a target may be a folder to put things in."""
    words, kind = read.operands, read.usage.operands
    recursive = not (read.usage.trees | _RECURSIVE).isdisjoint(read.flags)
    tree: Scope = "tree" if recursive or kind == "moved" else "file"
    if kind in ("written", "removed"):
        scope: Scope = "tree" if recursive else "file"
        for word in words if not _streams_nowhere(read) else ():
            yield from operands_at(word, folders, replace(WRITE, scope=scope, whole=read.usage.edits and recursive))
        return
    targets = read.values(Does.WRITE)
    *sources, target = (*words, *targets[:1]) or (Word("."),)
    for source in sources:
        yield from operands_at(source, folders, replace(READ, scope=tree, whole=tree == "tree"))
        if kind == "moved":
            yield from operands_at(source, folders, replace(WRITE, scope=tree, whole=True))
        inside = Word(posixpath.join(target.text, posixpath.basename(source.text.rstrip("/"))))
        put = replace(WRITE, holding=source.text if tree == "tree" and source.value is not None else "")
        if source.value is not None and target.value is not None:
            yield from operands_at(inside, folders, replace(put, scope=tree, whole=tree == "tree"))
        yield from operands_at(target, folders, put) if put.holding else ()
    yield from operands_at(target, folders, WRITE)


def _hosts(read: Arguments) -> Iterator[str]:
    yield from read.usage.reaches
    for word in read.operands if read.usage.operands == "hosts" else ():
        yield _host(word)
    for given in read.given:
        if given.does is Does.CONNECT:
            yield _host(given.value) if given.value is not None else OPEN_WORLD
    if read.usage.operands == "hosts" and (read.problem or not read.operands):
        yield OPEN_WORLD


def _host(word: Word) -> str:
    found = _HOST.match(word.text)
    if word.value is None or found is None or not found[2] or found[1] == "file" or _MAY_BE_SEVERAL.search(found[2]):
        return OPEN_WORLD
    return found[2].lower().rstrip(".")

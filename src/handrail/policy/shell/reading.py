"""A shell command read as a whole: what it runs, which paths it names, and whether it only reads. Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from handrail.contract.effects import Scope, SimpleCommand
from handrail.policy.facts import Access, CommandFact
from handrail.policy.shell.finding import Findings, find
from handrail.policy.shell.folders import Folder, Folders
from handrail.policy.shell.parse import Command, Redirect
from handrail.policy.shell.programs import Reading, editing_programs, read_by, reading_programs
from handrail.policy.shell.removal import Target
from handrail.policy.shell.runners import runners
from handrail.policy.shell.syntax import MAX_LENGTH
from handrail.policy.shell.words import Known, Word
from handrail.policy.wording import shortened

NOWHERE = "/dev/null"

_DUPLICATES = frozenset((">&", "<&"))
_AS_MODULE = re.compile(r"(?:-\w*m)?handrail(?:\.\w+)*")
"""`python -m handrail`, in one word or two."""
_TELLTALE = re.compile(r"(?<![\w-])(?:rm|rmdir|unlink|shred|handrail)(?![\w-])|\s-delete\b")
"""What a text must hold to remove a tree or to answer an approval, unless it hides that."""


@dataclass(frozen=True, slots=True)
class Operand:
    """A path that a command names, not looked up yet."""

    path: str
    """Absolute; a pattern where `glob`. `..` is left in it: behind a link it leads elsewhere than by name."""
    access: Access
    scope: Scope = "file"
    names_only: bool = False
    """It is looked at, and its contents are not read."""
    glob: bool = False
    follows: bool = False
    """Of a tree: links in it are followed."""


@dataclass(frozen=True, slots=True)
class ShellReading:
    """All that the text says by itself; the resolver looks up the paths."""

    commands: tuple[CommandFact, ...] = ()
    runs: tuple[SimpleCommand, ...] = ()
    opaque: str = ""
    unread: str = ""
    single: SimpleCommand | None = None
    edits: bool = False
    operands: tuple[Operand, ...] = ()
    unnamed: str = ""
    removals: tuple[Target, ...] = ()
    answers_itself: str = ""
    settings_of: str = ""
    """The first part that only reads if the settings of the repository run no programs."""
    unjudged: bool = False
    """It was not wholly taken apart, and may well do what no call may do."""


def read_shell(text: str, folder: str, home: str) -> ShellReading:
    """What `text` means to a shell that starts in `folder`. Never raises."""
    if len(text) > MAX_LENGTH:
        opaque = f"it is longer than {MAX_LENGTH:,} characters"
        short, unjudged = shortened(text), _TELLTALE.search(text) is not None
        return ShellReading(opaque=opaque, unread=short, unnamed=short, unjudged=unjudged)
    found = find(text, (Folder(folder),), home)
    readings = [read_by(reading_programs(), part.words) for part in found.parts]
    opened = [redirect for redirect in found.redirects if not _opens_nothing(redirect)]
    single = found.parts[0].simple if found.script.single and not found.opaque else None
    single = single if single is not None and single.literal else None
    edit = read_by(editing_programs(), found.parts[0].words) if single is not None else None
    if edit is not None:
        operands = list(_edited(edit, found.parts[0].folders))
    else:
        operands = [o for part, reading in zip(found.parts, readings, strict=True) for o in _named(part, reading)]
    operands += [operand for redirect in opened for operand in _opened(redirect)]
    return ShellReading(
        commands=found.commands,
        runs=tuple(part.simple for part in found.parts),
        opaque=found.opaque,
        unread=_first_unread(text, found, readings, opened),
        single=single,
        edits=edit is not None,
        settings_of=next((shortened(p.text) for p, r in zip(found.parts, readings, strict=True) if _asks_git(r)), ""),
        operands=tuple(dict.fromkeys(operands)),
        unnamed=_first_unnamed(text, found),
        removals=found.removals,
        answers_itself=next((shortened(part.text) for part in found.parts if _answers_itself(part)), ""),
        unjudged=any(_may_answer_itself(part) for part in found.parts),
    )


def _first_unread(text: str, found: Findings, readings: list[Reading | None], opened: list[Redirect]) -> str:
    """The first part that is not known to only read."""
    for part, reading in zip(found.parts, readings, strict=True):
        if reading is None or ("repository" in reading.usage.traits and _moved(part, found)):
            return shortened(part.text)
    unread = next((redirect for redirect in opened if not _only_reads(redirect)), None)
    if unread is not None:
        return shortened(f"{unread.operator} {unread.target.written}")
    return "" if found.script.plain and not found.opaque else shortened(text) or "blanks"


def _first_unnamed(text: str, found: Findings) -> str:
    """The first part with a word that isn't known and may be a path."""
    for command in found.commands:
        listed = reading_programs().get(command.words[0].text)
        only_text = listed is not None and not listed.subcommands and listed.usage.operands == "text"
        if not only_text and any(word.known is Known.UNKNOWN for word in command.words):
            return shortened(command.text)
    unknown = next((r for r in found.redirects if r.target.known is Known.UNKNOWN), None)
    if unknown is not None:
        return shortened(f"{unknown.operator} {unknown.target.written}")
    return shortened(text) if found.script.problem else ""


def _asks_git(reading: Reading | None) -> bool:
    return reading is not None and "repository" in reading.usage.traits


def _moved(part: Command, found: Findings) -> bool:
    """True when it may run in another folder than the first part does."""
    return part.folders != found.parts[0].folders


def _opens_nothing(redirect: Redirect) -> bool:
    """`2>&1` and `>/dev/null`."""
    target = redirect.target
    if redirect.operator in _DUPLICATES:
        return target.known is Known.LITERAL and target.text.isdigit()
    return target.known is Known.LITERAL and target.text == NOWHERE


def _only_reads(redirect: Redirect) -> bool:
    return redirect.operator == "<" and redirect.target.known in (Known.LITERAL, Known.EXPANDED)


def _opened(redirect: Redirect) -> Iterator[Operand]:
    yield from _operands(redirect.target, redirect.folders, "read" if redirect.operator == "<" else "write")


def _operands(
    word: Word,
    folders: Folders,
    access: Access,
    scope: Scope = "file",
    *,
    names_only: bool = False,
    follows: bool = False,
) -> Iterator[Operand]:
    """The path that a word names, from each folder that the command may run in. An unknown word names none."""
    if word.known is not Known.UNKNOWN and word.text:
        for folder in folders:
            path = posixpath.join(folder.path, word.text)
            yield Operand(path, access, scope, names_only, word.known is Known.GLOB, follows)


def _named(command: Command, reading: Reading | None) -> Iterator[Operand]:
    if reading is None:
        yield from _mentioned(command)
        return
    usage, words, folders = reading.usage, list(reading.operands), command.folders
    follows = "folders" in usage.traits and len(words) > 1
    trees = follows or not usage.trees.isdisjoint(reading.flags)
    match usage.operands:
        case "text":
            words = [word for word in words if word.known is Known.GLOB]
        case "pattern" if usage.patterns.isdisjoint(reading.flags):
            words = words[1:]
        case "revisions":
            words += [Word(path) for word in words if (path := word.text.partition(":")[2])]
    if not words and ("here" in usage.traits or trees):
        words = [Word(".")]
    names_only = usage.operands in ("names", "text")
    scope: Scope = "tree" if trees and not names_only else "file"
    for word in words:
        if word.text != "-":
            yield from _operands(word, folders, "read", scope, names_only=names_only, follows=follows)


def _edited(reading: Reading, folders: Folders) -> Iterator[Operand]:
    """What the file commands of `accept-edits` read and write; a target may be a folder to put things in."""
    words = reading.operands
    recursive = not {"-r", "-R", "-a", "--recursive", "--archive"}.isdisjoint(reading.flags)
    match reading.usage.operands:
        case "written":
            for word in words:
                yield from _operands(word, folders, "write")
        case "removed":
            for word in words:
                yield from _operands(word, folders, "write", "tree" if recursive else "file")
        case kind:
            *sources, target = words or (Word("."),)
            for source in sources:
                scope: Scope = "tree" if recursive or kind == "moved" else "file"
                yield from _operands(source, folders, "read", scope)
                if kind == "moved":
                    yield from _operands(source, folders, "write", scope)
                inside = Word(posixpath.join(target.text, posixpath.basename(source.text.rstrip("/"))))
                yield from _operands(inside, folders, "write", scope)
            yield from _operands(target, folders, "write")


def _mentioned(command: Command) -> Iterator[Operand]:
    """Words of a program that nobody knows to be harmless, as far as they could be paths."""
    if not command.words:
        return
    program, *rest = command.words
    if "/" in program.text:
        yield from _operands(program, command.folders, "read")
    readers = runners().words("readers", program.program)
    reads = readers is not None and (not readers or bool(rest and rest[0].text in readers))
    for word in rest:
        for text in _paths_in(word.text):
            yield from _operands(
                Word(text, word.known), command.folders, "read" if reads and text == word.text else "mention"
            )


def _paths_in(text: str) -> Iterator[str]:
    """`x`, and of `-fx`, `--file=x`, `of=x` and `@x` the x."""
    if not text.startswith("-"):
        yield text
    elif not text.startswith("--"):
        yield text[2:]
    if "=" in text:
        yield text.partition("=")[2]
    if text.startswith("@"):
        yield text[1:]


def _answers_itself(command: Command) -> bool:
    """`handrail approvals approve` and its like, whatever stands before it."""
    words = command.words
    if not words or words[0].value in reading_programs():
        return False
    for position, word in enumerate(words):
        if word.program == "handrail" or (word.value is not None and _AS_MODULE.fullmatch(word.text)):
            subcommands = [w for w in words[position + 1 :] if not w.text.startswith("-")]
            if subcommands and subcommands[0].value is None:
                return True
            if any(_is_self_approval(group, subcommand) for group, subcommand in pairwise(subcommands)):
                return True
    return False


def _may_answer_itself(command: Command) -> bool:
    """The same behind a word that isn't known: `$h approvals approve`."""
    words = command.words
    start = next((i + 1 for i, word in enumerate(words) if word.known is Known.UNKNOWN), len(words))
    return any(_is_self_approval(group, subcommand) for group, subcommand in pairwise(words[start:]))


def _is_self_approval(group: Word, subcommand: Word) -> bool:
    listed = runners().words("self_approval", group.text)
    if listed is None:
        return False
    named = subcommand.value in listed[listed[0] == "*" :]
    return subcommand.value is None or named != (listed[0] == "*")

"""A shell command read as a whole: what it runs, which paths it names, and whether it only reads. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from handrail.contract.effects import SimpleCommand
from handrail.policy.facts import CommandFact
from handrail.policy.shell.finding import Findings, find, find_powershell
from handrail.policy.shell.folders import Folder
from handrail.policy.shell.meaning import Meanings
from handrail.policy.shell.operand import Operand
from handrail.policy.shell.parts import Part, opened_by, parts_of, powershell_parts
from handrail.policy.shell.powershell.calls import calls_in
from handrail.policy.shell.removal import Target
from handrail.policy.shell.runners import runners
from handrail.policy.shell.script import Command
from handrail.policy.shell.syntax import MAX_LENGTH
from handrail.policy.shell.words import Known, Word
from handrail.policy.wording import shortened

_AS_MODULE = re.compile(r"(?:-\w*m)?handrail(?:\.\w+)*")
"""`python -m handrail`, in one word or two."""
_TYPED = "what it means to the program that reads it is not known"
_TELLTALE = re.compile(r"(?<![\w-])(?:rm|rmdir|unlink|shred|handrail)(?![\w-])|\s-delete\b")
"""What a text must hold to remove a tree or to answer an approval, unless it hides that."""


@dataclass(frozen=True, slots=True)
class ShellReading:
    """All that the text says by itself; the resolver looks up the paths."""

    parts: tuple[Part, ...]
    commands: tuple[CommandFact, ...] = ()
    runs: tuple[SimpleCommand, ...] = ()
    opaque: str = ""
    operands: tuple[Operand, ...] = ()
    """Of the parts, and of all commands that might run beside them."""
    unnamed: str = ""
    removals: tuple[Target, ...] = ()
    answers_itself: str = ""
    unjudged: bool = False
    """It was not wholly taken apart, and may well do what no call may do."""
    single: bool = False
    """It is nothing but one simple command."""
    stays: bool = False
    """It certainly leaves the shell in the folder in which it starts."""

    @property
    def unread(self) -> str:
        """The first part that is not known to only read; empty when none is, as far as the text tells."""
        for part in self.parts:
            if part.unread or any(operand.access != "read" for operand in part.redirected):
                return shortened(part.text or part.unread)
        return ""


def read_shell(text: str, folder: str, home: str) -> ShellReading:
    """What `text` means to a shell that starts in `folder`. Never raises."""
    if len(text) > MAX_LENGTH:
        return _too_long(text)
    meanings = Meanings(home)
    found = find(text, (Folder(folder),), meanings)
    return _reading(text, found, parts_of(found.script, text, meanings))


def read_powershell(text: str, folder: str, home: str) -> ShellReading:
    """The same of a text of PowerShell. Never raises; without its parser nothing of it is known to only read."""
    if len(text) > MAX_LENGTH:
        return _too_long(text)
    meanings, folders = Meanings(home), (Folder(folder),)
    found = find_powershell(text, folders, meanings)
    return _reading(text, found, powershell_parts(calls_in(text, folders, home), text, meanings))


def read_input(text: str, folder: str, home: str) -> ShellReading:
    """The same of what is typed to a program. It is read as a shell would read it, for rules that forbid; what it
    means to that program isn't known, so that no rule allows it.
    """
    reading = read_shell(text, folder, home)
    parts = tuple(replace(part, unread=_TYPED, opaque=_TYPED, unnamed=True, edits=False) for part in reading.parts)
    return replace(reading, parts=parts, opaque=_TYPED, unnamed=reading.unnamed or shortened(text), stays=False)


def _too_long(text: str) -> ShellReading:
    opaque = f"it is longer than {MAX_LENGTH:,} characters"
    short, unjudged = shortened(text), _TELLTALE.search(text) is not None
    part = Part(short, unread=opaque, opaque=opaque, unnamed=True)
    return ShellReading((part,), opaque=opaque, unnamed=short, unjudged=unjudged)


def _reading(text: str, found: Findings, parts: tuple[Part, ...]) -> ShellReading:
    opaque = found.opaque or next((part.opaque for part in parts if not part.words and part.opaque), "")
    return ShellReading(
        parts=parts,
        commands=found.commands,
        runs=tuple(part.command.simple for part in found.parts),
        opaque=opaque,
        operands=tuple(dict.fromkeys((*_of_parts(parts), *_of_findings(found)))),
        unnamed=_first_unnamed(text, found, parts),
        removals=found.removals,
        answers_itself=_first_self_answer(found),
        unjudged=any(_may_answer_itself(part.command) for part in found.parts),
        single=found.script.single,
        stays=found.script.stays,
    )


def _of_parts(parts: tuple[Part, ...]) -> Iterator[Operand]:
    for part in parts:
        yield from part.operands
        yield from part.redirected


def _of_findings(found: Findings) -> Iterator[Operand]:
    """Of scripts in the words of commands, also where these may be no more than texts."""
    for part in found.parts:
        if part.depth:
            yield from part.meaning.operands
            yield from (operand for redirect in part.command.redirects for operand in opened_by(redirect))
    yield from (operand for redirect in found.redirects for operand in opened_by(redirect))


def _first_unnamed(text: str, found: Findings, parts: tuple[Part, ...]) -> str:
    """The first part with a word that isn't known and may be a path."""
    unnamed = next((part.text for part in parts if part.unnamed), "")
    unnamed = unnamed or next((p.command.text for p in found.parts if p.depth and p.meaning.unnamed), "")
    return shortened(unnamed or text) if unnamed or found.script.problem else ""


def _first_self_answer(found: Findings) -> str:
    answers = (p.command for p in found.parts if not p.meaning.only_reads and _answers_itself(p.command))
    return next((shortened(command.text) for command in answers), "")


def _answers_itself(command: Command) -> bool:
    """`handrail approvals approve` and its like, whatever stands before it."""
    words = command.words
    for position, word in enumerate(words):
        if word.program == "handrail" or (word.value is not None and _AS_MODULE.fullmatch(word.text)):
            subcommands = [w for w in words[position + 1 :] if not w.text.startswith("-")]
            if subcommands and (subcommands[0].value is None or _is_self_trust(subcommands[0])):
                return True
            if any(_is_self_approval(group, subcommand) for group, subcommand in pairwise(subcommands)):
                return True
    return False


def _may_answer_itself(command: Command) -> bool:
    """The same behind a word that isn't known: `$h approvals approve`."""
    words = command.words
    start = next((i + 1 for i, word in enumerate(words) if word.known is Known.UNKNOWN), len(words))
    return any(_is_self_approval(group, subcommand) for group, subcommand in pairwise(words[start:]))


def _is_self_trust(command: Word) -> bool:
    """`handrail init`, which writes a policy and trusts it."""
    return runners().words("self_approval", command.text) == ()


def _is_self_approval(group: Word, subcommand: Word) -> bool:
    listed = runners().words("self_approval", group.text)
    if not listed:
        return False
    named = subcommand.value in listed[listed[0] == "*" :]
    return subcommand.value is None or named != (listed[0] == "*")

"""What one command of PowerShell does: whether it only reads, and which paths it names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from handrail.policy.shell.arguments import Arguments
from handrail.policy.shell.folders import Folders
from handrail.policy.shell.meaning import Meaning, meaning_by, meaning_of
from handrail.policy.shell.operand import Operand
from handrail.policy.shell.powershell.binding import bind
from handrail.policy.shell.powershell.calls import Call
from handrail.policy.shell.powershell.cmdlets import Cmdlet, cmdlets
from handrail.policy.shell.powershell.feeding import fed, is_fed_anything, tree_of
from handrail.policy.shell.powershell.paths import as_path
from handrail.policy.shell.words import Known, Word
from handrail.policy.wording import shortened


def normal_words(call: Call) -> tuple[Word, ...]:
    """Its words with the cmdlet's own name, and parameters in full; as they are for what may be a program."""
    cmdlet, words = call.cmdlet, call.command.words
    if cmdlet is None or call.may_be_program:
        return words
    return (
        Word(cmdlet.name, source=words[0].written),
        *(replace(word, text=cmdlet.parameter(word.text)) if word in call.parameters else word for word in words[1:]),
    )


def meaning_in(call: Call, home: str) -> Meaning:
    """What a command means in the folders where it may run."""
    cmdlet, words, folders = call.cmdlet, call.command.words, call.command.folders
    if cmdlet is None:
        return _of_program(words, folders, home)
    read = bind(cmdlet, call.arguments, home)
    meaning = meaning_by(read, (Word(cmdlet.name), *read.words), folders, home)
    problem = meaning.problem or _computes(cmdlet, call) or _shows(read) or is_fed_anything(cmdlet, call, home)
    operands = (*_widened(meaning.operands), *fed(cmdlet, call, home))
    meaning = replace(meaning, problem=problem, operands=operands, edits=False)
    return _also_a_program(meaning, call, home) if call.may_be_program else meaning


def _of_program(words: tuple[Word, ...], folders: Folders, home: str) -> Meaning:
    paths = tuple(as_path(word, home) for word in words[1:])
    name = shortened(words[0].written)
    meaning = meaning_by(None, (words[0], *paths), folders, home)
    if words[0].value is None:
        hidden = f"what {name} runs is not known"
        return replace(meaning, problem=hidden, hidden=hidden)
    return replace(meaning, problem=f"{name} is a program, or a cmdlet that is not known to only read")


def _also_a_program(meaning: Meaning, call: Call, home: str) -> Meaning:
    """Of `ls`, which is a cmdlet on Windows and a program elsewhere: both must only read."""
    words, folders = call.command.words, call.command.folders
    if any(argument.attached or argument.computed for argument in call.arguments):
        return replace(meaning, problem=meaning.problem or "its words mean nothing to the program of that name")
    program = meaning_of(tuple(map(_given_to_program, words)), folders, home)
    problem = program.problem or ("it runs its words" if program.wraps else "")
    return replace(
        meaning,
        problem=meaning.problem or (f"where {words[0].text} is a program, {problem}" if problem else ""),
        hidden=meaning.hidden or program.hidden,
        operands=(*meaning.operands, *program.operands),
        hosts=meaning.hosts | program.hosts,
        unnamed=meaning.unnamed or program.unnamed,
    )


def _given_to_program(word: Word) -> Word:
    """PowerShell puts in the home folder for `~`, and may take a backslash for a slash."""
    return Word("", Known.UNKNOWN, word.written) if word.text[:1] == "~" or "\\" in word.text else word


def _computes(cmdlet: Cmdlet, call: Call) -> str:
    computed = any(argument.computed for argument in call.arguments)
    return "it is given a block or a table" if computed and cmdlet.name not in cmdlets().listed("blocks") else ""


def _shows(read: Arguments) -> str:
    shown = next((word.text for word in read.words if word.text.lower() in cmdlets().listed("hiding")), "")
    return f"the property {shown} shows the environment" if shown else ""


def _widened(operands: tuple[Operand, ...]) -> Iterator[Operand]:
    """All below the folder of a pattern whose files are read, since PowerShell finds hidden ones too and follows links;
    and all of what is removed or moved."""
    for operand in operands:
        if operand.glob and operand.access == "read" and not operand.names_only:
            yield tree_of(operand)
        else:
            yield replace(operand, whole=operand.access == "write" and operand.scope == "tree")

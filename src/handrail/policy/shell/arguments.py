"""The words of a command as its program would read them, by its table; and what no table explains."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from handrail.policy.shell.flags import Given, flags_in, looks_like_flag
from handrail.policy.shell.programs import Does, Program, Usage, programs
from handrail.policy.shell.words import Word
from handrail.policy.wording import shortened

CLEAN_PATH = frozenset(("/bin", "/usr/bin", "/sbin", "/usr/sbin"))
"""Where a PATH that nobody changed finds the programs of the system."""

ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")

_LONGEST_SUBCOMMAND = 3


@dataclass(frozen=True, slots=True)
class Arguments:
    """What a program would make of its words."""

    usage: Usage
    given: tuple[Given, ...] = ()
    operands: tuple[Word, ...] = ()
    problem: str = ""
    """Why not every word of it is explained, as a clause; empty when all are."""
    before: tuple[Word, ...] = ()
    """Of a wrapper: the assignments before its command."""
    inner: tuple[Word, ...] = ()
    """Of a wrapper: the command that it runs."""
    subcommand: str = ""
    start: int = 1
    """Where the subcommand stands in the whole command."""
    before_it: tuple[Given, ...] = ()
    """The flags before the subcommand."""
    words: tuple[Word, ...] = ()
    """All that stands behind the program, or behind its subcommand."""

    @property
    def flags(self) -> frozenset[str]:
        return frozenset(given.name for given in self.given)

    def values(self, does: Does) -> tuple[Word, ...]:
        return tuple(given.value for given in self.given if given.does is does and given.value is not None)

    def does(self, does: Does) -> str:
        """The first flag that does it; empty where there is none."""
        return next((given.name for given in self.given if given.does is does), "")


def plain_name(word: Word) -> str:
    """The name of the program that a word starts where PATH is as the system has it; empty for any other."""
    if word.value is None:
        return ""
    folder, slash, name = word.text.rpartition("/")
    return name if not slash or folder in CLEAN_PATH else ""


def arguments_of(words: tuple[Word, ...]) -> Arguments | None:
    """How a command is read by the table of its program; None where there is no table."""
    program = programs().get(plain_name(words[0])) if words else None
    if program is None:
        return None
    return _with_subcommand(program, words) if program.subcommands else read_words(program.usage, words[1:])


def _with_subcommand(program: Program, words: tuple[Word, ...]) -> Arguments:
    before: tuple[Given, ...] = ()
    position = 1
    while position < len(words):
        usage, length = _subcommand(program, words[position:])
        if usage is not None:
            read = read_words(usage, words[position + length :])
            subcommand = " ".join(word.text for word in words[position : position + length])
            return replace(read, given=(*before, *read.given), subcommand=subcommand, start=position, before_it=before)
        found = flags_in(program.before, words[position])
        if found is None or (found.waits and position + 1 == len(words)):
            break
        before += found.with_value(words[position + 1]) if found.waits else found.given
        position += 2 if found.waits else 1
    read = read_words(program.usage, words[position:])
    if position < len(words) and (read.problem or program.usage.most == 0):
        told = read.usage is not program.usage
        read = (
            read
            if told
            else replace(read, problem=f"`{shortened(words[position].written)}` is not known to be harmless")
        )
    return replace(read, given=(*before, *read.given))


def _subcommand(program: Program, words: tuple[Word, ...]) -> tuple[Usage | None, int]:
    """The longest subcommand that these words start with, and how many words it has."""
    texts = [word.text if word.value is not None else "\0" for word in words[:_LONGEST_SUBCOMMAND]]
    for length in range(len(texts), 0, -1):
        usage = program.subcommands.get(" ".join(texts[:length]))
        if usage is not None:
            return usage, length
    return None, 0


def read_words(usage: Usage, words: tuple[Word, ...]) -> Arguments:
    """What stands behind the program, or behind its subcommand."""
    if len(words) == 1 and words[0].value in usage.alone:
        return Arguments(Usage(), (Given(words[0].text),))
    given: list[Given] = []
    operands: list[Word] = []
    before: list[Word] = []
    problem, position, ended, left = "", 0, "any_flags" in usage.traits, usage.own
    while position < len(words):
        word = words[position]
        position += 1
        found = None if ended else flags_in(usage, word)
        if found is not None and found.waits:
            if position == len(words):
                problem = problem or f"its option {word.written} has no value"
                break
            given += found.with_value(words[position])
            position += 1
        elif found is not None:
            given += found.given
        elif not ended and word.value == "--":
            ended = True
        elif not ended and looks_like_flag(word.text):
            problem = problem or f"its option {shortened(word.written)} is not known to be harmless"
        elif usage.operands != "command":
            operands.append(word)
        elif usage.assignments and ASSIGNMENT.match(word.text):
            before.append(word)
        elif left:
            left -= 1
            problem = problem or (f"what {shortened(word.written)} holds may be an option" if word.may_be_flag else "")
        else:
            return Arguments(usage, tuple(given), (), problem, tuple(before), words[position - 1 :], words=words)
    kept = tuple(word for word in operands if word.text not in usage.ignored)
    problem = problem or next(
        (f"what {each.name} gives is not known to be harmless" for each in given if _odd(usage, each)), ""
    )
    return Arguments(usage, tuple(given), kept, problem, tuple(before), words=words)


def _odd(usage: Usage, given: Given) -> bool:
    """True for a flag whose value is not one of those that its table knows."""
    harmless = usage.values.get(given.name)
    if harmless is None or given.value is None:
        return False
    return given.value.value is None or harmless.fullmatch(given.value.text) is None

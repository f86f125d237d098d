from __future__ import annotations

import pytest

from handrail.policy.shell.programs import Usage, editing_programs, read_by, reading_programs
from handrail.policy.shell.runners import runners
from handrail.policy.shell.words import Known, Word

OPERANDS = {"text", "names", "files", "pattern", "revisions"}
EDIT_OPERANDS = {"written", "removed", "copied", "moved"}
TRAITS = {"here", "numbers", "any_flags", "words", "globs", "folders", "repository"}

USAGES = [
    pytest.param((name, *([sub] if sub else [])), usage, id=f"{name} {sub}".strip())
    for name, program in {**reading_programs(), **editing_programs()}.items()
    for sub, usage in (program.subcommands or {"": program.usage}).items()
]


def command(*words: str) -> tuple[Word, ...]:
    return tuple(Word(word) for word in words)


def read(words: tuple[Word, ...]) -> object:
    return read_by(reading_programs(), words) or read_by(editing_programs(), words)


@pytest.mark.parametrize(("words", "usage"), USAGES)
def test_a_table_says_only_what_is_understood(words: tuple[str, ...], usage: Usage) -> None:
    assert usage.operands in (EDIT_OPERANDS if words[0] in editing_programs() else OPERANDS)
    assert usage.traits <= TRAITS
    flags = usage.flags.plain | usage.flags.valued | usage.flags.attached
    assert all(flag.startswith("-") and flag.strip("-") for flag in flags)
    assert (usage.needs | usage.patterns | usage.trees) <= flags
    assert usage.flags.plain.isdisjoint(usage.flags.valued)


@pytest.mark.parametrize(("words", "usage"), USAGES)
def test_a_flag_that_is_not_listed_is_not_read(words: tuple[str, ...], usage: Usage) -> None:
    if "any_flags" in usage.traits:
        return
    listed = usage.flags.plain | usage.flags.valued | usage.flags.attached
    short = {f"-{letter}" for letter in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ@"} - listed
    for flag in (*short, "--surely-not-listed", "--surely-not=listed", "--output=x", "-@"):
        assert read(command(*words, flag)) is None, flag
        assert read(command(*words, flag, "operand")) is None, flag


@pytest.mark.parametrize(("words", "usage"), USAGES)
def test_every_listed_flag_is_read(words: tuple[str, ...], usage: Usage) -> None:
    needed = [sorted(usage.needs)[0]] if usage.needs else []
    first = ["1p"] if usage.first else []
    for flag in usage.flags.plain | usage.flags.attached:
        assert read(command(*words, *needed, flag, *first)) is not None, flag
    for flag in usage.flags.valued:
        assert read(command(*words, *needed, flag, "value", *first)) is not None, flag
        assert read(command(*words, *needed, *first, flag)) is None, f"{flag} without its value"


@pytest.mark.parametrize(("words", "usage"), USAGES)
def test_a_word_that_is_not_known_is_not_read(words: tuple[str, ...], usage: Usage) -> None:
    assert read((*command(*words), Word("", Known.UNKNOWN, "$x"))) is None


def test_a_program_is_known_by_its_bare_name_alone() -> None:
    for name in ("./ls", "/bin/ls", "LS", "ls ", ""):
        assert read(command(name)) is None
    assert read((Word("ls", Known.UNKNOWN),)) is None
    assert read(()) is None


def test_no_program_both_runs_its_words_and_only_reads() -> None:
    runs = runners().lists["wrappers"] | runners().lists["shells"] | runners().lists["evaluators"]
    assert runs.isdisjoint(reading_programs())
    assert runs.isdisjoint(runners().lists["plain"])

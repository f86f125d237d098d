from __future__ import annotations

from collections.abc import Iterator

import pytest

from handrail.policy.shell.folders import Folder
from handrail.policy.shell.meaning import CHANGING, Meaning, meaning_of
from handrail.policy.shell.programs import BadTable, Does, Flag, Programs, Takes, Usage, programs, read_tables
from handrail.policy.shell.runners import runners
from handrail.policy.shell.words import Known, Word

USAGES = [
    (tuple(f"{name} {subcommand}".split()), usage)
    for name, program in programs().items()
    for subcommand, usage in program.usages
]
"""Every way to call a program. A law holds for all: the test names those that break it."""

OTHER_FLAGS = ("--surely-not-listed", "--surely-not=listed", "-@")


def command(*words: str) -> tuple[Word, ...]:
    return tuple(Word(word) for word in words)


def meaning(words: tuple[Word, ...]) -> Meaning:
    return meaning_of(words, (Folder("/w"),), "/home/u")


def unasked(*words: str) -> Iterator[str]:
    """The command, if nobody would be asked about it."""
    if not meaning(command(*words)).problem:
        yield " ".join(words)


def given(name: str, flag: Flag) -> tuple[str, ...]:
    return (name, "value") if flag.takes is Takes.VALUE else (name,)


def test_there_are_many_ways_to_call_a_program() -> None:
    assert len(USAGES) > 1_000


def test_a_flag_that_is_not_listed_is_asked_about() -> None:
    strict = [words for words, usage in USAGES if "any_flags" not in usage.traits]
    commands = [[*words, flag, *more] for words in strict for flag in OTHER_FLAGS for more in ([], ["operand"])]
    assert not [found for words in commands for found in unasked(*words)]


def test_a_flag_that_does_more_than_read_is_asked_about() -> None:
    assert not [found for words, usage in USAGES for found in _unasked_doing_more(words, usage)]


def _unasked_doing_more(words: tuple[str, ...], usage: Usage) -> Iterator[str]:
    for name, flag in usage.flags.items():
        if flag.does in (Does.WRITE, Does.RUN, Does.CONNECT):
            yield from unasked(*words, *given(name, flag))
            yield from unasked(*words, *given(name, flag), "operand")
            if usage.operands != "command":
                yield from unasked(*words, "operand", *given(name, flag))


def test_a_program_that_always_does_more_is_always_asked_about() -> None:
    more = [
        (words, usage)
        for words, usage in USAGES
        if usage.never or usage.operands in CHANGING or usage.operands == "hosts" or usage.reaches
    ]
    assert not [found for words, usage in more if "streams" not in usage.traits for found in unasked(*words)]
    assert not [found for words, _ in more for found in unasked(*words, "operand")]


def test_a_flag_without_its_value_is_asked_about() -> None:
    assert not [
        found
        for words, usage in USAGES
        for name, flag in usage.flags.items()
        if flag.takes is Takes.VALUE and name not in usage.alone
        for found in unasked(*words, name)
    ]


def test_what_is_harmless_alone_is_so_alone() -> None:
    assert not [
        (*words, word)
        for words, usage in USAGES
        for word in usage.alone
        if not meaning(command(*words, word)).only_reads
    ]


def test_what_a_variable_holds_may_be_an_option() -> None:
    unknown = Word("", Known.UNKNOWN, "$x", whole=False)
    assert not [
        words
        for words, usage in USAGES
        if {"any_flags", "any_names"}.isdisjoint(usage.traits)
        and usage.operands != "command"
        and words != ("[[",)
        and not meaning((*command(*words), unknown)).problem
    ]


def test_a_program_is_known_by_its_name_where_the_system_has_it() -> None:
    for name in ("ls", "/bin/ls", "/usr/bin/ls"):
        assert meaning(command(name)).only_reads
    for name in ("./ls", "/tmp/ls", "bin/ls", "LS", "ls ", ""):
        assert not meaning(command(name)).only_reads
    assert not meaning((Word("ls", Known.UNKNOWN),)).only_reads
    assert not meaning(()).only_reads


def test_no_program_of_which_it_is_known_that_it_runs_no_words_runs_its_words() -> None:
    runs = runners().lists["wrappers"] | runners().lists["shells"] | runners().lists["evaluators"]
    wrappers = {name for name, program in programs().items() if program.usage.operands == "command"}
    assert (runs | wrappers).isdisjoint(runners().lists["plain"])
    assert not any(
        program.usage.operands != "command" and not program.usage.never
        for program in map(programs().get, runs)
        if program
    )


BAD_TABLES = [
    ("not TOML", "[x", "x.toml is not valid TOML"),
    ("an unknown key", '[x]\nflag = ["-a"]', "x.toml: [x] flag: there is no such key"),
    ("an unknown key of a subcommand", '[x.subcommands.y]\nflag = ["-a"]', "x.toml: [x.y] flag"),
    ("an unknown key of globals", '[x.globals]\nflag = ["-a"]\n[x.subcommands.y]', "x.toml: [x.globals] flag"),
    ("a wrong type", '[x]\nmost = "1"', "x.toml: [x] most"),
    ("a flag that is none", '[x]\nflags = ["a"]', "'a' is not a flag"),
    ("a flag in two lists", '[x]\nflags = ["-o"]\nwrites = ["-o="]', "-o stands in it twice"),
    ("an expression", '[x]\nmatching = "("', "is not a regular expression"),
    ("an expression for a value", '[x]\nflags = ["-o="]\nvalues = {"-o" = "("}', "values -o is not a regular"),
    ("values that are no table", '[x]\nvalues = ["-o"]', "x.toml: [x] values"),
    ("operands", '[x]\noperands = "things"', "operands: things"),
    ("a trait", '[x]\ntraits = ["odd"]', "traits: odd"),
    ("a language", '[x]\nlanguage = "latin"', "language: latin"),
    ("a pattern flag that is not listed", '[x]\npatterns = ["-e"]', "-e"),
    ("a common table that is not there", '[x.subcommands.y]\nalso = ["z"]', "x.toml: [x.y] also"),
    ("a subcommand by two forms", '[x.subcommands.y]\nforms = ["z"]\n[x.subcommands.z]', "[x.z] is there twice"),
    ("a subcommand with a table and a clause", '[x.subcommands.y]\n[x.asked]\ny = "writes"', "[x.y] is there twice"),
    ("a clause twice", '[x.asked]\ny = "writes"\n[x.online]\ny = "asks"', "[x.y] is there twice"),
    ("a clause that is no text", "[x.asked]\ny = 1", "x.toml: [x.y] never"),
    ("a configured program without a reason", '[x]\ntraits = ["configured"]', 'no "never"'),
]  # fmt: skip


@pytest.mark.parametrize(("why", "text", "message"), BAD_TABLES, ids=[why for why, _, _ in BAD_TABLES])
def test_a_table_that_says_something_else_is_refused(why: str, text: str, message: str) -> None:
    with pytest.raises(BadTable) as refused:
        read_tables(text, "x.toml")
    assert message in str(refused.value)
    assert "x.toml" in str(refused.value)


def test_a_program_in_two_files_is_refused() -> None:
    for text in ("[y]", '[z]\nnames = ["y"]', '["y"]', "[y.subcommands.z]"):
        with pytest.raises(BadTable, match=r"b\.toml: \[y\] is in a\.toml too"):
            Programs({"a.toml": "[x]\n[y.subcommands.z]", "b.toml": text})


def test_every_table_is_found_under_the_name_in_its_head() -> None:
    assert {name for file, text in programs().texts.items() for name in read_tables(text, file)} == set(programs())

"""Words that may hold a command, though nothing says for sure that it is run: `sed '1e x y'`, `tar --to-command=x`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from handrail.policy.shell.folders import Folders
from handrail.policy.shell.meaning import Meaning
from handrail.policy.shell.parse import read
from handrail.policy.shell.runners import Runners, unversioned
from handrail.policy.shell.words import Known, Word

ASSIGNMENT = re.compile(r"\w+=")

_BETWEEN_WORDS = re.compile(r"(?:[\s=;|&(){}'\"`!:,]|\\_)+")
"""`\\_` is a blank to `env -S`."""
_VALUE = re.compile(r"--?[\w.-]+=(.+)", re.S)
_PARTS_OF_SED = re.compile(r"[/|,#:;@!{}]+|(?<![A-HJ-LN-Za-z])e")
"""What stands between the commands that a script of sed runs and the rest of it: `1ewho`, `/x/Iewho`, `s/x/who/e`."""


def hidden_in(
    words: tuple[Word, ...], starts: set[int], tables: Runners, meaning: Meaning | None = None, fed: str = ""
) -> Iterator[str]:
    """The texts within one command that its program may run; none of a program known not to.

    `fed`: what is written out for it to read, in which one that nobody knows may find commands.
    """
    if meaning is not None and meaning.only_reads:
        return
    programs = [unversioned(words[i].program) for i in starts]
    names = [name for name in programs if tables.knows(name)]
    hosts = {name: options for name in programs if (options := tables.words("running", name)) is not None}
    asked_to = any(_option(word.text, options) for options in hosts.values() for word in words)
    unknown = all(tables.has("wrappers", name) for name in names)
    asked_to = asked_to or (meaning is not None and _may_run_its_words(words[0].program, meaning, tables))
    if fed and not names:
        yield fed
    if not (unknown or asked_to or () in hosts.values()):
        return
    following = False
    if "sed" in hosts:
        yield from (_PARTS_OF_SED.sub(" ", word.text) for word in words[1:])
    for word in words[1:]:
        value = _VALUE.fullmatch(word.text)
        attached = any(len(o) == 2 and word.text.startswith(o) for options in hosts.values() for o in options)
        if following or value or attached or len(word.text.split()) > 1:
            yield value[1] if value else word.text
            if word.text.startswith("-") and not value:
                yield word.text[2:]
        following = any(word.text in options for options in hosts.values())


def commands_in(text: str, folders: Folders, home: str) -> Iterator[tuple[Word, ...]]:
    """What a text may run: as a script, and its words whatever stands between them."""
    words = tuple(Word(part) for part in _BETWEEN_WORDS.split(text) if part)
    if words:
        yield words
        yield from (command.words for command in read(text, folders, home).commands if command.words != words)


def runs_its_value(name: str, value: Word, tables: Runners) -> bool:
    """True for a variable whose value other programs run, unless that is the name of one that only reads."""
    if not (name in (tables.words("variables", "run") or ()) or name.startswith(("GIT_CONFIG", "BASH_FUNC_"))):
        return False
    return value.known is not Known.LITERAL or (value.text != "" and not tables.only_reads(value.text))


def _may_run_its_words(program: str, meaning: Meaning, tables: Runners) -> bool:
    """True for a program that has a table and is called with an option that runs something, or that is not in it."""
    return bool(meaning.hidden) or (
        meaning.read is not None and bool(meaning.read.problem) and not tables.has("plain", program)
    )


def _option(text: str, options: tuple[str, ...]) -> bool:
    """`--pre`, `--pre=x`, and of a letter also `-Px`."""
    return any(text == option or text.startswith(option if len(option) == 2 else f"{option}=") for option in options)

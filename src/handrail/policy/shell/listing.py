"""What names of files a pipe feeds to a command: those that `find`, `git ls-files` and their like print before it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import Any

from handrail.policy.shell.arguments import Arguments, arguments_of, plain_name
from handrail.policy.shell.folders import Folders
from handrail.policy.shell.languages.finding_files import taken_apart
from handrail.policy.shell.operand import Operand, operands_at
from handrail.policy.shell.programs import Does
from handrail.policy.shell.script import Command
from handrail.policy.shell.words import Holds, Known, Word

_FORMAT = re.compile(r"(?:%s(?:\\n|\\0| )?)+")
_NUMBER = re.compile(r"-\d+")
_NO_FILE = ""
"""Fits no name: for an alternative in which only folders are listed."""
_OR = frozenset(("-o", "-or"))


@dataclass(frozen=True, slots=True)
class Listing:
    """Names that a command is fed."""

    within: tuple[Operand, ...] = ()
    """The trees in which all of them lie."""
    holds: Holds = Holds.LISTED
    zero: bool = False
    """They end in a NUL, so that each stays one word."""
    words: tuple[Word, ...] | None = None
    """The names themselves, where they are known."""

    @property
    def word(self) -> Word:
        """Stands for any of them."""
        return Word("", Known.UNKNOWN, "{}", self.holds)


@cache
def _tables() -> Mapping[str, Mapping[str, Any]]:
    return tomllib.loads(resources.files("handrail.policy.shell").joinpath("listers.toml").read_text("utf-8"))


def listing_from(feeders: tuple[Command, ...], folders: Folders) -> Listing | None:
    """The names that the commands before it in a pipe feed to one in these folders; None for anything else."""
    if not feeders or any(feeder.folders != folders or _redirects_output(feeder) for feeder in feeders):
        return None
    first, *others = feeders
    if not all(map(_passes_lines_on, others)):
        return None
    return _words_listed(first.words) or _found_by(first.words, folders) or names_in(first.words, folders)


def _found_by(words: tuple[Word, ...], folders: Folders) -> Listing | None:
    """`find src -exec grep -l x {} +`: of the names that it finds, those that its command prints."""
    if plain_name(words[0]) != "find":
        return None
    sentence = taken_apart(words)
    inner = [names_in(command, folders) for command in sentence.executed if command[-1].text == "{}"]
    if sentence.problem or not inner or len(inner) < len(sentence.executed) or None in inner:
        return None
    listing = names_in(sentence.words, folders)
    return replace(listing, zero=False) if listing is not None else None


def names_in(words: tuple[Word, ...], folders: Folders) -> Listing | None:
    """The names that a lister prints; None for a command that is none."""
    read = arguments_of(words)
    name = plain_name(words[0]) if words else ""
    key = f"{name} {read.subcommand}" if read is not None and read.subcommand else name
    table = _tables()["listers"].get(key)
    if table is None or read is None or read.problem or not read.flags.isdisjoint(table.get("forbids", ())):
        return None
    if any(given.does not in (Does.NOTHING, Does.READ) for given in read.given):
        return None
    if "needs" in table and read.flags.isdisjoint(table["needs"]):
        return None
    operands = read.operands[1:] if table["where"] == "rest" and not _gives_pattern(read) else read.operands
    if any(word.known is Known.UNKNOWN for word in operands):
        return None
    found = list(operands) or [Word(".")]
    found += [Word(".")] if table.get("here") and operands else []
    follows = not _only_files(table, words)
    like = Operand("", "read", "tree", follows=follows, only=tuple(_filters(table, words)))
    within = tuple(operand for word in found for operand in operands_at(word, folders, like))
    holds = Holds.NAME if table.get("prefixed") else Holds.LISTED
    return Listing(within, holds, not read.flags.isdisjoint(table.get("zero", ())))


def _only_files(table: Mapping[str, Any], words: tuple[Word, ...]) -> bool:
    """`find -type f` lists no links, so that no name leads out of the tree."""
    texts = [word.text for word in words]
    return any(pair in pairwise(texts) for pair in map(tuple, table.get("no_links", ()))) and _OR.isdisjoint(texts)


def _gives_pattern(read: Arguments) -> bool:
    return not (read.usage.patterns | {"--files"}).isdisjoint(read.flags)


def _filters(table: Mapping[str, Any], words: tuple[Word, ...]) -> Iterator[str]:
    """The patterns that names must fit: of each alternative there must be one, and nothing may be turned around."""
    flags = frozenset(table.get("filters", ()))
    breaks = frozenset(table.get("breaks", ()))
    alternatives: list[list[str]] = [[]]
    for before, word in pairwise(words):
        name, equals, value = word.text.partition("=")
        if word.text in _OR and word.text in breaks:
            alternatives.append([])
        elif before.text in breaks - _OR and (word.text in flags or word.text == "("):
            return
        elif word.text in table.get("folders", ()):
            alternatives[-1].append(_NO_FILE)
        elif word.known is not Known.UNKNOWN and (before.text in flags or (equals and name in flags)):
            alternatives[-1].append(value if equals and name in flags else word.text)
    if all(alternatives):
        yield from (pattern for patterns in alternatives for pattern in patterns if pattern != _NO_FILE)


def _words_listed(words: tuple[Word, ...]) -> Listing | None:
    """`echo a b` and `printf '%s\\n' a b`."""
    match plain_name(words[0]) if words else "":
        case "echo":
            names = words[1:]
        case "printf" if len(words) > 1 and words[1].value is not None and _FORMAT.fullmatch(words[1].text):
            names = words[2:]
        case _:
            return None
    pieces = [Word(piece) for word in names for piece in word.text.split()]
    simple = all(word.value is not None and not re.search(r"['\"\\]|^-", word.text) for word in names)
    return Listing(words=tuple(pieces)) if simple and pieces else None


def _passes_lines_on(command: Command) -> bool:
    read = arguments_of(command.words)
    table = _tables()["between"].get(plain_name(command.words[0]) if command.words else "")
    if table is None or read is None or read.problem:
        return False
    expected = table["operands"] - (not read.usage.patterns.isdisjoint(read.flags))
    listed = frozenset(table["flags"])
    named = all(flag in listed or ("numbers" in listed and _NUMBER.fullmatch(flag)) for flag in read.flags)
    return named and len(read.operands) == max(expected, 0)


def _redirects_output(command: Command) -> bool:
    """Of a command whose output goes elsewhere the pipe gets nothing; its errors don't matter."""
    return any(redirect.operator not in (">", ">>", ">&") or not redirect.quiet for redirect in command.redirects)

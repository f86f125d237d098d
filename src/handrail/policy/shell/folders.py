"""Where the parts of a shell command may run, as `cd` moves them."""

from __future__ import annotations

import posixpath
from dataclasses import replace
from typing import TypeAlias

from handrail.contract.values import value
from handrail.policy.places import normal
from handrail.policy.shell.words import Known, Word

MOST_FOLDERS = 8
"""Kept per part; a command that may stand in so many is not followed further, and opaque."""

MOVERS = frozenset(("cd", "pushd", "popd", "chdir", "eval", "command", "builtin", "source", "."))
"""Commands that may leave the shell in another folder."""

_FOLDER_OPTIONS = frozenset(("-C", "-D", "--chdir", "--directory", "--cwd", "--prefix", "--work-tree"))
"""Of env, sudo, tar, make, git, npm and others."""
_NO_FOLDER_OPTION = "-command"
"""Of PowerShell, in any case; it only starts like `-C`."""


@value
class Folder:
    """A folder that a part of a command may run in."""

    path: str
    certain: bool = True
    """False when it depends on what a variable holds."""


Folders: TypeAlias = tuple[Folder, ...]
"""All that are possible at one place in a command; none where that place is never reached."""


@value
class After:
    """Where the shell stands after a part succeeded, and after it failed."""

    ok: Folders
    failed: Folders

    @property
    def either(self) -> Folders:
        return union(self.ok, self.failed)

    @property
    def negated(self) -> After:
        return After(self.failed, self.ok)


def union(left: Folders, right: Folders) -> Folders:
    return tuple(dict.fromkeys(left + right))[:MOST_FOLDERS]


def either(left: After, right: After) -> After:
    return After(union(left.ok, right.ok), union(left.failed, right.failed))


def after(words: tuple[Word, ...], at: Folders, home: str) -> After:
    """Where a simple command leaves the shell."""
    match words[0].value if words else None:
        case "exit" | "return":
            return After((), ())
        case "command" | "builtin" | "time":
            options = next((i for i, word in enumerate(words[1:], 1) if not word.text.startswith("-")), len(words))
            return after(words[options:], at, home)
        case "eval":
            script = (Word(part) for word in words[1:] for part in word.text.split())
            return after(tuple(script), at, home)
        case "cd" | "chdir":
            return After(moved(words[1:], at, home), at)
        case "pushd" if len(words) > 1 and not words[1].text.startswith(("+", "-")):
            return After(moved(words[1:], at, home), at)
        case "pushd" | "popd":
            return After(_anywhere(at), at)
        case _:
            return After(at, at)


def also_put(words: tuple[Word, ...], at: Folders, home: str) -> Folders:
    """With the folders that `-C DIR`, `--directory=DIR` and the like name; what the program runs may be there."""
    put = _put_by_options(words, at, home)
    return union(put, at) if put else at


def _put_by_options(words: tuple[Word, ...], at: Folders, home: str) -> Folders:
    named: list[Word] = []
    for word, following in zip(words[1:], (*words[2:], None), strict=False):
        option, equals, value = word.text.partition("=")
        if word.text in _FOLDER_OPTIONS and following is not None:
            named.append(following)
        elif equals and option in _FOLDER_OPTIONS:
            named.append(replace(word, text=value))
        elif word.text[:2] in _FOLDER_OPTIONS and word.text[2:] and word.text.lower() != _NO_FOLDER_OPTION:
            named.append(replace(word, text=word.text[2:]))
    return tuple(folder for word in named for folder in moved((word,), at, home))


def moved(arguments: tuple[Word, ...], at: Folders, home: str) -> Folders:
    """Where `cd` with these arguments leads."""
    operands = [word for word in arguments if word.written in ("-", "--") or not word.written.startswith("-")]
    operands = [word for word in operands if word.written != "--"]
    if not operands:
        return (Folder(home),)
    target = operands[0]
    physical = any(word.text.startswith("-") and "P" in word.text for word in arguments)
    if target.known is Known.GLOB or target.written == "-" or physical:
        return _anywhere(at)
    if target.value is None:
        stays_or_goes_home = (*at, Folder(home))
        return tuple(Folder(folder.path, certain=False) for folder in stays_or_goes_home)
    return tuple(Folder(normal(posixpath.join(folder.path, target.text)), folder.certain) for folder in at)


def _anywhere(at: Folders) -> Folders:
    """The same folders, for want of better ones."""
    return tuple(Folder(folder.path, certain=False) for folder in at)

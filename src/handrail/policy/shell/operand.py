"""A path that a command names, before anybody looked it up."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass

from handrail.contract.effects import Scope
from handrail.policy.facts import Access
from handrail.policy.shell.folders import Folders
from handrail.policy.shell.words import Known, Word


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
    only: tuple[str, ...] = ()
    """Of a tree: patterns for the names of the files that are read; all where there are none."""
    plain: bool = False
    """Of a pattern, and of a tree whose names are split at blanks: it must come to no name that would be taken for
    anything else."""
    whole: bool = False
    """Of a tree: it is moved or removed with all that is below it."""
    holding: str = ""
    """Of what is written: the folder, as an absolute path, of which a copy is put there."""
    certain: bool = True
    """Its command surely runs in the folder from which the path is taken."""


def operands_at(word: Word, folders: Folders, like: Operand) -> Iterator[Operand]:
    """What a word names from each folder that its command may run in. An unknown word names nothing, but for one of
    which no more than digits are unknown."""
    text = word.numbered if word.known is Known.UNKNOWN else word.text
    if text:
        is_glob = word.known is not Known.LITERAL and word.known is not Known.EXPANDED
        for folder in folders:
            path = posixpath.join(folder.path, text)
            yield Operand(
                path,
                like.access,
                like.scope,
                like.names_only,
                is_glob,
                like.follows,
                like.only,
                is_glob and (like.plain or not word.whole),
                like.whole,
                posixpath.join(folder.path, like.holding) if like.holding else "",
                folder.certain,
            )
